"""A run bundle of a change that nothing of the run speaks against; each harm turns what it harms.

What a harm turns was written before it was run. The manifest is made to fit again but for one case,
so that nothing turns because of the harm's mark on the bundle.
"""

import json
import shutil
from dataclasses import replace

import pytest

from bundled import reseal
from infx.model.record import RequestRecord
from infx.servers.truth.script import Script
from infx.store.bundles import REQUESTS, SUMMARY
from infx.store.journal import Journal, read
from selfmeasured import ASKED, BUSY, Change
from threads import judged


def statuses(submission):
    judgement = judged(submission, "infx-1", titles=False)
    assert judgement.crashes == ()
    return {one.check: one.status for one in judgement.results}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Return a change, its bundle, and the statuses of both."""
    change = Change(tmp_path_factory.mktemp("change"), "  append-only: true")
    bundle = change.measure()
    return change, bundle, statuses(change.facts(bundle))


@pytest.fixture
def turned(measured, tmp_path):
    """Harm a copy of the bundle; return the statuses that are others than before."""
    change, bundle, before = measured

    def harmed(harm, *more, sealed=True):
        copy = shutil.copytree(bundle, tmp_path / "copy")
        harm(copy)
        if sealed:
            reseal(copy)
        after = statuses(change.facts(copy, *more))
        return {check: status for check, status in after.items() if status != before[check]}

    return harmed


def points(bundle):
    """Return the folders of a bundle's points by their number of lanes."""
    found = {}
    for folder in (bundle / "points").iterdir():
        found[json.loads((folder / "point.json").read_text())["concurrency"]] = folder
    return found


def answering(text):
    """Put one text in the place of every answer that was kept at four lanes."""

    def harm(bundle):
        path = points(bundle)[4] / REQUESTS
        entries = list(read(path))
        path.unlink()
        with Journal(path) as journal:
            for one in entries:
                if not isinstance(one, RequestRecord):
                    journal.issue(one)
                else:
                    kept = one.text is not None
                    journal.end(replace(one, text=text) if kept else one)

    return harm


def summarised(**changes):
    """Change the summary of the point at four lanes."""

    def harm(bundle):
        path = points(bundle)[4] / SUMMARY
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return harm


def without(lanes):
    """Take a point out of the bundle."""

    def harm(bundle):
        folder = points(bundle)[lanes]
        shutil.rmtree(folder)
        manifest = json.loads((bundle / "manifest.json").read_text())
        manifest["points"].remove(folder.name)
        (bundle / "manifest.json").write_text(json.dumps(manifest))

    return harm


def simulated(bundle):
    manifest = json.loads((bundle / "manifest.json").read_text())
    (bundle / "manifest.json").write_text(json.dumps({**manifest, "simulated": True}))


def nothing(bundle):
    pass


def test_nothing_of_the_run_speaks_against_the_change(measured):
    _, _, before = measured
    of_people = {"owner-sign-off", "checklist", "reuse-command"}
    lacking = {check for check, status in before.items() if status not in ("PASS", "N/A")}
    # The model of this catalog is for demonstrations, and is not registered.
    assert lacking == of_people | {"active-model"}


@pytest.mark.parametrize(
    ("harm", "turns"),
    [
        (nothing, {}),
        (answering("the " * 20), {"outputs-not-garbage": "FAIL"}),
        (answering("\ufffd\ufffd ok"), {"outputs-not-garbage": "FAIL"}),
        (answering(" "), {"outputs-not-garbage": "FAIL"}),
        (answering("Nine."), {}),
        (summarised(certified=False, reasons=["client-lag"]), {"client-certified": "FAIL"}),
        (simulated, {"passing-sweep": "FAIL"}),
        # A point of the base has figures already; who asks for a new one has to say what was asked.
        (without(4), {"passing-sweep": "FAIL", "curve-density": "WARN"}),
        (
            without(16),
            {"passing-sweep": "FAIL", "workload-as-declared": "FAIL", "curve-density": "WARN"},
        ),
    ],
    ids=[
        "nothing",
        "one-word",
        "no-text",
        "empty",
        "short",
        "late",
        "simulated",
        "old-point",
        "new-point",
    ],
)
def test_a_harm_turns_what_it_harms(turned, harm, turns):
    assert turned(harm) == turns


def test_a_bundle_that_was_touched_is_no_sweep(turned):
    harm = summarised(certified=True)
    assert turned(harm, sealed=False) == {"passing-sweep": "FAIL"}


def test_points_of_two_runs_are_asked_one_workload(turned, measured, tmp_path):
    change, _, _ = measured
    seeded = ASKED.model_copy(update={"seed": 1})
    other = change.measure(Script(engine=BUSY), workload=seeded, concurrency=(4,))
    assert turned(without(4), other) == {
        "passing-sweep": "FAIL", "workload-as-declared": "FAIL",
    }  # fmt: skip
