"""A curve in a terminal: the right marks in the right places, whatever the terminal can do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.cli.plot import frontier_text, linear, logarithmic, tick_names
from infx.model.result import Curve, CurvePoint


def curve_of(*points, missing=None, x_metric="ttft", x_unit="s"):
    """Build a curve from (concurrency, x, y, on the frontier)."""
    return Curve(
        x_metric=x_metric,
        x_statistic="p50",
        x_unit=x_unit,
        x_better="smaller",
        y_metric="output_throughput",
        y_statistic="mean",
        y_unit="tok/s",
        y_better="larger",
        points=tuple(
            CurvePoint(
                point_id=f"{place:064x}",
                repetition=0,
                concurrency=concurrency,
                x=x,
                y=y,
                on_frontier=best,
                on_reference_frontier=best,
            )
            for place, (concurrency, x, y, best) in enumerate(points)
        ),
        missing=missing or {},
    )


THREE = ((1, 0.01, 10.0, True), (2, 0.02, 20.0, True), (4, 0.03, 15.0, False))


def test_a_small_plot_in_ascii():
    assert frontier_text(curve_of(*THREE), 30, 5, plain=True).splitlines() == [
        "output throughput (tok/s),",
        "more is better",
        "20 +           .*2",
        "   |      1 ...        o4",
        "10 +      *.",
        "   |",
        " 0 +",
        "   ++-----------+------------+",
        "    0          20           40",
        " TTFT p50 (ms), less is better",
        "* frontier  o dominated",
        "(numbers: concurrency)",
    ]


def test_marks_of_an_open_loop_carry_their_rates():
    drawn = curve_of(*THREE)
    points = [
        point.model_copy(update={"rate": rate, "concurrency": 1024})
        for point, rate in zip(drawn.points, (0.5, 1.0, 2.0), strict=True)
    ]
    text = frontier_text(drawn.model_copy(update={"points": tuple(points)}), 60, 5, plain=True)
    assert all(label in text for label in ("*0.5/s", "*1/s", "2/so", "(numbers: rate)"))


def test_the_same_plot_with_the_characters_of_utf8():
    assert frontier_text(curve_of(*THREE), 30, 5).splitlines()[2:8] == [
        "20 ┤           ·●2",
        "   │      1 ···        ○4",
        "10 ┤      ●·",
        "   │",
        " 0 ┤",
        "   └┬───────────┬────────────┬",
    ]


def test_one_point_is_a_plot():
    # x 10 ms spreads to 5..15, y from 0 to 10.
    assert frontier_text(curve_of(THREE[0]), 50, 5, plain=True).splitlines()[1:6] == [
        "10 +                      *1",
        "   |",
        " 5 +",
        "   |",
        " 0 +",
    ]


def test_equal_points_share_a_mark_that_names_all():
    text = frontier_text(curve_of((1, 0.01, 10.0, True), (2, 0.01, 10.0, True)), 40, 5, plain=True)
    assert "*1,2" in text
    # One mark in the plot, one in its legend.
    assert text.count("*") == 2


def test_a_frontier_point_is_not_hidden_by_a_dominated_one():
    text = frontier_text(curve_of((1, 0.01, 10.0, True), (2, 0.01, 9.99, False)), 40, 5, plain=True)
    assert "*1,2" in text


def test_points_that_could_not_be_drawn_are_listed_with_their_reasons():
    missing = {"ab" * 32: "ttft: no ok request delivered content", "cd" * 32: "gone"}
    curve = curve_of(*THREE, missing=missing)
    lines = frontier_text(curve, 80, 5, names={"ab" * 32: "concurrency 8"}).splitlines()
    assert lines[-2:] == [
        "not drawn: concurrency 8: ttft: no ok request delivered content",
        "not drawn: point cdcdcdcdcdcd: gone",
    ]


def test_a_curve_without_points_says_so():
    text = frontier_text(curve_of(missing={"ab" * 32: "nothing was ok"}), 80)
    assert text == "No point has both figures.\nnot drawn: point abababababab: nothing was ok"


def test_a_label_without_room_stands_under_the_plot():
    crowd = [(n, 0.01 + 0.0001 * n, 10.0, False) for n in range(100, 140)]
    text = frontier_text(curve_of(*crowd), 30, 4, plain=True)
    for concurrency, *_ in crowd:
        assert str(concurrency) in text
    assert "no room for the label of" in text


def test_a_wide_spread_is_drawn_on_a_logarithmic_axis():
    text = frontier_text(curve_of((1, 0.01, 1.0, True), (64, 1.0, 2.0, True)), 60, 5, plain=True)
    ticks = text.splitlines()[-3].split()
    assert ticks == ["10", "20", "50", "100", "200", "500", "1,000"]


def test_foreign_text_cannot_steer_the_terminal():
    text = frontier_text(curve_of(missing={"ab" * 32: "\x1b[2Jgone\nnow"}), 80)
    assert "\x1b" not in text
    assert text.endswith("�[2Jgone�now")


@pytest.mark.parametrize(
    ("low", "high", "intervals", "ticks"),
    [
        (0, 87, 4, ["0", "20", "40", "60", "80", "100"]),
        (0, 0.3, 3, ["0.0", "0.1", "0.2", "0.3"]),
        (0, 12_000, 3, ["0", "5,000", "10,000", "15,000"]),
        (5, 5, 2, ["2", "4", "6", "8"]),
        (0, 0, 2, ["-1", "0", "1"]),
    ],
)
def test_ticks_are_round_numbers(low, high, intervals, ticks):
    assert tick_names(linear(low, high, intervals)) == ticks


def test_logarithmic_ticks_are_1_2_5():
    assert tick_names(logarithmic(0.3, 900)) == [
        "0.2",
        "0.5",
        "1",
        "2",
        "5",
        "10",
        "20",
        "50",
        "100",
        "200",
        "500",
        "1,000",
    ]


POSITIVE = st.floats(1e-6, 1e6)


@given(
    st.lists(st.tuples(st.integers(1, 9999), POSITIVE, POSITIVE, st.booleans()), max_size=12),
    st.integers(30, 160),
    st.integers(1, 30),
)
def test_every_curve_fits_its_width_in_ascii_and_names_every_point(points, width, height):
    text = frontier_text(curve_of(*points), width, height, plain=True)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= width
    for concurrency, *_ in points:
        assert str(concurrency) in text
