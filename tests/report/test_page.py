"""The page of a run says everything, keeps out foreign markup and names no other origin."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files

import pytest

import replayed
from infx.flows.curves import series_of
from infx.model.result import Absent, Interval, MetricValue, ServerMetrics
from infx.model.traits import curve_traits
from infx.report.content import ReportedPoint
from infx.report.page import render

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">\u2028{{7*7}}"
BUDGET = 700_000


def data_of(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text[1])


def text_of(page):
    """Return what a reader sees, scripts and styles aside."""
    bare = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", bare))


def test_the_headline_says_what_was_measured_when_and_where(demo):
    text = text_of(render(demo()))
    for part in (
        "HuggingFaceTB/SmolLM2-135M-Instruct on llama.cpp",
        "102–128 tokens in, 51–64 tokens out, at concurrency 1, 2, 4, 8",
        "2026-09-14 10:11 UTC · took 88.0 s · on AMD EPYC 7B13 · 2 cores",
        "✓ Certified",
        "150 ok of 150 issued",
    ):
        assert part in text


def test_points_of_an_open_loop_go_by_their_rate(demo):
    report = demo((1, 2))
    points = tuple(
        replace(point, summary=point.summary.model_copy(update={"rate": rate}))
        for point, rate in zip(report.points, (0.5, 4.0), strict=True)
    )
    page = render(replace(report, points=points))
    text = text_of(page)
    assert "51–64 tokens out, at rate 0.5/s, 4/s" in text
    assert "All metrics: rate 4/s" in text
    assert '<th scope="row">0.5/s</th>' in page
    assert {panel["load"] for panel in data_of(page)["distributions"]} == {"rate"}


def test_a_run_that_is_not_certified_says_why(demo):
    report = demo()
    against = {"certified": False, "reasons": ("input-drift",)}
    points = tuple(point.model_copy(update=against) for point in report.result.points)
    result = report.result.model_copy(update={**against, "points": points})
    text = text_of(render(replace(report, result=result)))
    assert "✗ Not certified" in text
    some = result.model_copy(update={"points": (*points[:-1], report.result.points[-1])})
    shown = tuple(replace(p, summary=s) for p, s in zip(report.points, some.points, strict=True))
    page = text_of(render(replace(report, result=some, points=shown)))
    assert f"1 of {len(points)} points certified" in page
    assert "input-drift (concurrency 1, 2, 4) Some prompts differ from the asked length" in page
    assert "input-drift Some prompts differ from the asked length" in text
    assert "✓ Certified" not in text


def test_simulated_and_unfinished_runs_carry_a_banner(demo):
    assert "Simulated: no server was measured." in text_of(render(demo(simulated=True)))
    report = demo()
    update = {"state": "failed", "failure": "the server died"}
    failed = replace(report, manifest=report.manifest.model_copy(update=update))
    assert "This run is failed: the server died." in text_of(render(failed))
    assert "Simulated" not in text_of(render(report))


def test_every_end_state_is_counted_and_failures_are_named(demo):
    text = text_of(render(demo(troubled=8)))
    # 80 requests: numbers 7, 30, 53 and 76 fail, the last one is lost.
    assert "8 80 75 4 0 0 0 1 none connection-reset (4)" in text


def test_a_missing_metric_shows_its_reason_and_never_a_zero(demo):
    report = demo((1, 2))
    summary = report.points[0].summary
    metrics = {**summary.metrics, "ttft": Absent(reason="no ok request delivered content")}
    point = replace(report.points[0], summary=summary.model_copy(update={"metrics": metrics}))
    page = render(replace(report, points=(point, report.points[1])))
    row = re.search(r'<th scope="row">1</th>.*?</tr>', page, re.DOTALL)[0]
    assert row.count('class="absent"') == 2
    assert ">0<" not in row
    assert '<li id="why-1"><b>1</b> no ok request delivered content</li>' in page
    card = data_of(page)["curves"]["cards"][point.key]["rows"]
    assert ["TTFT p50", "none: no ok request delivered content"] in card


def test_all_points_of_every_curve_are_in_the_data_with_their_frontier(demo):
    report = demo()
    (series,) = data_of(render(report))["curves"]["series"]
    curves = series["curves"]
    assert series["name"] == ""
    assert len(curves) == len(report.series[0].curves) == 8
    ttft = next(c for c in curves if c["x"]["choice"] == "TTFT p50")
    assert ttft["x"]["label"] == "TTFT p50 (ms)"
    given = next(c for c in report.series[0].curves if c.x_metric == "ttft")
    assert [p["x"] for p in ttft["points"]] == [p.x * 1000 for p in given.points]
    assert {p["label"]: p["frontier"] for p in ttft["points"]} == {
        "1": True,
        "2": True,
        "4": False,
        "8": True,
    }


def test_a_point_that_is_not_drawn_is_listed_with_its_reason(demo):
    report = demo((1, 2))
    (series,) = report.series
    curve = series.curves[0].model_copy(
        update={"missing": {report.points[1].key: "e2el: nothing was ok", "f" * 64: "gone"}}
    )
    data = data_of(render(replace(report, series=(replace(series, curves=(curve,)),))))
    assert data["curves"]["series"][0]["curves"][0]["missing"] == [
        "concurrency 2: e2el: nothing was ok",
        "point ffffffffffff: gone",
    ]


def test_the_environment_is_complete(demo):
    report = demo()
    text = text_of(render(report))
    file = report.points[2].file
    for part in (
        "infx bench http://127.0.0.1:18080 --concurrency 1,2,4,8",
        "cpu_model AMD EPYC 7B13",
        "cpu_governor not stated",
        "python 3.11.9",
        "seed 7",
        "flags.cont-batching yes",
        "environment.OMP_NUM_THREADS 2",
        "python -m infx.servers.llamacpp --port 18080 --parallel 8",
        file.recipe_digest,
        file.workload_digest,
        file.point_id,
        file.plan_digest,
    ):
        assert part in text, part


def test_foreign_text_stays_text(demo):
    page = render(demo((1, 2), model=HOSTILE))
    assert "<img" not in page
    assert "&lt;img src=x onerror=" in page
    scripts = re.findall(r"<script\b[^>]*>", page)
    assert scripts == ['<script type="application/json" id="data">', *["<script>"] * 3]
    assert "\u2028" not in re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]


def test_only_the_hashed_scripts_and_style_may_run(demo):
    page = render(demo((1,)))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"\b(https?:|data:|\*)", policy)
    body = re.sub(r"<script\b.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r'\b(src|href)="(?!#)', body)


def test_a_run_without_points_still_has_a_page(demo):
    report = demo((1,))
    result = report.result.model_copy(update={"points": (), "certified": False})
    text = text_of(render(replace(report, result=result, points=(), series=())))
    assert "Nothing was measured." in text
    assert "no point has TTFT" in text


@pytest.mark.parametrize("lanes", [(1, 2, 4, 8), (1, 2, 4, 8, 16, 32, 64, 128)])
def test_the_page_stays_small(demo, lanes):
    assert len(render(demo(lanes, per_lane=20)).encode()) < BUDGET


def test_the_readme_of_the_assets_names_their_sha256():
    assets = files("infx.report") / "assets"
    readme = (assets / "README.md").read_text()
    for name in ("d3.min.js", "plot.umd.min.js"):
        digest = sha256((assets / name).read_bytes()).hexdigest()
        assert re.search(rf"`{re.escape(name)}`.*`{digest}`", readme)


def test_intervals_stand_with_their_figures(demo):
    report = demo((1, 16))
    page = render(report)
    text = text_of(page)
    assert "±: 95 % interval by chance within the measurement" in text
    assert "at concurrency 16, n 160, 95 % interval " in text
    assert "at concurrency 1, n 10, no interval" in text
    assert re.search(r">\d+ ±\d", page)
    one, many = data_of(page)["curves"]["series"][0]["curves"][0]["points"]
    assert (one["xs"], one["ys"]) == (None, None)
    assert many["xs"][0] < many["x"] < many["xs"][1]
    assert many["ys"][0] < many["y"] < many["ys"][1]
    assert " ±" in many["shown"][0]
    details = re.findall(r"<details>.*?</details>", page, re.DOTALL)
    assert "one lane" not in details[1]
    assert re.search(r"mean [\d.]+–[\d.]+, p50 [\d.]+–[\d.]+", details[1])
    assert "10 requests give 4 blocks of 3; 10 are needed" in details[0]


def test_an_interval_of_replays_alone_is_explained_in_a_mixed_run(demo):
    """p90 of E2EL is a column of replays, and of no other points."""
    report = mixed(demo((1,)))
    *others, last = report.points
    within = Interval(low=9.0, high=11.0, level=0.95, method="lanes", units=16)
    e2el = last.summary.metrics["e2el"].model_copy(update={"intervals": {"p90": within}})
    metrics = {**last.summary.metrics, "e2el": e2el}
    sure = replace(last, summary=last.summary.model_copy(update={"metrics": metrics}))
    text = text_of(render(replace(report, points=(*others, sure))))
    assert "10.0 ±1.0" in text
    assert "±: 95 % interval by chance within the measurement" in text


def test_a_run_without_intervals_does_not_explain_them(demo):
    assert "±" not in text_of(render(demo((1,))))


def test_the_steady_state_stands_beside_the_whole(demo):
    text = text_of(render(demo((1, 4), per_lane=20)))
    assert "Steady state, from the first to the last moment with 90 % of peak in flight" in text
    assert "requests lie wholly inside the window; 10 are needed" not in text
    few = text_of(render(demo((1,), per_lane=5)))
    assert "5 ok requests lie wholly inside the window; 10 are needed" in few


def replays_only(whole):
    """Return a report of one replayed point in the place of another report's."""
    summary = replayed.summary()
    result = whole.result.model_copy(update={"points": (summary,)})
    point = ReportedPoint(replayed.POINT, summary, (), {})
    return replace(whole, points=(point,), result=result, series=series_of(result))


