"""Nothing foreign becomes markup."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.report.markup import Html, data_block, element, escape, join


def test_text_and_attributes_are_escaped_and_own_markup_is_not():
    cell = element("td", "<b>&", Html("<i>ok</i>"), class_="a", aria_label='say "hi"', title=None)
    assert cell == '<td class="a" aria-label="say &quot;hi&quot;">&lt;b&gt;&amp;<i>ok</i></td>'


def test_what_utf8_cannot_carry_becomes_a_question_mark():
    assert escape("model\ud800").encode() == b"model?"


@given(st.text())
def test_escaped_text_has_no_markup_characters(text):
    assert not re.search(r"[<>\"']", escape(text))
    assert join([text, text]) == escape(text) * 2


@given(st.recursive(st.text() | st.none() | st.booleans(), st.lists))
def test_a_data_block_gives_back_what_went_in_and_cannot_be_ended_from_inside(value):
    block = data_block("x", value)
    inside = block.removeprefix('<script type="application/json" id="x">').removesuffix("</script>")
    assert json.loads(inside) == value
    assert inside.isascii()
    assert not set(inside) & set("<>&")


def test_numbers_that_json_cannot_carry_are_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        data_block("x", float("nan"))
