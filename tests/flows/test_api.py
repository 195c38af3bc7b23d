"""infx.bench and infx.open_run: what a script or a notebook relies on."""

import asyncio
from pathlib import Path

import pytest

import infx
from infx.errors import InputError, MachineError
from infx.flows.runs import Run, list_runs, verify_run
from infx.launch.local import free_port
from infx.load.progress import Progress
from infx.model.record import Slo
from infx.model.result import MetricValue
from infx.model.workload import Arrival, FixedWorkload
from infx.servers.truth.log import Sent
from infx.servers.truth.script import Script
from served import truth_server

QUICK = Script(ttft_s=0.0, itl_s=0.0)
SMALL = FixedWorkload(isl=32, osl=4, range_ratio=1.0)


def test_bench_gives_the_run_of_a_whole_bundle(tmp_path: Path) -> None:
    log: list[Sent] = []
    told: list[Progress] = []
    with truth_server(QUICK, log) as url:
        run = infx.bench(
            url,
            workload=SMALL,
            concurrency=[1, 2],
            out=tmp_path,
            gpus=2,
            slo=Slo(ttft=60),
            on_progress=told.append,
        )
    assert run.manifest.state == "finished"
    assert [point.concurrency for point in run.result.points] == [1, 2]
    assert [point.counts.ok for point in run.result.points] == [10, 20]
    assert isinstance(run.result.points[0].metrics["goodput_per_gpu"], MetricValue)
    assert verify_run(run.bundle.path) == ()
    assert told[-1].done == 20
    assert sum(row.stream is True for row in log) == 2 + 10 + 4 + 20


def test_one_concurrency_is_a_number_and_a_shape_a_word(tmp_path: Path) -> None:
    with truth_server(QUICK) as url:
        run = infx.bench(url, shape="64x4", concurrency=3, out=str(tmp_path))
    assert [point.concurrency for point in run.points] == [3]
    assert (run.points[0].workload.isl, run.points[0].workload.osl) == (64, 4)


def test_a_rate_is_a_number_or_several(tmp_path: Path) -> None:
    few = SMALL.model_copy(update={"requests": 4, "warmups": 1})
    with truth_server(QUICK) as url:
        run = infx.bench(
            url, workload=few, rate=[200, 400.0], arrival="gamma", burstiness=0.5, out=tmp_path
        )
        one = infx.bench(url, workload=few, rate=300, max_in_flight=5, out=tmp_path)
    arrivals = [point.workload.arrival for point in run.points]
    assert arrivals == [Arrival(process="gamma", rate=r, shape=0.5) for r in (200.0, 400.0)]
    assert [(point.rate, point.counts.ok) for point in run.result.points] == [(200, 4), (400, 4)]
    assert [(p.concurrency, p.workload.arrival) for p in one.points] == [(5, Arrival(rate=300.0))]


def test_arrivals_of_a_workload_are_asked(tmp_path: Path) -> None:
    series = Arrival(rates=((0.0, 400.0), (0.02, 0.0)), process="constant")
    with truth_server(QUICK) as url:
        workload = SMALL.model_copy(update={"arrival": series})
        run = infx.bench(url, workload=workload, max_in_flight=64, out=tmp_path)
        with pytest.raises(InputError, match="two ways to pace requests"):
            infx.bench(url, workload=workload, concurrency=2, out=tmp_path)
    assert [point.counts.issued for point in run.result.points] == [8]


def test_it_runs_where_a_loop_runs_already(tmp_path: Path) -> None:
    """A notebook's cell is code of a running event loop."""

    async def cell(url: str) -> Run:
        return infx.bench(url, workload=SMALL, out=tmp_path)

    with truth_server(QUICK) as url:
        assert asyncio.run(cell(url)).manifest.state == "finished"


def test_a_run_can_be_opened_again(tmp_path: Path) -> None:
    with truth_server(QUICK) as url:
        run = infx.bench(url, workload=SMALL, out=tmp_path)
    again = infx.open_run(run.bundle.path)
    assert again.result == run.result
    assert len(again.records(again.points[0].point_id)) == 12


def test_errors_are_raised_as_values_of_infx(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="concurrency 0"):
        infx.bench("http://127.0.0.1:1", workload=SMALL, concurrency=0, out=tmp_path)
    with pytest.raises(MachineError, match="connection refused"):
        infx.bench(f"http://127.0.0.1:{free_port()}", workload=SMALL, out=tmp_path)
    assert list_runs(tmp_path) == ()


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        infx.nothing  # noqa: B018 - reading it is the test


def test_replay_plays_a_corpus_and_compare_takes_runs_and_paths(tmp_path: Path) -> None:
    """A second of the small corpus, twice; a run next to itself differs in nothing."""
    settings = {"duration_s": 1.0, "warmups_per_lane": 0, "window": None}
    with truth_server(QUICK) as url:
        run, again = (
            infx.replay(url, "demo", concurrency=2, settings=settings, out=tmp_path)
            for _ in range(2)
        )
    (summary,) = run.result.points
    assert summary.replay is not None
    assert summary.counts.ok > 2
    assert run.points[0].plan_digest == again.points[0].plan_digest
    found = infx.compare(run, again.bundle.path, assume_same_server=True)
    assert found == infx.compare(str(run.bundle.path), again, assume_same_server=True)
    assert len(found.points) == 1


def test_replay_refuses_what_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        infx.replay("http://127.0.0.1:9", tmp_path / "none.jsonl")
