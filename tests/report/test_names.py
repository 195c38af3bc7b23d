"""A point is named by its load, and by no more of the rest than tells it apart."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from infx.model.traits import ORDER
from infx.report.names import Names, told_apart


@dataclass(frozen=True)
class Point:
    concurrency: int = 2
    traits: dict = field(default_factory=dict)
    rate: float | None = None
    repetition: int = 0
    point_id: str = "p" * 64


FIXED = {"model": "m", "workload": "64/32"}
AGENTIC = {"model": "m", "workload": "agentic", "rule": "rule demo", "corpus": "corpus 0a"}


def rows(*points):
    return [Names(points).row(point) for point in points]


def test_alone_a_load_is_enough():
    one, again = Point(traits=FIXED), Point(traits=FIXED, repetition=1)
    assert rows(one, again, Point(4, FIXED, point_id="q")) == ["2", "2 r1", "4"]
    assert Names([one]).place(one) == "concurrency 2"
    assert Names([one]).head == "concurrency"


def test_a_replay_beside_a_curve_differs_in_its_workload_and_that_is_all():
    points = [Point(2, FIXED), Point(4, FIXED, point_id="q"), Point(2, AGENTIC, point_id="r")]
    names = Names(points)
    assert rows(*points) == ["64/32 · 2", "64/32 · 4", "agentic · 2"]
    assert names.place(points[2]) == "agentic at concurrency 2"
    assert names.places(points) == "64/32 at concurrency 2, 4; agentic at concurrency 2"
    assert names.head == "point"


def test_two_replays_differ_in_what_they_replay():
    other = {**AGENTIC, "corpus": "corpus 1b"}
    assert told_apart([FIXED, AGENTIC, other]) == [
        "64/32", "agentic corpus 0a", "agentic corpus 1b",
    ]  # fmt: skip


def test_what_nobody_stated_tells_nothing_but_the_other_is_told_by_it():
    assert told_apart([{"speculative": "mtp"}, {}]) == ["mtp", ""]


def test_where_nothing_is_known_the_id_tells_apart():
    points = [Point(point_id="a" * 64), Point(point_id="b" * 64), Point(8, point_id="c" * 64)]
    assert rows(*points) == ["2 #aaaaaa", "2 #bbbbbb", "8"]


def test_a_rate_stands_for_the_load():
    point = Point(rate=2.5, repetition=1)
    assert (Names([point]).head, Names([point]).place(point)) == ("rate", "rate 2.5/s r1")


def test_no_points_have_no_names():
    assert Names([]).places([]) == ""


@given(
    st.lists(
        st.tuples(
            st.integers(1, 3),
            st.integers(0, 1),
            st.dictionaries(st.sampled_from(ORDER), st.sampled_from("xy"), max_size=3),
        ),
        max_size=8,
    )
)
def test_no_two_rows_of_a_run_share_a_name(found):
    points = [
        Point(concurrency, traits, repetition=repetition, point_id=f"{number:06d}")
        for number, (concurrency, repetition, traits) in enumerate(found)
    ]
    assert len(set(rows(*points))) == len(points)
