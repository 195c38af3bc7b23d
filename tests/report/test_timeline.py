"""The timeline shows when requests ran, and stays small."""

from handmade import record
from infx.report.timeline import MOST_DRAWN, rows, timelines


def test_moments_are_seconds_since_the_first_send(demo):
    point = demo((2,)).points[0]
    (line,) = timelines([point])
    assert line["sent"][:2] == [0, 0.001]
    assert line["total"] == len(line["sent"]) == 20
    first = point.records[0]
    assert line["end"][0] == round((first.end_ns - first.sent_ns) / 1e9, 3)
    assert line["unhappy"] == {}


def test_unhappy_ends_are_told_and_missing_moments_are_null(demo):
    (line,) = timelines([demo((8,), troubled=8).points[0]])
    lost = line["request"].index(79)
    assert line["unhappy"][str(lost)] == "lost"
    assert line["end"][lost] is None
    assert line["first"][lost] is None
    assert sorted(line["unhappy"].values()) == ["error: connection-reset"] * 4 + ["lost"]


def test_each_point_gets_its_share_and_says_how_many_there_were(demo):
    lines = timelines(demo((64, 128), per_lane=20).points)
    assert [len(line["sent"]) for line in lines] == [MOST_DRAWN // 2] * 2
    assert [line["total"] for line in lines] == [1280, 2560]


def test_requests_of_a_lane_that_overlap_lie_in_rows_of_their_own():
    """Lane 0: a turn, then three subagents at once, one of which goes on, then the main turn."""
    made = [
        record(request=0, lane=0, session=0, sent=0.0, end=1.0),
        record(request=1, lane=0, session=1, sent=1.0, end=5.0),
        record(request=2, lane=1, session=9, sent=1.0, end=9.0),
        record(request=3, lane=0, session=2, sent=2.0, end=3.0),
        record(request=4, lane=0, session=3, sent=2.5, end=6.0),
        record(request=5, lane=0, session=2, sent=4.0, end=4.5),
        record(request=6, lane=0, session=0, sent=7.0, end=8.0),
    ]
    assert rows(made) == [0, 0, 0, 1, 2, 1, 0]


def test_a_request_without_an_end_takes_no_room_after_its_last_moment():
    made = [
        record(request=0, lane=0, session=0, sent=0.0, first=1.0, end=None),
        record(request=1, lane=0, session=1, sent=0.5, end=2.0),
        record(request=2, lane=0, session=2, sent=1.0, end=2.0),
    ]
    assert rows(made) == [0, 1, 0]


def test_lanes_of_independent_requests_have_one_row(demo):
    (line,) = timelines([demo((8,)).points[0]])
    assert set(line["row"]) == {0}
    assert line["turn"] is None
