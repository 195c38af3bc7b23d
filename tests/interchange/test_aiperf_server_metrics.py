"""The server's metrics pages as aiperf exports them: by hand."""

import json
from pathlib import Path

import pytest

from infx.interchange import aiperf_server_metrics
from infx.model.scrape import Page
from outgoing import outgoing
from refusals import refusal

S = 1_000_000_000
URL = "http://h:1/metrics"
HEAD = """# HELP e:tokens_total Tokens.
# TYPE e:tokens_total counter
# TYPE e:running gauge
# HELP e:ttft_seconds Waits.
# TYPE e:ttft_seconds histogram
"""


def page(at: float, tokens: int, running: int, count: int, *, url: str = URL) -> Page:
    text = f"""{HEAD}e:tokens_total{{dp="0"}} {tokens}
e:running {running}
e:ttft_seconds_bucket{{le="0.1"}} {count}
e:ttft_seconds_bucket{{le="+Inf"}} {2 * count}
e:ttft_seconds_sum {count / 2}
e:ttft_seconds_count {2 * count}
e:limit NaN
e:untyped 7
"""
    moment = round(at * S)
    return Page(url, moment, moment, text)


def told(tmp_path: Path, *pages: Page) -> dict:
    path = aiperf_server_metrics.write(outgoing(pages=lambda: pages), tmp_path)
    return json.loads(path.read_text())


def test_counters_grow_from_the_last_page_before_to_the_first_after(tmp_path: Path) -> None:
    """The phase lasts from 0 to 10 s. Pages at -2, -1, 5, 11 and 12 s; the second and the fourth
    bound it, 12 s apart. The gauge is that of the page within."""
    pages = [
        page(-2, 0, 9, 0), page(-1, 10, 9, 1), page(5, 40, 4, 3), page(11, 130, 9, 7),
        page(12, 999, 9, 99),
    ]  # fmt: skip
    metrics = told(tmp_path, *pages)["metrics"]
    assert set(metrics) == {"e:tokens", "e:running", "e:ttft_seconds", "e:untyped"}
    assert metrics["e:tokens"] == {
        "type": "counter",
        "description": "Tokens.",
        "series": [
            {
                "endpoint_url": URL,
                "labels": {"dp": "0"},
                "stats": {"total": 120, "rate": pytest.approx(10)},
            }
        ],
    }
    (gauge,) = metrics["e:running"]["series"]
    assert (gauge["stats"]["avg"], gauge["stats"]["max"], gauge["stats"]["p99"]) == (4, 4, 4)
    (histogram,) = metrics["e:ttft_seconds"]["series"]
    assert histogram == {
        "endpoint_url": URL,
        "labels": {},
        "stats": {"count": 12, "sum": 3, "avg": 0.25},
        "buckets": {"0.1": 6, "+Inf": 12},
    }
    assert metrics["e:untyped"]["type"] == "unknown"


def test_a_counter_that_began_anew_grew_by_what_it_shows(tmp_path: Path) -> None:
    metrics = told(tmp_path, page(-1, 10, 1, 0), page(5, 40, 1, 0), page(11, 7, 1, 0))["metrics"]
    assert metrics["e:tokens"]["series"][0]["stats"]["total"] == 37


def test_each_server_has_series_of_its_own(tmp_path: Path) -> None:
    other = "http://h:2/metrics"
    pages = [page(at, round(at * 10), 1, 0, url=url) for at in (1, 2) for url in (URL, other)]
    found = told(tmp_path, *pages)
    assert [one["endpoint_url"] for one in found["metrics"]["e:tokens"]["series"]] == [URL, other]
    assert found["summary"]["endpoints_successful"] == [URL, other]


def test_without_pages_it_says_why(tmp_path: Path) -> None:
    found = told(tmp_path)
    assert (found["metrics"], found["infx"]) == ({}, {"absent": "no metrics page was read"})
    assert found["schema_version"] == "1.1"
    assert found["summary"]["phase_time_ranges"]["profiling"] == {
        "start_ns": 1_800_000_000_000_000_000 - 1_000,
        "end_ns": 1_800_000_010_000_000_000 - 1_000,
    }


def test_it_is_read_back_and_others_are_refused(tmp_path: Path) -> None:
    found = told(tmp_path, page(1, 1, 1, 1))
    path = tmp_path / "server_metrics_export.json"
    assert aiperf_server_metrics.read(path) == found
    path.write_text("[]")
    assert "it has no metrics" in refusal(lambda: aiperf_server_metrics.read(path))