def mixed(whole):
    """Return a report with the replayed point behind those of another one."""
    (own,) = replays_only(whole).points
    key = {"benchmark_type": "agentic_traces"}
    told = own.summary.model_copy(update={"curve_key": key, "traits": curve_traits(key)})
    own = replace(own, summary=told)
    points = (*whole.result.points, told)
    result = whole.result.model_copy(
        update={"points": points, "certified": False, "reasons": ("aborted",)}
    )
    return replace(whole, points=(*whole.points, own), result=result, series=series_of(result))


def test_a_replay_says_what_was_replayed_and_what_became_of_it(demo):
    page = render(replays_only(demo((1,))))
    asked = "recorded agent sessions, for 1,000 s, under the rule full, at concurrency 1"
    assert asked in page
    assert "Sessions and coverage" in page
    assert "Highest p90 interactivity" in page
    assert "Lowest p90 TTFT of a turn" in page
    # 900 of 1000 tokens were cached, and nine of ten blocks could have been.
    assert "Served prefix hit 90.0 % at concurrency 1; in theory 90.0 %" in text_of(page)
    assert "90 % of sessions live" in page
    # By the benchmark's own rules: 100 times 0.1 s, and 1,100 tokens every 10 s on 8 accelerators.
    assert "By the rules of AgentX (agentx-v1): concurrency 1" in page
    assert "ttft s 0.100 0.100 0.100 0.100 0.100 0" in text_of(page)
    assert "total throughput per GPU tok/s/gpu 13.8 – – – – –" in text_of(page)
    assert "Sessions and coverage" not in render(demo((1,)))


