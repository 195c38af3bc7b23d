"""A small run bundle, written through the store's own writer."""

import json

from infx.model.bundle import ClockAnchor, Manifest, PhaseWindow, PointFile
from infx.model.identity import curve_key, point_id, recipe_digest, workload_digest
from infx.model.launch import Endpoint
from infx.model.recipe import BoundRecipe
from infx.model.record import EndState, Phase
from infx.model.result import Absent, Counts, PointSummary
from infx.model.workload import FixedWorkload
from infx.store.bundle_reader import count_ends
from infx.store.bundles import MANIFEST, PLAN, REQUESTS, create, files_of
from infx.store.files import sha256_of
from infx.store.journal import Journal
from journaled import ending, issue

RECIPE = BoundRecipe(name="endpoint", model="m")
WORKLOAD = FixedWorkload(isl=64, osl=16)
PLAN_BYTES = b"the plan"
PLAN_SHA256 = "aab8f06fecd1c041e9a3d5a86114f9e522b546918db8503a045fe4a423b3642a"


def manifest(run="20270115T080000Z-abc123"):
    return Manifest(
        run=run,
        command=("infx", "bench", "http://127.0.0.1:8000"),
        state="running",
        started="2027-01-15T08:00:00+00:00",
        anchor=ClockAnchor(monotonic_ns=1_000, wall_ns=1_800_000_000_000_000_000),
        versions={"infx": "0.1.0"},
        host={"cores": 2},
    )


def point(concurrency=1, repetition=0):
    recipe, workload = recipe_digest(RECIPE), workload_digest(WORKLOAD)
    return PointFile(
        point_id=point_id(recipe=recipe, workload=workload, concurrency=concurrency),
        recipe_digest=recipe,
        workload_digest=workload,
        curve_key=curve_key(RECIPE, WORKLOAD),
        concurrency=concurrency,
        repetition=repetition,
        recipe=RECIPE,
        workload=WORKLOAD,
        endpoint=Endpoint(url="http://127.0.0.1:8000", model="m"),
    )


def counts(**states):
    every = {state.value: states.get(state.value, 0) for state in EndState}
    return Counts(issued=sum(every.values()), **every)


def summary(of, *, profiling, warmup):
    return PointSummary(
        point_id=of.point_id,
        concurrency=of.concurrency,
        repetition=of.repetition,
        achieved_concurrency=None,
        certified=True,
        reasons=(),
        counts=profiling,
        warmup_counts=warmup,
        error_reasons={},
        metrics={"ttft": Absent(reason="made by hand")},
    )


def ask(folder):
    """Write a plan, and a journal: one warmup that is ok, then an ok and an error."""
    (folder / PLAN).write_bytes(PLAN_BYTES)
    with Journal(folder / REQUESTS) as journal:
        for number, phase, state in (
            (0, Phase.WARMUP, EndState.OK),
            (1, Phase.PROFILING, EndState.OK),
            (2, Phase.PROFILING, EndState.ERROR),
        ):
            began = issue(number, phase)
            journal.issue(began)
            journal.end(ending(began, state))


def begin(root, *concurrencies):
    """Begin a run whose points have all been asked, and return its writer."""
    writer = create(root, manifest())
    for concurrency in concurrencies:
        ask(writer.begin_point(point(concurrency)))
    return writer


def finish_point(writer, concurrency):
    window = PhaseWindow(phase=Phase.PROFILING, start_ns=1_000, end_ns=2_000)
    ended = point(concurrency).model_copy(update={"plan_digest": PLAN_SHA256, "phases": (window,)})
    writer.end_point(ended, summary(ended, profiling=counts(ok=1, error=1), warmup=counts(ok=1)))


def finished(root, *concurrencies):
    """Write a whole run and return its folder."""
    writer = begin(root, *concurrencies)
    for concurrency in concurrencies:
        finish_point(writer, concurrency)
    writer.add_file("server/server.log", b"ready\n")
    writer.close("finished", "2027-01-15T08:01:00+00:00")
    return writer.path


def counted(point, records):
    """Summarise a point by its counts alone."""
    return summary(
        point,
        profiling=count_ends(records, Phase.PROFILING),
        warmup=count_ends(records, Phase.WARMUP),
    )


def reseal(folder):
    """Make the manifest of a bundle that a test has changed say what is there now."""
    path = folder / MANIFEST
    known = json.loads(path.read_text())
    known["files"] = {name: sha256_of(folder / name) for name in files_of(folder)}
    path.write_text(json.dumps(known))
