"""Two runs on the truth server's engine: equal ones are called equal, a slower one worse."""

import json
from dataclasses import replace

import pytest

from infx.flows.compare import compare_runs
from infx.flows.runs import open_run
from infx.model.comparison import Comparison
from infx.model.recipe import BoundRecipe
from infx.model.record import Slo
from infx.model.workload import FixedWorkload
from infx.servers.truth.script import EngineModel, Script
from playing import play

WORK = FixedWorkload(isl=64, osl=24)
ENGINE = EngineModel(slots=16, prefill_rate=4000.0, step_base_s=0.005, step_per_sequence_s=0.0004)


def measure(folder, *, slow=1.0, **more):
    """Run on an engine whose decode steps take `slow` times as long."""
    engine = replace(
        ENGINE,
        step_base_s=slow * ENGINE.step_base_s,
        step_per_sequence_s=slow * ENGINE.step_per_sequence_s,
    )
    settings = {"workload": WORK, "concurrency": (12,), **more}
    return play(folder, Script(engine=engine), **settings)[0].run


def words(comparison, metric=None):
    return {
        one.word
        for point in comparison.points
        for one in point.metrics
        if metric in (None, one.metric)
    }


def test_two_seeded_runs_of_one_server_show_no_difference(tmp_path):
    a, b = (measure(tmp_path / name, concurrency=(12, 16)) for name in "ab")
    found = compare_runs(a, b, assume_same_server=True)
    assert [point.concurrency for point in found.points] == [12, 16]
    assert words(found) == {"no detectable difference"}
    assert found.count("no detectable difference") == 14
    assert (found.a, found.b) == (a.manifest.run, b.manifest.run)
    assert Comparison.model_validate_json(found.model_dump_json()) == found


def test_servers_that_differ_by_a_hair_show_no_difference(tmp_path):
    """A thousandth more or less a step drives the queues of two runs apart, as real ones are."""
    runs = [measure(tmp_path / str(n), slow=1 + n / 1000) for n in range(8)]
    for a, b in zip(runs[::2], runs[1::2], strict=True):
        found = compare_runs(a, b, assume_same_server=True)
        assert words(found) == {"no detectable difference"}
        ratios = {one.metric: one.ratio for one in found.points[0].metrics}
        assert any(abs(ratio - 1) > 0.005 for ratio in ratios.values())


def test_a_tenth_slower_decode_is_worse(tmp_path):
    more = WORK.model_copy(update={"requests_per_lane": 30})
    a, b = (measure(tmp_path / str(slow), slow=slow, workload=more) for slow in (1.0, 1.1))
    found = compare_runs(a, b, assume_same_server=True)
    assert words(found, "tpot") == words(found, "output_throughput") == {"worse"}
    tpot = next(one for one in found.points[0].metrics if one.metric == "tpot")
    assert tpot.ratio == pytest.approx(1.1, rel=0.02)
    assert tpot.interval.low < tpot.ratio < tpot.interval.high
    back = compare_runs(b, a, assume_same_server=True)
    assert words(back, "tpot") == words(back, "output_throughput") == {"better"}


def test_repetitions_let_few_lanes_speak(tmp_path):
    alone = [measure(tmp_path / name, slow=s, concurrency=(4,)) for name, s in (("a", 1), ("b", 2))]
    found = compare_runs(*alone, assume_same_server=True)
    assert words(found) == {"not comparable"}
    reason = "4 lanes over no repetitions; 10 are needed, from lanes or repetitions"
    assert {one.reason for one in found.points[0].metrics} == {reason}
    again = [
        measure(tmp_path / name, slow=s, concurrency=(4,), repetitions=2)
        for name, s in (("c", 1), ("d", 2))
    ]
    found = compare_runs(*again, assume_same_server=True)
    assert words(found, "tpot") == {"worse"}
    assert found.points[0].a == (
        again[0].points[0].point_id, f"{again[0].points[0].point_id}-r1"
    )  # fmt: skip


def test_a_bare_endpoint_needs_someones_word_except_next_to_itself(tmp_path):
    a, b = (measure(tmp_path / name) for name in "ab")
    (point,) = compare_runs(a, b).points
    assert "vouch for it with --assume-same-server" in point.reason
    assert point.metrics == ()
    assert words(compare_runs(a, a)) == {"no detectable difference"}


def test_stated_recipes_need_none_and_simulated_is_not_measured(tmp_path):
    recipe = BoundRecipe(name="truth", engine="truth")
    a, b = (measure(tmp_path / name, recipe=recipe) for name in "ab")
    assert words(compare_runs(a, b)) == {"no detectable difference"}
    made_up = measure(tmp_path / "c", recipe=recipe, simulated=True)
    (point,) = compare_runs(a, made_up).points
    assert point.reason == "one run is simulated, the other one measured a server"


def test_targets_bring_goodput_in(tmp_path):
    a = measure(tmp_path / "a", slo=Slo(ttft=1.0))
    b = measure(tmp_path / "b", slow=1.3, slo=Slo(ttft=1.0))
    found = compare_runs(a, b, assume_same_server=True)
    assert words(found, "goodput") == {"worse"}


def test_what_a_reader_should_know_is_noted(tmp_path):
    a, b = (measure(tmp_path / name) for name in "ab")
    path = b.bundle.path / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["state"] = "interrupted"
    manifest["host"]["cpu_model"] = "another"
    manifest["versions"]["infx"] = "0.0.1"
    path.write_text(json.dumps(manifest))
    (b.bundle.path / "points" / b.points[0].directory / "summary.json").unlink()
    found = compare_runs(a, open_run(b.bundle.path), assume_same_server=True)
    cpu, version = a.manifest.host["cpu_model"], a.manifest.versions["infx"]
    assert found.notes == (
        "B is interrupted",
        "B began 1 points that have no summary",
        f"the clients' hosts differ: cpu_model is {cpu} and another",
        f"A was measured by infx {version}, B by infx 0.0.1",
    )
    assert found.points[0].reason == "B has no point at concurrency 12"
