"""JSON is read as strictly as its standard, and every complaint names its line."""

import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infx.errors import InputError
from infx.store.documents import read_json
from refusals import refusal

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(value=JSON_VALUES.filter(lambda value: len(repr(value)) < 300), indent=st.booleans())
def test_any_json_reads_back_as_it_was(tmp_path_factory, value, indent):
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(json.dumps(value, indent=2 if indent else None), "utf-8")
    assert read_json(path).value == value


def strictly(data):
    """Read JSON as two other parsers do, and refuse what neither of them refuses."""

    def unique(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    def finite(text):
        if float(text) in (float("inf"), float("-inf")):
            raise ValueError("too large")
        return float(text)

    data = data.removeprefix(b"\xef\xbb\xbf")
    orjson.loads(data)
    return json.loads(data, object_pairs_hook=unique, parse_float=finite)


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text('{}[]",:0123456789.eE+-truefalsn \n\\u', max_size=40))
def test_json_is_accepted_exactly_where_a_strict_parser_accepts_it(tmp_path_factory, content):
    data = content if isinstance(content, bytes) else content.encode()
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_bytes(data)
    try:
        expected = strictly(data)
    except ValueError:
        with pytest.raises(InputError):
            read_json(path)
    else:
        assert read_json(path).value == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n "a": 2}', "a.json:2: the key a stands here and on line 1; keep one of "),
        ('{"a": NaN}', "a.json:1: this is not JSON: found 'NaN}' where a value should be"),
        ('{"a": 1\n', "a.json:2: this is not JSON: found the end of the file where , or } should"),
        ("[1,]", "a.json:1: this is not JSON: found ']' where a value should be"),
        ("{,}", "a.json:1: this is not JSON: found ',' where text or } should be"),
        ('{"a":1,}', "a.json:1: this is not JSON: found '}' where a key should be"),
        ("1 2", "a.json:1: this is not JSON: found '2' where the end of the file should be"),
        ("", "a.json:1: this is not JSON: found the end of the file where a value should be"),
        ('"\\ud800"', "a.json:1: a string holds half of a surrogate pair"),
        ("[1e999]", "a.json:1: 1e999 is too large for a number; quote it"),
        ("[01]", "a.json:1: this is not JSON: found '1' where , or ] should be"),
    ],
)
def test_what_is_no_usable_json_is_refused(write, text, message):
    assert refusal(lambda: read_json(write("a.json", text))).startswith(message)
