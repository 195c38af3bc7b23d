"""The plan of a small replay is the same bytes on every machine."""

import subprocess
import sys
from pathlib import Path

import pytest

from infx.load.planner import plan_chunks, plan_digest
from infx.workloads.agentic import trees
from infx.workloads.seats import Outline, seats
from sessions import SOURCE, three_levels, workload

GOLDEN = "8f8c27151b323b0a330b7ac526bec7db00e2bedb235e8a56eed31f78b31bbc9d"
"""Of the session of three levels on three lanes. If a change means to ask otherwise, the workload
digest must change with it: two runs are compared where theirs are equal."""


def small_plan() -> bytes:
    stated = workload(cache_bust=True)
    outlines: list[Outline] = []
    made = trees(stated, [three_levels()], SOURCE, outlines=outlines)
    return b"".join(plan_chunks(api="chat", trees=made, seats=seats(stated, outlines, 3)))


def test_the_plan_is_the_known_one() -> None:
    assert plan_digest(small_plan()) == GOLDEN


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_plan_does_not_depend_on_how_python_hashes(seed: str) -> None:
    code = "import test_replay_plan as t; print(t.plan_digest(t.small_plan()))"
    here = Path(__file__).parent
    paths = [*(p for p in sys.path if p), str(here), str(here.parent)]
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(paths)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == GOLDEN
