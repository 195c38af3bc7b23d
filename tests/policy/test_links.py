import pytest

from infx.model.page_facts import Published
from infx.model.registry import Cookbook
from infx.policy.links import links, place, unfit

HUB = "https://github.com"
PULL = f"{HUB}/sgl-project/sglang/pull/45111"
PAGE = "https://docs.sglang.io/cookbook/Meta/Mini"
BOOK = Cookbook(
    engine="sglang",
    pages=("https://docs.sglang.io/cookbook/",),
    repositories=("sgl-project/sglang",),
    superseded=("sgl-project/sgl-cookbook",),
    source="here",
)


@pytest.mark.parametrize(
    ("text", "url", "found"),
    [
        (f"see {PULL}.", PULL, True),
        (f"[merged]({PULL}/files#diff-1)", PULL, True),
        ("see SGL-project/sglang#45111, merged", PULL, True),
        ("(sgl-project/sglang#45111)", PULL, True),
        ("see sgl-project/sglang#451110", PULL, False),
        ("see sgl-project/sglang#4511", PULL, False),
        ("see other/sgl-project/sglang#45111", PULL, False),
        ("see my-sgl-project/sglang#45111", PULL, False),
        (f"{PULL}2", PULL, False),
        ("#45111", PULL, False),
        (f"<{PAGE}#agentic>", PAGE, True),
        (f"{PAGE}/", f"{PAGE}#agentic", True),
        (f"{PAGE}2", PAGE, False),
        (f"https://evil.example/?{PAGE}", PAGE, False),
        ("", PAGE, False),
    ],
)
def test_a_text_links_an_address_and_no_longer_one(text, url, found):
    assert links(text, url) == found


def published(url, form="page", **more):
    return Published(url=url, form=form, engine="sglang", **more)


@pytest.mark.parametrize(
    ("one", "where"),
    [
        (published(PAGE), "official"),
        (published("https://docs.sglang.io.evil.example/cookbook/x"), "elsewhere"),
        (published("http://docs.sglang.io/cookbook/x"), "elsewhere"),
        (published("https://docs.sglang.io/cookbook/../x"), "elsewhere"),
        (published(PULL, "pull-request"), "official"),
        (published(PULL.replace("sgl-project", "SGL-Project"), "pull-request"), "official"),
        (published(f"{HUB}/sgl-project/sgl-cookbook/pull/1", "pull-request"), "superseded"),
        (published(f"{HUB}/sgl-project/sglang/tree/mini", "pull-request"), "elsewhere"),
        (published(f"{HUB}/eve/sglang/pull/45111", "pull-request"), "elsewhere"),
    ],
)
def test_a_link_leads_to_the_cookbook_or_elsewhere(one, where):
    assert place(one, BOOK) == where
    assert (unfit(one, BOOK) is None) == (where == "official" and one.form == "page")


def test_pages_that_nobody_read_and_pull_requests_that_nobody_merged_count_for_nothing():
    assert "nobody could read" in unfit(published(PAGE, readable=False), BOOK)
    assert unfit(published(PULL, "pull-request", state="draft"), BOOK) == "is not merged (draft)"
    assert "not known" in unfit(published(PULL, "pull-request"), BOOK)
