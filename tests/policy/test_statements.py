import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.policy.statements import SUBJECTS, statements


def read(text):
    return [(one.subject, one.values, one.whole) for one in statements(text)]


def some(subject, *values):
    return [(subject, values, False)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We add concurrency 20 and 28.", some("added-concurrency", "20", "28")),
        ("Adding concurrencies 8, 16, and 32", some("added-concurrency", "8", "16", "32")),
        ("covers concurrency 64 and 128", some("concurrency", "64", "128")),
        ("Concurrency 4–24 is new", some("concurrency", "4", "24")),
        ("at c8 it swaps", some("concurrency", "8")),
        ("on c4.large machines, and abc8", []),
        ("the concurrency of all", []),
        ("serves with TP4/EP4", [*some("parallelism", "TP4"), *some("parallelism", "EP4")]),
        ("DEP8 workers, HTTP2 and TP4x", []),
        ("pins sha256:8cfc5a72cb29", some("image-digest", "8cfc5a72cb29")),
        ("see /actions/runs/39195111790", some("run", "39195111790")),
        ("Run 39195111790 passed", some("run", "39195111790")),
        ("the 39195111790th", []),
        ("moves to lmsysorg/sglang:v0.5.19-cu130", some("image", "lmsysorg/sglang:v0.5.19-cu130")),
        ("keeps x/lmsysorg/sglang:v1", []),
        ("The image and the draft stay unchanged.", some("unchanged", "image", "draft")),
        (
            "Unchanged: checkpoint, TP4.",
            [
                *some("parallelism", "TP4"),
                *some("unchanged", "model", "topology"),
            ],
        ),
        ("The draft moves while the model checkpoint stays the same.", some("unchanged", "model")),
        ("HiCache is the same as before", some("unchanged", "cache")),
        ("only the draft tokens changed", some("only-changed", "draft-tokens")),
        (
            "This PR changes only the image and the topology.",
            some("only-changed", "image", "topology"),
        ),
        ("only tests changed", []),
        ("the draft attention backend is unchanged", []),
        ("The image is not unchanged.", []),
        ("It is faster. The weather is unchanged.", []),
    ],
)
def test_a_few_forms_of_prose_are_statements(text, expected):
    assert read(text) == expected


def test_what_is_quoted_fenced_or_hidden_is_not_stated():
    assert read("> concurrency 8\n```\nc16\n```\n<!-- TP4 -->\n`x`") == []


def test_a_statement_is_told_once_at_its_first_line():
    assert [(one.line, one.text) for one in statements("c8\nc8 and c16")] == [(1, "c8"), (2, "c16")]


BLOCK = """\
Text
```yaml infx-claims
concurrency: [1, 2, '4']
image: "lmsysorg/sglang:v1"
speed: high

nonsense
```
c8
"""


def test_a_claims_block_states_all_values_of_its_subjects():
    assert [(one.subject, one.values, one.whole, one.line) for one in statements(BLOCK)] == [
        ("concurrency", ("1", "2", "4"), True, 3),
        ("image", ("lmsysorg/sglang:v1",), True, 4),
        ("unknown", ("speed: high",), True, 5),
        ("unknown", ("nonsense",), True, 7),
        ("concurrency", ("8",), False, 9),
    ]


@given(st.text(alphabet="c1248 ,-–andTPconcurrency:`~>\n", max_size=300))
def test_any_text_is_read(text):
    for one in statements(text):
        assert one.subject in (*SUBJECTS, "unknown")
        assert one.values
        assert 1 <= one.line <= text.count("\n") + 1
