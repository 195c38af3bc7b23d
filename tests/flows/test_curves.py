"""A run is drawn as one series: what it asked first, in the way that it asked it."""

from types import SimpleNamespace

import pytest

from compared import metric, summary
from infx.flows.curves import headline
from infx.model.result import RunResult

FIGURES = {"e2el": metric("e2el", 1.0), "total_throughput": metric("total_throughput", 9.0)}


def result(*kinds: str) -> RunResult:
    """Return a run with a point of each kind, named by its number."""
    points = [
        summary(FIGURES).model_copy(
            update={
                "point_id": str(number),
                "rate": 4.0 if kind == "rate" else None,
                "replay": SimpleNamespace() if kind == "replay" else None,
            }
        )
        for number, kind in enumerate(kinds)
    ]
    return RunResult.model_construct(points=tuple(points))


@pytest.mark.parametrize(
    ("kinds", "drawn", "missing"),
    [
        (("lanes", "lanes"), ["0", "1"], {}),
        (
            ("lanes", "rate", "lanes", "replay"),
            ["0", "2"],
            {
                "1": "it asks at a rate, and has its row in the table",
                "3": "it replays sessions, and has its row in the table",
            },
        ),
        (
            ("rate", "rate", "lanes"),
            ["0", "1"],
            {"2": "it asks independent requests, and has its row in the table"},
        ),
    ],
)
def test_one_kind_is_drawn_and_the_others_are_said(kinds, drawn, missing):
    curve = headline(result(*kinds))
    assert [point.point_id for point in curve.points] == drawn
    assert curve.missing == missing
