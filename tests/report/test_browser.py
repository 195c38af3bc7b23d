"""The page in a real browser: every point is drawn, nothing is asked for, nothing foreign runs."""

import shutil
from dataclasses import replace

import pytest

from infx.report.page import render

pytestmark = pytest.mark.browser

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page opened from disk, with all that it said and asked for."""

    def __init__(self, chromium, folder, report, **options):
        file = folder / "report.html"
        file.write_text(render(report), "utf-8")
        self.url = file.as_uri()
        self.said, self.asked = [], []
        self.page = chromium.new_page(**options)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(self.url)
        self.page.wait_for_function("document.documentElement.dataset.drawn === 'yes'")

    def count(self, selector):
        return self.page.locator(selector).count()


@pytest.fixture
def opened(chromium, tmp_path):
    pages = []

    def open_report(report, **options):
        pages.append(Opened(chromium, tmp_path, report, **options))
        return pages[-1]

    yield open_report
    for one in pages:
        one.page.close()


def test_every_point_is_drawn_without_an_error_or_a_request(opened, demo):
    shown = opened(demo())
    assert shown.count(".mark.best circle") == 3
    assert shown.count(".mark.dominated circle") == 1
    assert shown.count(".strip rect") == 3 * 4
    assert shown.count(".strip-tick line") == 3 * 150
    assert shown.count(".span.answering rect") == 80
    assert shown.said == []
    assert shown.asked == [shown.url]


def test_the_selector_draws_another_curve(opened, demo):
    shown = opened(demo())
    axis = shown.page.locator("#frontier svg")
    assert axis.get_attribute("aria-label") == "total throughput (tok/s) against E2EL p50 (s)"
    shown.page.get_by_text("TTFT p50", exact=True).first.click()
    assert axis.get_attribute("aria-label") == "total throughput (tok/s) against TTFT p50 (ms)"
    assert shown.count(".mark circle") == 4
    assert shown.said == []


def test_points_whose_figures_have_intervals_have_whiskers(opened, demo):
    shown = opened(demo((1, 12, 16)))
    assert shown.count(".whisker line") == 4  # two lanes of twelve and sixteen, on both axes
    assert shown.said == []


def test_points_are_reached_by_keyboard_and_tell_their_figures(opened, demo):
    shown = opened(demo())
    shown.page.locator(".mark.best circle").first.focus()
    shown.page.keyboard.press("ArrowRight")
    card = shown.page.locator("#card")
    text = card.inner_text()
    assert text.startswith("Concurrency 2")
    assert "20 ok" in text
    focused = shown.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused.startswith("concurrency 2; on the frontier; E2EL p50 ")
    shown.page.keyboard.press("Escape")
    assert card.is_hidden()


def test_requests_without_a_good_end_are_marked(opened, demo):
    shown = opened(demo((8,), troubled=8))
    assert shown.count(".span-failed path") == 5
    assert shown.said == []


def test_requests_of_one_lane_that_overlap_are_drawn_below_each_other(opened, demo):
    """Two lanes that never idle become one: it needs two rows, and has one name."""
    report = demo((2,))
    (point,) = report.points
    one = replace(point, records=tuple(replace(record, lane=0) for record in point.records))
    shown = opened(replace(report, points=(one,)))
    tops = "marks => [...new Set(marks.map(mark => mark.getAttribute('y')))].length"
    assert shown.page.locator("#timeline .waiting rect").evaluate_all(tops) == 2
    assert shown.page.locator("#timeline svg").get_by_text("0", exact=True).count() == 2  # and 0 s
    assert shown.said == []


def test_each_workload_of_a_mixed_run_has_a_curve_to_choose(opened, demo):
    report = demo()
    (series,) = report.series
    other = replace(series, name="agentic", curves=series.curves[1:])
    shown = opened(replace(report, series=(replace(series, name="64/32"), other)))
    svg = shown.page.locator("#frontier svg")
    assert svg.get_attribute("aria-label") == "64/32: total throughput (tok/s) against E2EL p50 (s)"
    shown.page.get_by_text("agentic", exact=True).click()
    assert svg.get_attribute("aria-label") == (
        "agentic: total throughput (tok/s) against TTFT p50 (ms)"
    )
    assert shown.count("#frontier fieldset") == 3
    assert shown.said == []


def test_a_hostile_name_does_nothing(opened, demo):
    shown = opened(demo((1, 2), model=HOSTILE))
    shown.page.locator(".mark.best circle").first.focus()
    assert shown.page.title() == f"{HOSTILE} on llama.cpp · infx"
    assert shown.page.locator("h1").inner_text() == f"{HOSTILE} on llama.cpp"
    assert shown.count("img") == 0
    assert shown.said == []
    assert shown.asked == [shown.url]


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_runs_over_the_side(opened, demo, width, scheme):
    lanes = (1, 2, 4, 8, 16, 32)
    shown = opened(demo(lanes), viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert shown.page.evaluate("document.documentElement.scrollWidth") == width
    assert shown.said == []


def test_one_point_is_enough(opened, demo):
    shown = opened(demo((1,)))
    assert shown.count(".mark circle") == 1
    assert shown.said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_with_other_senses_out(opened, demo, scheme):
    """Every rule of axe-core holds, also inside what is folded away."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    shown = opened(demo((1, 8), troubled=8), color_scheme=scheme)
    shown.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found = axe.Axe().run(shown.page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found] == []
