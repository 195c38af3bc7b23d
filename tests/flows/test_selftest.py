"""A selftest says what this machine can measure, keeps it, and runs of this host cite it."""

import asyncio
import os
from pathlib import Path

import pytest

from infx.clock import SystemClock
from infx.errors import InputError, Interrupted, MachineError
from infx.flows.point import Brake
from infx.flows.selftest import Load, limit, run_selftest
from infx.flows.selftests import keep, latest
from infx.flows.truth_log import read_log
from infx.model.selftest import Selftest, SelftestLoad
from infx.model.workload import FixedWorkload
from infx.servers.truth.script import Script
from playing import play

SMALL = Load((1, 3), ttft_s=0.02, gap_s=0.002, tokens=8, requests_per_lane=2)
SPRINT = Load((2,), ttft_s=0, gap_s=0, tokens=64, events_per_write=16, requests_per_lane=2)


def load(streams: int, **more: object) -> SelftestLoad:
    settings: dict[str, object] = {
        "streams": streams, "gap": 0.005, "requests": 9, "offered": 100.0, "carried": 99.0,
        "kept": 0.99, "ttft_bias_mean": 0.0, "ttft_bias_p99": 0.0, "read_late_mean": 0.0,
        "read_late_p99": 0.0, "named_mean": 0.0, "named_p99": 0.0, "server_late_p99": 0.001,
        "cpu_per_event": 1e-5, "certified": True,
    }  # fmt: skip
    return SelftestLoad.model_validate({**settings, **more})


def result(name: str, host: dict[str, object], largest: int | None = 8) -> Selftest:
    return Selftest.model_validate(
        {
            "selftest": name, "started": "2026-10-01T00:00:00.000+00:00", "host": host,
            "versions": {}, "loads": (load(8),), "capacity": load(64, gap=0.0, offered=None,
            kept=None), "largest_streams": largest, "limit": "",
        }
    )  # fmt: skip


def test_a_real_one_has_every_load_and_leaves_nothing_running() -> None:
    said: list[str] = []
    found = asyncio.run(
        run_selftest(
            dict(os.environ), clock=SystemClock(), brake=Brake(), talk=said.append,
            loads=(SMALL, SPRINT),
        )
    )  # fmt: skip
    assert [one.streams for one in found.loads] == [1, 3]
    assert [one.requests for one in found.loads] == [2, 6]
    # 8 tokens in 20 ms and 7 gaps of 2 ms
    assert [one.offered for one in found.loads] == [
        pytest.approx(8 / 0.034),
        pytest.approx(24 / 0.034),
    ]
    for one in found.loads:
        assert 0 < one.carried <= one.offered
        assert one.kept == pytest.approx(one.carried / one.offered)
    full = found.capacity
    assert (full.streams, full.requests, full.offered, full.kept) == (2, 4, None, None)
    for one in (*found.loads, full):
        assert 0 <= one.read_late_mean <= one.ttft_bias_mean
        assert one.cpu_per_event > 0
        assert one.server_late_p99 >= 0
        assert one.named_mean is not None
    assert said == ["1 streams measured", "3 streams measured", "2 streams measured"]
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    if children.exists():
        running = [
            Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children.read_text().split()
        ]
        assert not [line for line in running if b"infx.servers.truth" in line]


def test_the_brake_ends_it() -> None:
    brake = Brake()
    brake.press()
    with pytest.raises(Interrupted):
        asyncio.run(
            run_selftest(
                dict(os.environ), clock=SystemClock(), brake=brake, talk=print,
                loads=(SMALL, SPRINT),
            )
        )  # fmt: skip


def test_the_limit_is_that_of_the_first_load_above_the_largest() -> None:
    assert limit((load(1), load(8))) == "none of these loads was too much"
    late = load(64, certified=False, reasons=("client-lag",))
    assert limit((load(1), load(8), late)) == "at 64 streams: client-lag"
    slow = load(64, kept=0.6, server_late_p99=0.03)
    assert limit((load(1), load(8, kept=0.9), slow)) == (
        "at 8 streams: only 90% of the offered events came"
    )
    assert limit((load(1), slow)) == (
        "at 64 streams: only 60% of the offered events came, "
        "the server itself sent up to 30.0 ms late"
    )


def test_a_run_cites_the_latest_of_its_own_host(tmp_path: Path) -> None:
    here = {"cpu_model": "EPYC", "usable_cores": 2, "cgroup_cpu_limit": None, "kernel": "6.1"}
    assert latest(tmp_path / "none", here) is None
    keep(result("20261001T000000Z-aaaaaa", here, largest=8), tmp_path)
    keep(result("20261002T000000Z-bbbbbb", here, largest=64), tmp_path)
    keep(result("20261003T000000Z-cccccc", {**here, "kernel": "6.2"}), tmp_path)
    (tmp_path / "selftest-20261004T000000Z-dddddd.json").write_text("{}")
    cited = latest(tmp_path, here)
    assert cited is not None
    assert (cited.selftest, cited.largest_streams) == ("20261002T000000Z-bbbbbb", 64)
    assert latest(tmp_path, {**here, "usable_cores": 4}) is None


def test_the_manifest_holds_the_citation(tmp_path: Path) -> None:
    from infx.telemetry.host import facts

    workload = FixedWorkload(isl=64, osl=4, requests=2, warmups=0)
    first, _, _ = play(
        tmp_path / "a", Script(), workload=workload, concurrency=(1,), selftests=tmp_path / "tests"
    )
    assert first.run.manifest.selftest is None
    keep(result("20261001T000000Z-aaaaaa", facts()), tmp_path / "tests")
    second, _, _ = play(
        tmp_path / "b", Script(), workload=workload, concurrency=(1,), selftests=tmp_path / "tests"
    )
    assert second.run.manifest.selftest is not None
    assert second.run.manifest.selftest.selftest == "20261001T000000Z-aaaaaa"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError):
        keep(result("20261001T000000Z-aaaaaa", {}), tmp_path / "file" / "selftests")


@pytest.mark.parametrize("text", ["{", '{"no": "log"}\n'])
def test_what_is_no_log_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "log").write_text(text)
    with pytest.raises(InputError, match="no log of a truth server"):
        read_log(tmp_path / "log")
    with pytest.raises(InputError, match="cannot be read"):
        read_log(tmp_path / "none")
