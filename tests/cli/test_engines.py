"""`infx engines` as transcripts."""

import json
from pathlib import Path

import orjson

from infx.store.shipped import ENGINES
from transcript import Infx, refused

SAMPLE = """\
flag              takes               default  words, other names, notes
--cache-prompt    switch              true     also --no-cache-prompt
--cache-ram       int                 8192
--cache-reuse     int                 0
--cache-type-k    choice                       f32, f16, bf16, q8_0, q4_0, q4_1, iq4_nl, q5_0, q5_1
--cache-type-v    choice                       f32, f16, bf16, q8_0, q4_0, q4_1, iq4_nl, q5_0, q5_1
"""


def test_list(infx: Infx) -> None:
    said = infx("engines", "list")
    heads, *rows = said.out.splitlines()
    assert heads.split() == ["engine", "version", "flags", "variables", "read", "from"]
    assert [row.split()[:2] for row in rows][1:] == [["sglang", "0.5.23"], ["vllm", "0.32.0"]]
    assert (said.code, said.err) == (0, "")


def test_list_as_json_names_the_sources(infx: Infx) -> None:
    listed = json.loads(infx("engines", "list", "--format", "json").out)
    assert [one["source"]["date"] for one in listed] == [None, "2026-10-30", "2026-10-17"]


def test_flags_by_name(infx: Infx) -> None:
    said = infx("engines", "flags", "llamacpp", "cache-*")
    assert [line.split() for line in said.out.splitlines()] == [
        line.split() for line in SAMPLE.splitlines()
    ]


def test_a_flag_by_another_name_of_a_version(infx: Infx) -> None:
    said = infx("engines", "flags", "sglang@0.5.23", "expert-parallel-size")
    assert said.out.splitlines()[1].split() == [
        "--ep-size", "int", "1", "also", "--expert-parallel-size,", "--ep"
    ]  # fmt: skip


def test_variables_in_markdown(infx: Infx) -> None:
    words = ("sglang", "SGLANG_SIMULATE_ACC_LEN", "--environment", "--format", "markdown")
    assert infx("engines", "flags", *words).out == (
        "| variable | takes | default | words, other names, notes |\n"
        "| -- | -- | -- | -- |\n"
        "| SGLANG\\_SIMULATE\\_ACC\\_LEN | float | -1 |  |\n"
    )


def test_flags_as_json(infx: Infx) -> None:
    said = infx("engines", "flags", "vllm", "enable-eplb", "--format", "json")
    assert orjson.loads(said.out) == {
        "enable-eplb": {"kind": "switch", "default": "false", "negative": True}
    }


def test_names_that_nobody_knows(infx: Infx) -> None:
    assert infx("engines", "flags", "sglan") == refused(
        2, "no schema of an engine 'sglan'; did you mean sglang?"
    )
    assert infx("engines", "flags", "sglang@0.5.32") == refused(
        2, "no schema of sglang 0.5.32; did you mean 0.5.23?"
    )
    assert infx("engines", "flags", "vllm", "gpu-memory-utilisation") == refused(
        2,
        "vllm 0.32.0 has nothing named gpu-memory-utilisation; "
        "did you mean gpu-memory-utilization?",
    )


def test_extract_of_what_is_no_wheel(infx: Infx, tmp_path: Path) -> None:
    (tmp_path / "x.whl").write_text("text")
    assert infx("engines", "extract", "x.whl") == refused(
        2,
        "x.whl: not a wheel: File is not a zip file; "
        "give a wheel as `pip download --no-deps NAME` writes it",
    )
    assert infx("engines", "extract", "sglang") == refused(
        2, "no wheel and no engine 'sglang'; give a wheel's path; known are llamacpp, vllm"
    )


def test_extract_writes_the_quickstart_engine(infx: Infx, tmp_path: Path) -> None:
    said = infx("engines", "extract", "llamacpp", "--out", "made.json")
    assert (said.code, said.out) == (0, "")
    text = (tmp_path / "made.json").read_text()
    version = json.loads(text)["version"]
    assert said.err == f"made.json: llamacpp {version}, 28 flags, 0 variables\n"
    shipped = ENGINES / f"llamacpp-{version}.json"
    assert not shipped.exists() or shipped.read_text() == text
