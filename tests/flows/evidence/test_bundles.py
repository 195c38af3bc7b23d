"""Run bundles as facts: which points count, what they came to, what their server said."""

import json
from datetime import date

import pytest

import bundled
import gitted
import submitted
from factual import judgements
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.pages import has_kv_metrics
from infx.flows.evidence.parts import Given
from infx.model.scrape import Change, Miss, Page
from infx.model.workload import FixedWorkload
from infx.servers.truth.fault import Fault
from infx.servers.truth.script import Script
from playing import play
from refusals import refusal
from replaying import replay
from submitted import MUSE, SMOL

ASKED = FixedWorkload(isl=64, osl=32)
LANES = (1, 2, 4, 8)


@pytest.fixture
def repo(tmp_path):
    repo = submitted.repository(tmp_path / "repo")
    recipe = "recipes/smollm2/cpu/llamacpp.yaml"
    repo.commit(submitted.edited(recipe, ("ctx-size: 4096", "ctx-size: 8192")))
    return repo


def gathered(repo, *runs):
    ask = Ask(base="main", folder=repo.root)
    given = Given(ask=ask, day=date(2026, 10, 19), measured="HEAD", runs=tuple(map(str, runs)))
    return collect(given, gitted.ENVIRONMENT)


def measured(root, script=None, **more):
    """Measure a scripted server in virtual time, and return the bundle's folder."""
    script = script or Script()
    outcome, _, _ = play(root, script, **{"workload": ASKED, "concurrency": LANES, **more})
    return outcome.run.bundle.path


def test_a_bundle_of_the_entrys_points_says_all_of_them(repo, tmp_path):
    found = gathered(repo, measured(tmp_path / "runs"))
    facts = found.submission
    assert found.said == ()
    assert [one.concurrency for one in facts.measurements] == list(LANES)
    one = facts.measurements[1]
    # 10 requests a lane on 2 lanes
    assert (one.counts.issued, one.counts.ok, one.certified, one.reasons) == (20, 20, True, ())
    assert one.acceptance is None
    assert one.why_no_acceptance == "no counters of speculative decoding were read"
    assert one.observed is None
    for work, point in zip(facts.workloads, facts.measurements, strict=True):
        assert work.cite.value == point.workload_digest
        assert {name: work.facts[name] for name in work.required} == work.required
    assert [(one.kept, one.empty + one.repeated + one.unreadable) for one in facts.outputs] == [
        (8, 0), (8, 0), (8, 0), (8, 0),
    ]  # fmt: skip
    (curve,) = facts.curves
    # Latency is scripted and throughput grows with the lanes, so the most lanes beat all others.
    assert (curve.key, curve.frontier, curve.invalid) == ("smollm2 64_32 cpu_llamacpp q4", (8,), ())
    assert [job.conclusion for job in facts.runs[0].jobs] == ["success"] * 4
    assert facts.runs[0].altered == ()
    assert judgements(facts) == []