def test_a_mixed_run_says_of_each_workload_what_is_its_own(demo):
    page = render(mixed(demo((1, 2))))
    text = text_of(page)
    assert "Single-turn requests: 102–128 tokens in, 51–64 tokens out, at concurrency 1, 2" in text
    assert "Agentic replay: recorded agent sessions, for 1,000 s" in text
    assert "30 ok of 30 issued" in text
    assert "100 ok of 100 issued" in text
    rows = re.findall(r'<th scope="row">([^<]*)</th>', page)
    assert rows[:3] == ["128/64 · 1", "128/64 · 2", "agentic · 1"]
    assert len(set(rows[:3])) == 3
    assert "Latency and throughput, single-turn requests" in text
    assert "Latency and throughput, agentic replay" in text
    assert "All metrics: agentic at concurrency 1" in text
    data = data_of(page)
    assert [one["name"] for one in data["curves"]["series"]] == ["128/64", "agentic"]
    assert [len(one["curves"][0]["points"]) for one in data["curves"]["series"]] == [2, 1]
    assert all(not one["curves"][0]["missing"] for one in data["curves"]["series"])
    assert [line["label"] for line in data["timelines"]] == rows[:3]


def test_what_the_server_counted_stands_with_its_reasons(demo):
    whole = replays_only(demo((1,)))
    told = ServerMetrics(
        dialect="vllm",
        window_s=10.0,
        before_s=0.1,
        after_s=0.1,
        pages=10,
        metrics={
            "kv_usage_peak": MetricValue(unit="share", n=10, mean=0.875),
            "waiting": MetricValue(unit="requests", n=10, mean=1.5),
        },
    )
    (point,) = whole.points
    silent = point.summary.model_copy(
        update={"server": Absent(reason="the page came with status 404"), "repetition": 1}
    )
    spoke = replace(point, summary=point.summary.model_copy(update={"server": told}))
    text = text_of(render(replace(whole, points=(spoke, replace(point, summary=silent)))))
    assert "waiting (requests) KV usage peak (%)" in text
    assert "1 vllm 10 1.50 87.5" in text
    assert "1 the page came with status 404" in text
    assert "What the server counted" not in text_of(render(whole))


def test_no_two_notes_have_one_id(demo):
    page = render(mixed(demo((1, 2))))
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_a_title_names_a_few_engines_and_counts_many(demo):
    report = demo((1, 2, 4, 8))
    engines = ("vllm", "sglang", "trt", "atom")
    points = tuple(
        replace(
            one,
            file=one.file.model_copy(
                update={"recipe": one.file.recipe.model_copy(update={"engine": engine})}
            ),
        )
        for one, engine in zip(report.points, engines, strict=True)
    )
    some = render(replace(report, points=points[:2]))
    assert "SmolLM2-135M-Instruct on vllm, sglang</h1>" in some
    assert "SmolLM2-135M-Instruct on 4 engines</h1>" in render(replace(report, points=points))
