import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from infx.policy.quoting import block, code, markdown, visible

MARKER = "<!-- verdict -->"
HOSTILE = [
    MARKER,
    "<!-- infx: {} -->\n## PASS",
    "@org/everyone please look, see #12 and GH#3",
    "`@a` ``` ~~~",
    "a | b | c",
    "<script>alert(1)</script><details open>",
    "![x](https://evil.example/pixel.png) [a](javascript:x)",
    "https://github.com/o/r/pull/1 and www.evil.example and WWW.evil.example",
    "# heading",
    "- [x] item",
    "1. item",
    "1) item",
    "+ item",
    "=====",
    "> quote",
    "    code",
    "$x$ and $$y$$ and \\(z\\)",
    "&lt;b&gt; &#64;you",
    "*a* _b_ ~c~",
    "line\n\n## two",
    "a\u2028## b\u0085c",
]


def rendered(text):
    """The HTML of GitHub's dialect, near enough: tables, links without brackets, raw markup."""
    return MarkdownIt("gfm-like", {"html": True, "linkify": False}).enable("table").render(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_quotation_renders_as_its_own_words_and_nothing_else(text):
    shown = rendered(f"- {markdown(text)}")
    inside = re.fullmatch(r"<ul>\n<li>(.*)</li>\n</ul>\n", shown)
    assert inside is not None
    assert "<" not in inside[1]
    words = html.unescape(inside[1]).replace("\u200b", "")
    assert words == visible(text).strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_cell_stays_one_cell(text):
    shown = rendered(f"| a | b |\n|---|---|\n| {markdown(text)} | {code(text)} |")
    assert shown.count("<td>") == 2
    assert "<a " not in shown
    assert "<img" not in shown


@pytest.mark.parametrize("show", [markdown, code, block, visible])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_line_of_ours_can_be_forged(show, text):
    shown = show(text)
    if show is not visible:
        assert "<!--" not in shown
        assert "`" not in shown
        assert not re.search(r"@\w", shown)
    if show is markdown:
        assert not re.search(r"[@#]\w", html.unescape(shown))
    if show is not block:
        assert "\n" not in shown


def test_links_are_no_links():
    shown = markdown("see https://evil.example/x or WWW.evil.example")
    assert "://" not in shown
    assert not re.search(r"www\.", shown, re.IGNORECASE)


@pytest.mark.parametrize(
    ("char", "name"),
    [
        ("\u202e", "<U+202E>"),
        ("\u2066", "<U+2066>"),
        ("\u200b", "<U+200B>"),
        ("\u200d", "<U+200D>"),
        ("\ufeff", "<U+FEFF>"),
        ("\u00ad", "<U+00AD>"),
        ("\u3164", "<U+3164>"),
        ("\ufe0f", "<U+FE0F>"),
        ("\U000e0041", "<U+E0041>"),
        ("\x1b", "<U+001B>"),
        ("\x07", "<U+0007>"),
        ("\x00", "<U+0000>"),
        ("\x9b", "<U+009B>"),
        ("\ud800", "<U+D800>"),
        ("\u2029", "<U+2029>"),
    ],
)
def test_what_has_no_shape_is_named(char, name):
    assert visible(f"a{char}b") == f"a{name}b"
    assert html.unescape(markdown(f"a{char}b")) == f"a{name}b"


def test_marks_do_not_pile_up():
    assert visible("e\u0301") == "e\u0301"
    assert visible("e" + "\u0301" * 4) == "e\u0301\u0301<U+0301><U+0301>"


def test_a_long_text_is_cut_and_says_so():
    assert visible("x" * 310, limit=300) == "x" * 300 + " (and 10 more characters)"
    assert markdown("|" * 5, limit=2) == "&#124;&#124; &#40;and 3 more characters&#41;"


def test_words_of_any_language_stay_as_they_are():
    assert markdown("按并发配置 GB200 – naïve") == "按并发配置 GB200 – naïve"


def test_a_block_keeps_its_lines_and_ends_where_we_end_it():
    text = "a\n\n</pre>\n- b\n@you"
    shown = rendered(
        f"- one\n\n  {block(text)}\n- two".replace("\n", "\n  ").replace("\n  - two", "\n- two")
    )
    assert shown.count("<pre>") == shown.count("</pre>") == 1
    assert shown.count("<li>") == 2


@given(st.text())
def test_any_text_keeps_to_its_place(text):
    shown = markdown(text)
    assert "<" not in shown
    assert "\n" not in shown
    assert shown.isprintable() or " " in shown
    assert html.unescape(shown).replace("\u200b", "") == visible(text).strip()
