"""Schemas from wheels and installed engines; those that infx ships are what it would extract."""

import importlib.metadata
import os
import sys
import zipfile
from pathlib import Path
from textwrap import dedent

import pytest

from engine_sources import SGLANG, VLLM
from infx.errors import InputError, MachineError
from infx.flows.engine_schemas import extract, for_image, from_quickstart
from infx.model.engine_schema import Flag
from infx.recipes.schema_text import schema_text
from infx.store.shipped import ENGINES, engine_schema, engine_schemas

WHEELS = os.environ.get("INFX_ENGINE_WHEELS")


def _wheel(folder: Path, name: str, files: dict[str, str]) -> Path:
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in files.items():
            archive.writestr(member, text)
        metadata = zipfile.ZipInfo(f"{name}-1.0.dist-info/METADATA", (2026, 10, 7, 0, 0, 0))
        archive.writestr(metadata, f"Name: {name}\nVersion: 1.0\n")
    return path


def _extract(what):
    return extract(str(what), python=sys.executable, environment=dict(os.environ))


@pytest.mark.parametrize(
    ("name", "files", "flag"), [("sglang", SGLANG, "fuel"), ("vllm", VLLM, "crew")]
)
def test_a_wheel_becomes_a_schema(tmp_path, name, files, flag):
    schema = _extract(_wheel(tmp_path, name, files))
    assert (schema.engine, schema.version, schema.source.date) == (name, "1.0", "2026-10-07")
    assert schema.source.origin == f"the wheel {name}-1.0-py3-none-any.whl"
    assert flag in schema.flags


def test_a_wheel_of_something_else_and_one_of_another_time_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"a wheel of torch; known are sglang, vllm"):
        _extract(_wheel(tmp_path, "torch", {}))
    with pytest.raises(InputError, match=r"in a way infx does not know: no module sglang\.srt"):
        _extract(_wheel(tmp_path, "sglang", {"sglang/__init__.py": ""}))
    with pytest.raises(InputError, match=r"no wheel and no engine 'vlm'; .*did you mean vllm\?"):
        _extract("vlm")


def test_source_that_goes_in_circles_is_refused(tmp_path):
    words = SGLANG["sglang/srt/words.py"].replace('ROASTS = KITCHENS + ["sun"]', "ROASTS = ROASTS")
    assert words != SGLANG["sglang/srt/words.py"]
    with pytest.raises(InputError, match="in a way infx does not know: maximum recursion"):
        _extract(_wheel(tmp_path, "sglang", {**SGLANG, "sglang/srt/words.py": words}))


def test_a_schema_text_reads_back_as_the_schema(tmp_path):
    schema = _extract(_wheel(tmp_path, "sglang", SGLANG))
    (tmp_path / "sglang-1.0.json").write_text(schema_text(schema))
    assert engine_schema("sglang", folder=tmp_path) == schema
    lines = schema_text(schema).splitlines()
    assert len([line for line in lines if line.startswith('  "')]) == len(schema.flags) + len(
        schema.environment
    )


def test_every_shipped_schema_is_written_as_infx_writes_it():
    shipped = list(engine_schemas())
    assert [engine for engine, _ in shipped] == ["llamacpp", "sglang", "vllm"]
    for engine, version in shipped:
        schema = engine_schema(engine, version)
        assert (schema.engine, schema.version) == (engine, version)
        assert (ENGINES / f"{engine}-{version}.json").read_text() == schema_text(schema)


def test_the_quickstart_schema_is_that_of_the_installed_engine():
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    installed = importlib.metadata.version("xllamacpp")
    if ("llamacpp", installed) not in engine_schemas():
        pytest.skip(f"infx ships no schema of xllamacpp {installed}")
    assert from_quickstart() == engine_schema("llamacpp", installed)


