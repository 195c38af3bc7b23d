"""What a server's metrics page says is read exactly, and what is no such page is refused."""

import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.errors import MachineError
from infx.wire.prometheus import Reading, parse, total

NAMES = st.from_regex(r"[a-zA-Z_:][a-zA-Z0-9_:]{0,12}", fullmatch=True)
LABEL_NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,8}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
READINGS = st.builds(
    Reading,
    NAMES,
    st.lists(st.tuples(LABEL_NAMES, TEXTS), max_size=3).map(tuple),
    st.floats(allow_nan=False),
)


def written(reading: Reading) -> str:
    """Write a sample by the rules of the format."""
    quoted = (
        name + '="' + text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n") + '"'
        for name, text in reading.labels
    )
    labels = "{" + ",".join(quoted) + "}" if reading.labels else ""
    number = {math.inf: "+Inf", -math.inf: "-Inf"}.get(reading.value, repr(reading.value))
    return f"{reading.name}{labels} {number}"


@given(st.lists(READINGS, max_size=6), st.sampled_from(["\n", "\r\n", "\n\n# HELP x y {\n"]))
def test_whatever_is_written_is_read(readings: list[Reading], between: str) -> None:
    assert parse(between.join(map(written, readings)) + "\n") == tuple(readings)


def test_all_that_the_format_allows() -> None:
    page = (
        "# HELP up Whether it is up.\n"
        "# TYPE up gauge\n"
        "up 1\n"
        'hits_total{a="}",b="x \\"y\\" \\\\ z\\n",} 2.5e3 1395066363000\n'
        'slow_bucket { le = "+Inf" }   7 # {trace="1"} 0.5\n'
        "  odd NaN\n"
        "# EOF\n"
    )
    up, hits, slow, odd = parse(page)
    assert up == Reading("up", (), 1.0)
    assert hits == Reading("hits_total", (("a", "}"), ("b", 'x "y" \\ z\n')), 2500.0)
    assert slow == Reading("slow_bucket", (("le", "+Inf"),), 7.0)
    assert math.isnan(odd.value)


@pytest.mark.parametrize(
    "line",
    ["<html>", "up", "up one", 'up{a="1} 2', "up{a=1} 2", "up{a} 2", "9up 1", "up 1 2 3", "{} 1"],
)
def test_another_page_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(MachineError) as refused:
        parse(f"up 1\n{line}\n", where="http://server/metrics")
    (problem,) = refused.value.problems
    assert str(problem).startswith("http://server/metrics: line 2 is no Prometheus sample: ")


def test_a_total_is_over_all_label_sets_and_absent_is_not_zero() -> None:
    readings = parse('a{x="1"} 2\na{x="2"} 3\nab 9\n')
    assert total(readings, "a") == 5.0
    assert total(readings, "b") is None


def test_a_real_page_of_vllm() -> None:
    data = os.environ.get("INFX_REFERENCE_DATA")
    if data is None:
        pytest.skip("INFX_REFERENCE_DATA names no reference data")
    page = Path(data) / "engine-samples" / "vllm-0.26.0-h200" / "metrics-after.txt"
    readings = parse(page.read_text())
    assert total(readings, "vllm:prefix_cache_queries_total") == 135168.0
    assert total(readings, "vllm:prefix_cache_hits_total") == 0.0
