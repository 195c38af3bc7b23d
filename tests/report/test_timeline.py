"""The timeline shows when requests ran, and stays small."""

from infx.report.timeline import MOST_DRAWN, timelines


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