@pytest.mark.skipif(not WHEELS, reason="INFX_ENGINE_WHEELS names no folder of wheels")
def test_shipped_schemas_are_those_of_the_wheels():
    wheels = sorted(Path(WHEELS or "").glob("*.whl"))
    assert wheels
    for path in wheels:
        schema = _extract(path)
        shipped = engine_schema(schema.engine, schema.version)
        assert schema_text(schema) == schema_text(shipped)


@pytest.mark.parametrize(
    ("image", "version"),
    [("lmsysorg/sglang:v0.5.23", "0.5.23"), ("lmsysorg/sglang:v0.9.9", "0.5.23"), (None, "0.5.23")],
)
def test_the_schema_for_an_image_is_its_own_or_the_newest(image, version):
    schema = for_image("sglang", image)
    assert schema is not None
    assert schema.version == version


def test_an_engine_without_schemas_has_none_for_any_image():
    assert for_image("trtllm", "nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc24") is None
    assert for_image(None, None) is None


LIVE = {
    "vllm/__init__.py": "",
    "vllm/utils/__init__.py": "",
    "vllm/utils/argparse_utils.py": """
        from argparse import ArgumentParser as FlexibleArgumentParser
        def human_readable_int(text):
            return int(text)
    """,
    "vllm/entrypoints/__init__.py": "",
    "vllm/entrypoints/launchers/__init__.py": "",
    "vllm/entrypoints/launchers/cli_args.py": """
        import argparse, json
        from vllm.utils.argparse_utils import human_readable_int
        def optional_type(return_type):
            def _optional_type(text):
                return None if text == "None" else return_type(text)
            return _optional_type
        def make_arg_parser(parser):
            print("vLLM talks while it is imported")
            parser.add_argument("model_tag", nargs="?")
            parser.add_argument("--crew", "-c", type=optional_type(int), default=4)
            parser.add_argument("--batch", type=human_readable_int)
            parser.add_argument("--lamp", action=argparse.BooleanOptionalAction, default=False)
            parser.add_argument("--hull", type=str, choices=["wood", "steel", None])
            parser.add_argument("--deck", type=lambda s: s.lower().replace("-", "_"),
                                choices=["open_air", "closed"], default=argparse.SUPPRESS)
            parser.add_argument("--ports", type=int, nargs="+")
            parser.add_argument("--extras", type=json.loads)
            parser.add_argument("--quiet", action="store_true", help="Deprecated: use --lamp.")
            return parser
    """,
}
BUILT = {
    "batch": Flag(kind="size"),
    "crew": Flag(kind="int", default="4", aliases=("-c",), nullable=True),
    "deck": Flag(kind="choice", choices=("open_air", "closed"), folded=True),
    "extras": Flag(kind="json"),
    "hull": Flag(kind="choice", choices=("wood", "steel"), nullable=True),
    "lamp": Flag(kind="switch", default="false", negative=True),
    "ports": Flag(kind="int", nargs="+"),
    "quiet": Flag(kind="switch", default="false", deprecated="use --lamp"),
}


def _install(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))


def _installed(folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]):
    _install(folder, {**files, "vllm-7.8.dist-info/METADATA": "Name: vllm\nVersion: 7.8\n"})
    monkeypatch.syspath_prepend(str(folder))
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return extract("vllm", python=sys.executable, environment=environment)


def test_an_installed_vllm_builds_its_own_parser_in_a_child(tmp_path, monkeypatch):
    """A stand-in for vLLM: the flags are those of its live parser, the variables of its source."""
    schema = _installed(tmp_path, monkeypatch, {**VLLM, **LIVE})
    assert schema.flags == BUILT
    assert schema.source.origin == "vllm 7.8"
    assert "VLLM_WAKE" in schema.environment


def test_a_vllm_that_cannot_be_imported_is_told_with_its_reason(tmp_path, monkeypatch):
    broken = {"vllm/utils/argparse_utils.py": "raise RuntimeError('no torch here')"}
    with pytest.raises(MachineError, match=r"vLLM's parser cannot be built: .*no torch here"):
        _installed(tmp_path, monkeypatch, {**VLLM, **LIVE, **broken})
