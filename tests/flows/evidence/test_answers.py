"""What kept answers look like, by the rule that `look` states."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.flows.evidence.answers import READ, look, looks
from infx.model.record import EndState, Phase, RequestRecord


def record(text, *, state=EndState.OK, reason=None, phase=Phase.PROFILING):
    return RequestRecord(
        request=0, session=0, turn=0, lane=0, phase=phase, state=state, due_ns=0, sent_ns=0,
        end_ns=1, asked_input=8, asked_output=8, reason=reason, text=text,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("Nine.", "text"),
        ("no, no, no, no", "text"),  # 14 characters are too few to call it repeated
        ("!!!!!!!!!!!!!!!!", "repeated"),
        ("the the the the the the", "repeated"),
        ("the\n the the  the the the", "repeated"),  # white space is made alike
        ("I am here. I am here. I am here. I am", "text"),  # three times and a part
        ("I am here. I am here. I am here. I am here. I", "repeated"),
        # 3 of 33 characters before the loop are fewer than a tenth, 4 of 32 are more
        ("So." + "!" * 30, "repeated"),
        ("Well" + "!" * 28, "text"),
        ("\ufffd", "unreadable"),
        ("Bien s\ufffd", "text"),  # cut inside its last character
        ("\ufffd\ufffdn", "unreadable"),
        ("\x00\x01\x02 abcdefgh", "unreadable"),
        ("col\tumn\r\nline", "text"),
        ("\ue000" * 3 + "abcdefghijklmnopqrstuvwxyz.", "text"),  # a tenth may be of private use
        ("\ue000" * 4 + "abcdefghijklmnopqrstuvwxyz.", "unreadable"),
        ("千里の道も一歩から。始めることが大切です。", "text"),
    ],
)
def test_texts_are_told_apart(text, said):
    assert look(text) == said


@given(st.text(min_size=1, max_size=20, alphabet="abc "), st.integers(4, 9))
def test_a_piece_over_and_over_is_repeated_or_too_short_or_empty(piece, times):
    text = piece * times
    bare = " ".join(text.split())
    # What is trimmed at the ends may have been a part of the fourth piece.
    if len(bare) >= 4 * (len(piece)) and len(bare) >= 16:
        assert look(text) == "repeated"


def test_only_the_beginning_of_a_long_answer_is_looked_at():
    assert look("a" * READ + "a new thought" * 10) == "repeated"


def test_kept_answers_of_the_profiling_phase_are_counted():
    found = looks(
        [
            record("Nine."),
            record("Nine.", phase=Phase.WARMUP),
            record(None),
            record(""),  # it only reasoned, or called a tool
            record("", state=EndState.ERROR, reason="empty"),
            record("Ni", state=EndState.CANCELLED_AT_END, reason="drained"),
            record("\n"),
        ]
    )
    assert found == {"text": 1, "empty": 2}
