"""The public generator's own output, row for row and in its order; needs the public files."""

import json
import os
from pathlib import Path

import pytest

from infx.matrix.catalog import catalog
from infx.matrix.eval_tasks import TASKS
from infx.matrix.generate import generate
from infx.matrix.options import Options
from infx.matrix.points import evaluation, points
from infx.store.documents import read_yaml

DATA = os.environ.get("INFX_REFERENCE_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="INFX_REFERENCE_DATA names no public files")

ASKED = {
    "full-sweep": {},
    "full-sweep-no-evals": {"evals": "none"},
    "full-sweep-evals-only": {"evals": "only"},
    "full-sweep-all-evals": {"evals": "all"},
    "full-sweep-agentic-dsv4": {
        "scenario_type": ("agentic-coding",),
        "model_prefix": ("dsv4",),
    },
    "full-sweep-single-8k1k-max64": {
        "single_node": True,
        "seq_lens": ("8k1k",),
        "max_conc": 64,
    },
}
COUNTS = {"full-sweep": (1820, 2078, 519), "full-sweep-all-evals": (1663, 2076, 1663)}


@pytest.fixture(scope="module")
def public():
    folder = Path(DATA) / "configs"
    masters = [read_yaml(folder / f"{vendor}-master.yaml") for vendor in ("nvidia", "amd")]
    return catalog(masters, read_yaml(folder / "runners.yaml"))


def canonical(rows):
    return [json.dumps(row, sort_keys=True) for row in rows]


@pytest.mark.parametrize("name", ASKED)
def test_every_row_is_the_public_one_in_its_order(public, name):
    rows = generate(public, Options(edition="2026-08", **ASKED[name]))
    got = [row.model_dump(mode="json", by_alias=True, exclude_none=True) for row in rows]
    expected = json.loads((Path(DATA) / "expected" / f"{name}.json").read_text())
    assert canonical(got) == canonical(expected)
    if name in COUNTS:
        evaluated = sum(bool(row.run_eval) for row in rows)
        assert (len(rows), len(list(points(rows))), evaluated) == COUNTS[name]


@pytest.mark.parametrize("evals", ["default", "only", "all", "smoke"])
def test_every_evaluation_of_october_is_a_known_task_or_a_named_refusal(public, evals):
    rows = generate(public, Options(edition="2026-10", evals=evals))
    found = {(one.framework, one.suite) for one in map(evaluation, rows)}
    assert found <= set(TASKS)
    assert found == set(TASKS)
    assert all(row.node_count for row in rows if hasattr(row, "prefill"))
