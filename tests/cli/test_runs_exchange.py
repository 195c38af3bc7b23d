"""`infx runs import` and `infx runs export`, as transcripts."""

import json

import pytest

from foreign import export, line
from infx.servers.truth.script import Script
from playing import play
from transcript import refused

STATED = {
    "hw": "b200", "image": "i", "infmax_model_prefix": "dsv4", "framework": "vllm",
    "precision": "fp4", "spec_decoding": "none", "disagg": "false", "is_multinode": "false",
    "tp": 8, "ep": 1, "dp_attention": "false", "kv_offloading": "none", "allocated_cpu_dram_gb": 0,
}  # fmt: skip
FACTS = [f"{key}={value}" for key, value in STATED.items()]


@pytest.fixture
def imported(infx, tmp_path):
    """A run of another client in `runs/`, of two requests of one session."""
    export(tmp_path / "theirs", line(0, sent=0.1), line(1, sent=1.0))
    return infx("runs", "import", "theirs", "--gpus", "8")


def test_import_prints_the_run_and_what_is_unknown(imported):
    assert imported.code == 0
    assert imported.err == (
        "infx: without --corpus neither asked input lengths nor prefix hits are known\n"
    )
    assert "certified: no" in imported.out
    assert "client-not-audited (concurrency 1)" in imported.out
    assert imported.out.endswith("bundle: runs/RUN\n")


def test_an_imported_run_is_like_any_other(infx, imported):
    assert infx("runs", "verify", "latest").code == 0
    assert infx("runs", "list").out == "RUN  finished     1 point    aiperf profile -m m\n"
    assert infx("report", "latest").code == 0
    said = infx("runs", "show", "latest", "--format", "json")
    (point,) = json.loads(said.out)["points"]
    assert point["metrics"]["ttft"]["mean"] == 0.05


def test_export_prints_the_files(infx, imported):
    said = infx("runs", "export", "latest", "--format", "aiperf", "--out", "ours")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "ours/profile_export.jsonl",
        "ours/profile_export_aiperf.json",
        "ours/profile_export_aiperf.csv",
        "ours/server_metrics_export.json",
    ]


def test_pieces_of_time_are_written_for_who_asks(infx, imported, tmp_path):
    words = ("runs", "export", "latest", "--out", "ours", "--slice-duration")
    said = infx(*words, "500ms", "--format", "aiperf")
    assert said.out.splitlines()[-2:] == [
        "ours/profile_export_aiperf_timeslices.json",
        "ours/profile_export_aiperf_timeslices.csv",
    ]
    pieces = json.loads((tmp_path / "ours" / "profile_export_aiperf_timeslices.json").read_text())
    assert [one["request_count"]["avg"] for one in pieces["timeslices"]] == [1, 1]  # 0.9 s apart
    said = infx(*words, "0s", "--format", "aiperf")
    assert said == refused(2, "--slice-duration: '0s' is no duration above 0; use 90s, 20m or 1h")
    said = infx(*words, "1s", "--format", "agentx-row")
    assert said == refused(
        2, "--slice-duration: only aiperf's files tell pieces of time; leave it out"
    )


def test_a_row_takes_facts(infx, imported, tmp_path):
    said = infx(
        "runs", "export", "latest", "--format", "agentx-row", "--out", "row", "--fact", *FACTS
    )
    assert (said.code, said.out) == (0, "row/agentx_row.json\n")
    row = json.loads((tmp_path / "row" / "agentx_row.json").read_text())
    assert (row["hw"], row["tp"], row["dp_attention"], row["disagg"]) == ("b200", 8, "false", False)
    assert row["request_metrics"]["throughput"]["per_gpu"]["output_tput_tps"] > 0


def test_a_row_asks_for_what_it_lacks(infx, imported):
    said = infx("runs", "export", "latest", "--format", "agentx-row", "--out", "row")
    assert said.code == 2
    assert len(said.verdict) == len(FACTS)
    assert all("state it with --fact KEY=VALUE" in line for line in said.verdict)


def test_facts_belong_to_a_row_and_have_a_key(infx, imported):
    words = ("runs", "export", "latest", "--out", "o", "--fact", "hw")
    said = infx(*words, "--format", "agentx-row")
    assert said == refused(2, "--fact: 'hw' states no fact; write it as hw=b200")
    said = infx(*words[:-1], "hw=b200", "--format", "aiperf")
    assert said == refused(2, "--fact: only rows of the benchmark take facts; leave it out")


def test_a_run_of_independent_requests_has_no_row(infx, tmp_path):
    play(tmp_path / "runs", Script(), concurrency=(1,))
    said = infx("runs", "export", "latest", "--format", "agentx-row", "--out", "row")
    assert said.code == 2
    assert "the point replays no sessions; export another one" in said.err


