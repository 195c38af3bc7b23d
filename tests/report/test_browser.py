"""The page in a real browser: every point is drawn, nothing is asked for, nothing foreign runs."""

import shutil

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
