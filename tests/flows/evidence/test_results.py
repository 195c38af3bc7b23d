"""Figures, scores and clients: from artifacts of public runs, and from bundles of our own."""

import json
from datetime import date

import bundled
import gitted
import submitted
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given
from refusals import refusal
from submitted import MUSE, RUN, SMOL


def facts(repo, **more):
    ask = Ask(base="main", folder=repo.root)
    given = Given(ask=ask, day=date(2026, 10, 19), **more)
    return collect(given, gitted.ENVIRONMENT).submission


def test_artifacts_become_curves_evals_and_clients(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    folder = submitted.artifacts(tmp_path, submitted.agentic_rows(), [submitted.eval_row()])
    found = facts(repo, measured="HEAD", artifacts=(str(folder),))
    assert [(one.percentile, one.measured) for one in found.curves] == [("p90", 12), ("p75", 12)]
    assert found.curves[0].frontier == (1, 2, 4, 6, 8, 10, 12, 16, 20, 28, 32)
    assert found.curves[0].configs == (MUSE,)
    assert found.curves[0].gaps == ()
    assert (found.curves[0].reach, found.curves[0].reach_of) == (None, ())
    assert "no other curve of musespark agentic-coding" in found.curves[0].why_no_reach
    (score,) = found.evals
    assert (score.run, score.score, score.samples, score.split) == (RUN, 0.9803, 1319, 1319)
    assert (str(score.floor), score.floor_of) == ("0.90", "default gsm8k")
    assert (score.config, score.concurrency, score.cite.line) == (MUSE, (32,), 2)
    (client,) = found.clients
    assert (client.foreign, client.certified, client.chat_requests) == (True, None, None)


def test_figures_that_are_none_are_told_as_no_evidence(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    rows = submitted.agentic_rows()
    rows[0]["request_metrics"]["latency"]["e2el"]["p90"] = -1.0
    rows[1]["request_metrics"]["throughput"] = {}
    found = facts(repo, artifacts=(str(submitted.artifacts(tmp_path, rows)),))
    assert [one.invalid for one in found.curves] == [(1, 2), (2,)]


def test_a_score_that_is_no_number_is_its_text(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    scores = json.dumps([submitted.eval_row(score=float("nan"), score_se="N/A", n_eff=200)])
    folder = submitted.artifacts(tmp_path, [], scores)
    (score,) = facts(repo, artifacts=(str(folder),)).evals
    assert (score.score, score.score_se, score.samples) == ("NaN", None, 200)


def test_rows_of_other_entries_are_passed_over(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    others = [
        {**submitted.agentx_row(4, p90=1.0, p75=1.0, per_gpu=1.0), **change}
        for change in ({"hw": "b200"}, {"precision": "fp8"}, {"framework": "vllm"}, {"conc": 5})
    ]
    found = facts(repo, artifacts=(str(submitted.artifacts(tmp_path, others)),))
    assert (found.curves, found.clients) == ((), ())


def test_curves_of_other_entries_tell_how_far_a_frontier_should_reach(tmp_path):
    """Own P90 frontiers end at 20 s; another engine's goes from 2 s to 100 s.

    4 s is the first own point, twice 2 s: no gap before it. 100 s is five times 20 s: a gap after.
    """
    repo = submitted.smaller_cache(tmp_path / "repo")
    own = [
        submitted.agentx_row(c, p90=x, p75=x / 2, per_gpu=y)
        for c, x, y in ((4, 4.0, 10.0), (8, 8.0, 20.0), (16, 15.0, 30.0), (20, 20.0, 40.0))
    ]
    others = [
        {**submitted.agentx_row(c, p90=x, p75=x / 2, per_gpu=y), "framework": "vllm"}
        for c, x, y in ((1, 2.0, 5.0), (64, 100.0, 60.0), (5, 60.0, 1.0))
    ]
    found = facts(repo, artifacts=(str(submitted.artifacts(tmp_path, own + others)),))
    (p90, p75) = found.curves
    assert p90.configs == (MUSE,)
    assert p90.reach == (2.0, 100.0)
    assert p90.reach_of == ("musespark agentic-coding gb200_vllm fp4",)
    assert p90.why_no_reach is None
    assert [(gap.place, gap.start, gap.end, gap.ratio) for gap in p90.gaps] == [
        ("after", 20.0, 100.0, 5.0)
    ]
    assert p75.reach == (1.0, 50.0)


def test_all_bad_rows_are_named_at_their_lines(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    rows = [{**submitted.agentic_rows()[0], "conc": "1"}, {"hw": "b200"}]
    folder = submitted.artifacts(tmp_path, rows)
    said = refusal(lambda: facts(repo, artifacts=(str(folder),)))
    assert "agg_bmk.json:5: 0.conc" in said
    assert len([line for line in said.splitlines() if "agg_bmk.json" in line]) >= 3


def test_a_bundle_tells_its_client_workload_and_run(tmp_path):
    repo = submitted.repository(tmp_path / "repo")
    edit = ("conc-end: 8, srt-recipe: llamacpp.yaml", "conc-end: 16, srt-recipe: llamacpp.yaml")
    repo.commit(submitted.edited("laptop-master.yaml", edit))
    bundle = bundled.finished(tmp_path / "runs", 1, 16)
    found = facts(repo, measured="HEAD", runs=(str(bundle),))
    (run,) = found.runs
    assert (run.id, run.event, run.head) == (20270115080000, "local", found.head)
    assert [(job.concurrency, job.conclusion) for job in run.jobs] == [
        ((1,), "success"), ((16,), "success"),
    ]  # fmt: skip
    (client,) = found.clients
    assert (client.tool, client.foreign, client.certified) == ("infx 0.1.0", False, True)
    assert (client.endpoint, client.chat_requests, client.completions) == (
        "/v1/chat/completions", 6, 0,
    )  # fmt: skip
    one = found.workloads[0]
    assert (one.facts["isl"], one.facts["osl"]) == (64, 16)
    assert (one.required["isl"], one.required["osl"]) == (64, 32)
    (curve,) = found.curves
    assert (curve.percentile, curve.measured, curve.invalid) == ("p50", 2, (1, 16))


def test_several_entries_ask_whose_bundle_it_is(tmp_path):
    repo = submitted.smaller_cache(tmp_path / "repo")
    repo.commit(submitted.edited("laptop-master.yaml", ("osl: 32", "osl: 16")))
    bundle = bundled.finished(tmp_path / "runs", 1)
    said = refusal(lambda: facts(repo, runs=(str(bundle), f"muse={bundle}")))
    assert "nobody says which entry it measured; write ENTRY=FOLDER" in said
    assert "no affected entry 'muse'" in said
    assert len(facts(repo, runs=(f"{SMOL}={bundle}",)).clients) == 1


def test_another_run_of_a_point_makes_no_curve_denser(tmp_path):
    repo = submitted.repository(tmp_path / "repo")
    edit = ("conc-end: 8, srt-recipe: llamacpp.yaml", "conc-end: 16, srt-recipe: llamacpp.yaml")
    repo.commit(submitted.edited("laptop-master.yaml", edit))
    runs = (
        str(bundled.finished(tmp_path / "one", 1, 8)),
        str(bundled.finished(tmp_path / "two", 1)),
    )
    (curve,) = facts(repo, runs=runs).curves
    assert curve.measured == 2