SERVER = ("hw=b200", "infmax_model_prefix=m", "framework=vllm", "precision=fp4")


def test_rows_of_fixed_lengths_go_out_and_in_again(infx, tmp_path):
    play(tmp_path / "runs", Script(), concurrency=(1, 2))
    words = ("runs", "export", "latest", "--format", "agg-bmk", "--out", "rows", "--fact")
    said = infx(*words, *SERVER, "is_multinode=false", "tp=1")
    assert (said.code, said.out, said.err) == (0, "rows/agg_bmk.json\n", "")
    told = json.loads((tmp_path / "rows" / "agg_bmk.json").read_text())
    assert [(row["conc"], row["hw"], row["image"]) for row in told] == [
        (1, "b200", None),
        (2, "b200", None),
    ]
    said = infx("runs", "import", "rows/agg_bmk.json", "--format", "agg-bmk", "--root", "again")
    assert said.code == 0


def test_rows_ask_for_what_they_lack(infx, tmp_path):
    play(tmp_path / "runs", Script(), concurrency=(1,))
    words = ("runs", "export", "latest", "--format", "agg-bmk", "--out", "rows", "--fact")
    said = infx(*words, *SERVER[1:], "is_multinode=true")
    assert said.code == 2
    assert [line.split(": ", 2)[2] for line in said.verdict] == [
        (
            "num_prefill_gpu and num_decode_gpu: no count of accelerators; "
            "state it with --fact KEY=VALUE"
        ),
        "hw: Field required; state it with --fact KEY=VALUE",
    ]
    assert not (tmp_path / "rows").exists()


def test_a_folder_without_a_run_is_refused(infx):
    said = infx("runs", "import", ".")
    assert said == refused(2, ".: no profile_export.jsonl in it; name the artifact folder")


ROW = {
    "hw": "b200", "infmax_model_prefix": "dsr1", "framework": "trt", "precision": "fp4",
    "isl": 8192, "osl": 1024, "conc": 64, "tp": 8, "tput_per_gpu": 100.0, "mean_ttft": 0.5,
    "median_ttft": 0.5,
}  # fmt: skip


def test_rows_of_a_public_sweep_are_imported(infx, tmp_path):
    (tmp_path / "agg_bmk.json").write_text(json.dumps([ROW]))
    said = infx("runs", "import", "agg_bmk.json", "--format", "agg-bmk")
    assert (said.code, said.err) == (0, "")
    rows = [line.split() for line in said.out.splitlines()]
    assert rows[2] == ["64", "-[1]", "500", "-[2]", "-[3]", "-[4]", "-[5]", "800"]
    assert rows[5] == ["64", *["-[6]"] * 7]
    assert "[6] what was imported does not say how many requests there were" in said.out
    assert "  requests-not-kept (concurrency 64): What was imported has figures" in said.out
    assert infx("runs", "verify", "latest").code == 0
    assert infx("compare", "latest", "latest").code == 0


def test_a_sweep_of_many_curves_is_not_drawn_here(infx, tmp_path):
    found = [{**ROW, "hw": name} for name in ("h100", "h200", "b200", "gb200", "mi355x")]
    (tmp_path / "agg_bmk.json").write_text(json.dumps(found))
    said = infx("runs", "import", "agg_bmk.json", "--format", "agg-bmk")
    assert "5 curves, too many to draw here: infx frontier runs/RUN" in said.out
    assert "mi355x · 64" in said.out
    assert said.out.count("●") == 0
    (tmp_path / "agg_bmk.json").write_text(json.dumps(found[:2]))
    said = infx("runs", "import", "agg_bmk.json", "--format", "agg-bmk")
    assert [line for line in said.out.splitlines() if line in ("h100", "h200")] == ["h100", "h200"]


def test_a_format_refuses_what_it_has_no_use_for(infx, tmp_path):
    (tmp_path / "agg_bmk.json").write_text(json.dumps([ROW]))
    words = ("runs", "import", "agg_bmk.json", "--format")
    said = infx(*words, "agg-bmk", "--gpus", "8", "--shape", "8k1k")
    assert (said.code, said.verdict) == (
        2,
        [
            "infx: --shape: agg-bmk has no use for it; leave it out",
            "infx: --gpus: agg-bmk has no use for it; leave it out",
        ],
    )
    said = infx(*words, "bench-serve", "--corpus", "c")
    assert said == refused(2, "--corpus: bench-serve has no use for it; leave it out")
    said = infx(*words, "bench-serve", "--shape", "8k2k")
    assert said.code == 2
