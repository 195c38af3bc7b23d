"""What users write after flags becomes values; what cannot be read names its flag and a form."""

import pytest

from infx.cli import values
from infx.model.record import Slo
from refusals import refusal


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["1,2,4"], (1, 2, 4)),
        (["1", "2", "4"], (1, 2, 4)),
        (["8,4", "1"], (8, 4, 1)),
        (["1,,2,"], (1, 2)),
        ([], ()),
        (["0", "-3"], (0, -3)),  # told apart from what is no number, so that both get their words
    ],
)
def test_concurrencies_keep_the_order_in_which_they_are_given(words, numbers):
    assert values.concurrencies(words) == numbers


def test_each_word_that_is_no_concurrency_is_named():
    assert refusal(lambda: values.concurrencies(["1,x", "2.5", "٣", "9" * 7])).splitlines() == [
        "--concurrency: 'x' is no number; use 1,2,4",
        "--concurrency: '2.5' is no number; use 1,2,4",
        "--concurrency: '٣' is no number; use 1,2,4",
        "--concurrency: '9999999' is no number; use 1,2,4",
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90.0),
        ("90s", 90.0),
        ("250ms", 0.25),
        ("20m", 1200.0),
        ("1.5h", 5400.0),
        (" 2s ", 2.0),
    ],
)
def test_durations_are_seconds(text, seconds):
    assert values.seconds(text, "--duration") == seconds


@pytest.mark.parametrize("text", ["", "0", "0s", "-1", "5x", "1 m", "1e3", "nan", "inf", ".5", "s"])
def test_what_is_no_duration_shows_one(text):
    assert refusal(lambda: values.seconds(text, "--grace")) == (
        f"--grace: {text!r} is no duration above 0; use 90s, 20m or 1h"
    )


def test_targets_are_seconds_and_unstated_ones_stay_unstated():
    assert values.slo(None) is None
    assert values.slo("ttft=0.5,tpot=50ms") == Slo(ttft=0.5, tpot=0.05)
    assert values.slo("e2el=10s") == Slo(e2el=10.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ttf=1", "--slo: unknown target 'ttf'; did you mean ttft?"),
        ("x=1", "--slo: unknown target 'x'; known are ttft, tpot, e2el"),
        ("ttft", "--slo: 'ttft' states no target; write it as ttft=0.5,tpot=50ms"),
        ("", "--slo: '' states no target; write it as ttft=0.5,tpot=50ms"),
        ("ttft=", "--slo: '' is no duration above 0; use 90s, 20m or 1h"),
        ("ttft=0", "--slo: '0' is no duration above 0; use 90s, 20m or 1h"),
        ("ttft=1,ttft=2", "--slo: ttft has two targets; state one"),
    ],
)
def test_bad_targets(text, says):
    assert refusal(lambda: values.slo(text)) == says


def test_headers_may_hold_colons_and_lose_the_space_around_them():
    assert values.headers([]) == ()
    assert values.headers(["X-A: b:c ", "Y:"]) == (("X-A", "b:c"), ("Y", ""))


def test_each_line_without_a_colon_is_named():
    assert refusal(lambda: values.headers(["A:b", "C", "D"])).splitlines() == [
        "--header: 'C' is no header; write it as NAME:VALUE",
        "--header: 'D' is no header; write it as NAME:VALUE",
    ]


def test_an_extra_body_is_a_json_object():
    assert values.extra_body(None) == {}
    assert values.extra_body('{"top_k": 1, "a": {"b": [1.5, null]}}') == {
        "top_k": 1,
        "a": {"b": [1.5, None]},
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON: "),
        ("", "not JSON: "),
        ('{"a": NaN}', "not JSON: "),
        ('{"a": "\\ud800"}', "not JSON: "),
        ("[1]", "not a JSON object; "),
        ('"x"', "not a JSON object; "),
        ('{"a": 9007199254740993}', "cannot be sent: 9007199254740993 is outside the integers"),
        ('{"a": ' + "[" * 300 + "]" * 300 + "}", "cannot be sent: "),
    ],
)
def test_what_cannot_be_sent_as_json_is_refused_before_it_is(text, says):
    said = refusal(lambda: values.extra_body(text))
    assert said.startswith(f"--extra-body: {says}")
    assert said.endswith("""; use '{"top_k": 1}'""")


def test_a_key_comes_from_the_named_variable_only():
    assert values.api_key(None, {"KEY": "sesame"}) is None
    assert values.api_key("KEY", {"KEY": "sesame"}) == "sesame"


@pytest.mark.parametrize("environment", [{}, {"KEY": ""}])
def test_a_variable_without_a_key(environment):
    assert refusal(lambda: values.api_key("KEY", environment)) == (
        "--api-key-env: the variable KEY is not set; export it"
    )


@pytest.mark.parametrize(
    ("argv", "kept"),
    [
        (["bench", "U", "--header", "X-Key: sesame"], ["bench", "U", "--header", "X-Key:***"]),
        (["--header=X:sesame", "--seed", "1"], ["--header=X:***", "--seed", "1"]),
        (["--header", "X:a:b", "--out", "a:b"], ["--header", "X:***", "--out", "a:b"]),
        (["--api-key-env", "KEY"], ["--api-key-env", "KEY"]),
    ],
)
def test_the_kept_command_line_has_no_secret(argv, kept):
    assert values.masked(argv) == tuple(kept)