def test_a_replay_is_of_the_agentic_point_with_its_lanes(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    bundle = replay(tmp_path / "runs", lanes=2, max_context=40_000).outcome.run.bundle.path
    found = gathered(repo, bundle, replay(tmp_path / "more", lanes=3).outcome.run.bundle.path)
    assert [str(one).partition(": ")[2] for one in found.said] == [
        f"{MUSE} asks for no such points, and they count for nothing: agentic c3"
    ]
    facts = found.submission
    (work,) = facts.workloads
    assert (work.facts["rule"], work.required["rule"]) == ("custom", "full")
    assert (work.facts["duration_s"], work.required["duration_s"]) == (60.0, 3600.0)
    assert (work.facts["max_context"], work.required["max_context"]) == (40_000, None)
    assert (work.required["seed"], work.required["window"]) == (42, [0.25, 0.75])
    assert not {"tokenizer", "api", "extra_body"} & work.required.keys()
    assert work.required["corpus"] != work.facts["corpus"]
    # Curves of sessions are read at P90, and P75 is reported beside it.
    assert [(one.percentile, one.measured, one.invalid) for one in facts.curves] == [
        ("p90", 1, ()), ("p75", 1, ()),
    ]  # fmt: skip
    assert facts.outputs[0].kept > 0
    assert judgements(facts) == []


def test_what_the_entry_does_not_ask_for_counts_for_nothing(repo, tmp_path):
    bundle = measured(tmp_path / "runs", concurrency=(1, 3))
    found = gathered(repo, bundle)
    assert [str(one) for one in found.said] == [
        f"{bundle}: {SMOL} asks for no such points, and they count for nothing: fixed c3"
    ]
    assert [one.concurrency for one in found.submission.workloads] == [1]
    assert found.submission.curves[0].measured == 1
    assert [job.concurrency for job in found.submission.runs[0].jobs] == [(1,)]


def test_of_several_lengths_each_point_is_of_its_own(repo, tmp_path):
    more = "\n      - isl: 128\n        osl: 32\n        search-space:"
    row = "\n          - {conc-start: 1, conc-end: 8, srt-recipe: llamacpp.yaml}"
    edit = (f"search-space:{row}", f"search-space:{row}{more}{row}")
    repo.commit(submitted.edited("laptop-master.yaml", edit))
    long, odd = (ASKED.model_copy(update={"isl": isl}) for isl in (128, 100))
    runs = [measured(tmp_path / "a"), measured(tmp_path / "b", workload=long)]
    odd = measured(tmp_path / "c", workload=odd, concurrency=(2,))
    found = gathered(repo, *(f"{SMOL}={one}" for one in (*runs, odd)))
    assert {one.key for one in found.submission.curves} == {
        "smollm2 64_32 cpu_llamacpp q4", "smollm2 128_32 cpu_llamacpp q4",
    }  # fmt: skip
    assert [one.required["isl"] for one in found.submission.workloads] == [64] * 4 + [128] * 4
    assert len(found.said) == 1


def test_a_shorter_run_is_told_beside_what_is_required(repo, tmp_path):
    short = ASKED.model_copy(update={"requests": 8})
    bundle = measured(tmp_path / "runs", workload=short, concurrency=(1,))
    (one,) = gathered(repo, bundle).submission.workloads
    assert (one.facts["requests"], one.required["requests"]) == (8, None)


def test_a_point_whose_requests_broke_says_so(repo, tmp_path):
    script = Script(faults=(Fault("refuse", "500", share=0.5),), fault_seed=1)
    bundle = measured(tmp_path / "runs", script, concurrency=(4,))
    facts = gathered(repo, bundle).submission
    (one,) = facts.measurements
    assert one.counts.error > 0
    assert one.reasons == ("error-rate",)
    assert [job.conclusion for job in facts.runs[0].jobs] == ["success"]  # it came to its end
    assert facts.clients[0].reasons == ("error-rate",)


def test_what_the_server_said_is_kept_with_its_line(repo, tmp_path):
    bundle = bundled.finished(tmp_path / "runs", 1)
    said = {"llamacpp": {"quantisation": {"value": "Q4_1", "line": 7, "text": " file type = Q4_1"}}}
    (point,) = (bundle / "points").iterdir()
    (point / "observed.json").write_text(json.dumps(said))
    facts = gathered(repo, bundle).submission
    ((observed,),) = [one.observed for one in facts.measurements]
    assert (observed.name, observed.value) == ("llamacpp.quantisation", "Q4_1")
    assert observed.cite.path == "run 20270115T080000Z-abc123 server/llamacpp.log"
    assert (observed.cite.line, observed.cite.value) == (7, "file type = Q4_1")


def test_what_was_changed_after_the_run_is_told(repo, tmp_path):
    bundle = measured(tmp_path / "runs", concurrency=(1,))
    (point,) = (bundle / "points").iterdir()
    with (point / "summary.json").open("ab") as file:
        file.write(b"\n")
    (one,) = gathered(repo, bundle).submission.runs
    assert [(place.path, place.value) for place in one.altered] == [
        (
            f"run {bundle.name} points/{point.name}/summary.json",
            "the file was changed: its sha256 differs",
        )
    ]
    bundled.reseal(bundle)
    assert gathered(repo, bundle).submission.runs[0].altered == ()


def test_a_link_in_a_bundle_is_refused(repo, tmp_path):
    bundle = bundled.finished(tmp_path / "runs", 1)
    (tmp_path / "secret").write_text("mine")
    (bundle / "server" / "agg.log").symlink_to(tmp_path / "secret")
    said = refusal(lambda: gathered(repo, bundle))
    remedy = "give the bundle as its client wrote it"
    assert said == f"{bundle}/server/agg.log: this is a link, not a file; {remedy}"


def test_what_another_client_did_not_count_is_not_zero(repo, tmp_path):
    bundle = bundled.finished(tmp_path / "runs", 1)
    (point,) = (bundle / "points").iterdir()
    summary = json.loads((point / "summary.json").read_text())
    summary["counts"] = {"reason": "what was imported does not say it"}
    (point / "summary.json").write_text(json.dumps(summary))
    facts = gathered(repo, bundle).submission
    assert facts.measurements[0].counts is None
    assert (facts.clients[0].chat_requests, facts.clients[0].completions) == (None, None)


def test_what_the_client_started_is_kept(repo, tmp_path):
    bundle = bundled.finished(tmp_path / "runs", 1)
    (point,) = (bundle / "points").iterdir()
    assert gathered(repo, bundle).submission.measurements[0].launched is None
    record = json.loads((point / "point.json").read_text())
    record["launch"] = {"engine": "llamacpp", "processes": [], "endpoint": record["endpoint"]}
    record["recipe"].update(flags={"ctx-size": 8192, "cont": True}, environment={"A": "1"})
    (point / "point.json").write_text(json.dumps(record))
    (one,) = gathered(repo, bundle).submission.measurements
    assert [(each.name, each.value) for each in one.launched] == [
        ("ctx-size", "8192"), ("cont", "true"), ("A", "1"),
    ]  # fmt: skip
    assert one.launched[0].cite.path.endswith(f"points/{point.name}/point.json")


def test_the_log_of_a_bundles_server_is_read_and_kept(repo, tmp_path):
    bundle = bundled.finished(tmp_path / "runs", 1)
    (bundle / "server" / "server.log").write_text("SGLANG_SIMULATE_ACC_LEN=4.05\nready\n")
    found = gathered(repo, bundle)
    kept = "runs/20270115T080000Z-abc123/server/server.log"
    assert kept in found.files
    rows = {one.concurrency: one.observed for one in found.submission.acceptance}
    assert [one.cite.path for one in rows[(1,)]] == [kept]
    assert rows[(2, 4, 8)] is None


def test_a_bundle_without_its_journal_kept_no_answer(repo, tmp_path):
    bundle = bundled.finished(tmp_path / "runs", 1)
    (point,) = (bundle / "points").iterdir()
    (point / "requests.jsonl.zst").write_bytes(b"no frame")
    assert "requests.jsonl.zst" in refusal(lambda: gathered(repo, bundle))
    (point / "requests.jsonl.zst").unlink()
    assert gathered(repo, bundle).submission.outputs[0].kept == 0


PAGE = '# TYPE trtllm_kv_cache_utilization gauge\ntrtllm_kv_cache_utilization{a="b"} %s\nup 1\n'


@pytest.mark.parametrize(
    ("scrapes", "said"),
    [
        ([], None),
        ([Miss("u", 0, 1, "unreached")], None),
        ([Page("u", 0, 1, PAGE % "0.25")], True),
        ([Page("u", 0, 1, PAGE % "0.0")], False),
        ([Page("u", 0, 1, PAGE % "NaN")], False),
        ([Page("u", 0, 1, "up 1\n")], False),
        ([Page("u", 0, 1, PAGE % "0.0"), Change("u", 2, 3, ((1, "0.5"),))], True),
        ([Page("u", 0, 1, PAGE % "0.0"), Change("u", 2, 3, ((2, "0.5"),))], False),
        ([Page("u", 0, 1, "dynamo_component_kvstats_active_blocks 3\n")], True),
    ],
)
def test_pages_show_series_of_the_cache_or_not(scrapes, said):
    assert has_kv_metrics([Pages("a", scrapes)], "a") is said
    assert has_kv_metrics([Pages("b", scrapes)], "a") is None


class Pages:
    """A bundle with one point and its pages."""

    def __init__(self, key, scrapes):
        self.config = self.run = self.bundle = self
        self.key, self.points, self.file = key, (self,), self
        self._scrapes = scrapes

    def scrapes(self, _):
        return iter(self._scrapes)
