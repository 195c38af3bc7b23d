"""`infx workload` as transcripts."""

import json

import pytest

from agent_log import write_log
from recorded import corpus, request, session, subagent
from transcript import refused


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_describe(infx, tmp_path):
    corpus(
        tmp_path,
        session(
            [
                request(0, [1, 2]),
                subagent(1, "a", [request(1, [1, 9], out=7)]),
                request(4.5, [1, 2, 3]),
            ]
        ),
    )
    said = infx("workload", "describe", "traces.jsonl")
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        """\
traces.jsonl: 1 trace, 3 requests
streams: 1 session, 1 subagent; at most 1 level below a session
tokens: 448 in, 207 out
theoretical prefix hit: 42.9 % of all blocks, with an endless cache for each trace
models: m

                                     unit  n   mean  least    p50    p75    p90    p99   most
  requests per trace             requests  1      3      3      3      3      3      3      3
turns of the session             requests  1      2      2      2      2      2      2      2
   streams per trace              streams  1      2      2      2      2      2      2      2
               input               tokens  3    149    128    128    160    179    191    192
           new input               tokens  3   85.3     64     64     96    115    127    128
              output               tokens  3     69      7    100    100    100    100    100
               pause                    s  1   3.50   3.50   3.50   3.50   3.50   3.50   3.50
            duration                    s  3      1      1      1      1      1      1      1
                span                    s  1   5.50   5.50   5.50   5.50   5.50   5.50   5.50
        peak context               tokens  1    292    292    292    292    292    292    292
            hit rate  of a trace's blocks  1  0.429  0.429  0.429  0.429  0.429  0.429  0.429

input (tokens)
  100 - 200  ████████████████████████████████████████ 3

output (tokens)
     5 - 10  ████████████████████ 1
    10 - 20   0
    20 - 50   0
   50 - 100   0
  100 - 200  ████████████████████████████████████████ 2

pause (s)
  2 - 5  ████████████████████████████████████████ 1
"""
    )


def test_describe_as_json_is_one_object_on_one_line(infx):
    said = infx("workload", "describe", "demo", "--format", "json")
    assert said.code == 0
    (line,) = said.out.splitlines()
    found = json.loads(line)
    assert (found["traces"], found["depth"]) == (20, 2)
    assert found["distributions"]["input"]["most"] <= 400


def test_describe_tells_what_it_left_out(infx, tmp_path):
    corpus(
        tmp_path,
        session([request(0, [1])]),
        {},
        session([request(0, [1] * 9)], id="long"),
        session([subagent(0, "a", [request(0, [1])]), request(1, [1])], id="early"),
    )
    said = infx("workload", "describe", "traces.jsonl", "--skip-bad", "--max-context", 600)
    assert said.code == 0
    assert said.out.splitlines()[2] == (
        "left out subagents that nothing starts: 1, traces above the context limit: 1, bad rows: 1"
    )
    assert (
        said.err.splitlines()[0] == "infx: traces.jsonl:2: models: expected a list, found nothing"
    )
    bad = infx("workload", "describe", "traces.jsonl")
    assert (bad.code, bad.out) == (2, "")
    assert "traces.jsonl:2: requests: expected a list, found nothing" in bad.err


def test_synth_writes_the_same_bytes_again(infx, tmp_path):
    words = ("workload", "synth", "--preset", "demo", "--traces", 2, "--seed", 7, "--out")
    first, second = infx(*words, "a.jsonl"), infx(*words, "b.jsonl")
    assert (first.code, first.out) == (0, "a.jsonl\n")
    assert first.err.startswith("infx: a.jsonl: 2 traces, sha256 ")
    assert second.code == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    changed = infx(*words, "c.jsonl", "--set", "fan-out=0", "max_output=3")
    assert changed.code == 0
    assert b"subagent" not in (tmp_path / "c.jsonl").read_bytes()
    assert infx(*words, "a.jsonl") == refused(
        2, "a.jsonl: the file is there already; add --force to replace it"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--set", "fan_out"),
            "--set: 'fan_out' sets no parameter to a number; write it as fan_out=0.1",
        ),
        (("--set", "fan=1"), "--set: no parameter 'fan'; did you mean fan_out?"),
        (("--preset", "dmo"), "--preset: no preset 'dmo'; did you mean demo?"),
    ],
)
def test_synth_refuses_what_it_does_not_know(infx, words, said):
    assert infx("workload", "synth", "--out", "x.jsonl", *words) == refused(2, said)


def test_import_writes_traces_and_tells_what_it_passed_over(infx, tmp_path):
    write_log(tmp_path / "logs" / "a.jsonl")
    (tmp_path / "logs" / "b.jsonl").write_text("{}\n")
    said = infx("workload", "import", "logs", "--out", "t.jsonl")
    assert said == refused(2, "logs/b.jsonl: it tells of no request of a session itself")
    said = infx("workload", "import", "logs", "--out", "t.jsonl", "--skip-bad")
    assert (said.code, said.out) == (0, "t.jsonl\n")
    assert "logs/b.jsonl: it tells of no request" in said.err
    assert infx("workload", "describe", "t.jsonl").code == 0


def test_list(infx):
    said = infx("workload", "list")
    assert said.code == 0
    first, full, *_ = said.out.splitlines()
    assert first.split()[:3] == ["demo", "20", "here"]
    assert full.split()[:6] == ["cc-traces-weka-062126", "393", "1,847", "MB", "not", "here"]


def test_a_corpus_that_cannot_be_reached_names_the_file_to_place(infx, tmp_path, monkeypatch):
    monkeypatch.setattr("infx.model.dataset.TraceDataset.url", "http://127.0.0.1:1/traces.jsonl")
    said = infx("workload", "fetch", "cc-traces-weka-062126")
    assert (said.code, said.out) == (3, "")
    failed, by_hand = said.verdict
    assert failed.startswith("infx: http://127.0.0.1:1/traces.jsonl: the download failed")
    assert by_hand == (
        "infx: or place traces.jsonl of semianalysisai/cc-traces-weka-062126 (a dataset of "
        f"huggingface.co) at {tmp_path}/cache/infx/traces/cc-traces-weka-062126/traces.jsonl"
    )
