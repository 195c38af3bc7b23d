"""Two branches that both append are joined, byte for byte."""

from hypothesis import given
from hypothesis import strategies as st

from infx.matrix.changelog import delta
from infx.matrix.changelog_merge import join

LINK = "  pr-link: https://github.com/acme/bench/pull/"


def entry(number: int, text: str = "Why.") -> bytes:
    lines = ("- config-keys:", f"    - toy-{number}", "  description:", f'    - "{text}"')
    return "\n".join((*lines, f"{LINK}{number}", "")).encode()


OLD = entry(1) + b"  \n" + entry(2)  # history may have lines that no addition may have
A, B = b"\n" + entry(3), b"\n" + entry(4)


def test_both_additions_are_kept_in_order():
    assert join(OLD, OLD + A, OLD + B) == OLD + A + B
    assert join(OLD, OLD + B, OLD + A) == OLD + B + A


def test_one_addition_alone_is_the_result():
    assert join(OLD, OLD, OLD + B) == OLD + B
    assert join(OLD, OLD + A, OLD) == OLD + A


def test_an_entry_that_both_have_stands_once():
    assert join(OLD, OLD + A + B, OLD + A) == OLD + A + B
    assert join(OLD, OLD + A, OLD + A + B) == OLD + A + B


def test_a_corrected_link_of_one_side_is_kept_with_the_addition_of_the_other():
    corrected = OLD.replace(b"pull/2", b"pull/20")
    assert join(OLD, OLD + A, corrected) == corrected + A
    assert join(OLD, corrected, OLD + A) == corrected + A
    both = OLD.replace(b"pull/1", b"pull/10")
    assert join(OLD, corrected, both) == corrected.replace(b"pull/1\n", b"pull/10\n")


def test_what_is_no_append_is_left_to_people():
    assert join(OLD, OLD.replace(b"Why", b"Wy"), OLD + A) is None
    assert join(OLD, entry(1), OLD + A) is None
    assert join(OLD, OLD.replace(b"pull/2", b"pull/3"), OLD.replace(b"pull/2", b"pull/4")) is None
    assert join(OLD, (OLD + A)[:-1], OLD + B) is None


def test_two_branches_may_both_begin_the_file():
    assert join(b"", entry(1), entry(2)) == entry(1) + b"\n" + entry(2)


_ENTRIES = st.lists(st.integers(3, 99), unique=True, max_size=6)


@given(_ENTRIES, _ENTRIES)
def test_a_join_keeps_history_and_every_entry_and_the_contract(ours: list[int], theirs: list[int]):
    sides = [OLD + b"".join(b"\n" + entry(one) for one in side) for side in (ours, theirs)]
    joined = join(OLD, *sides)
    assert joined is not None
    assert joined.startswith(sides[0])
    assert delta(OLD, joined, "log.yaml").problems == ()
    numbers = [*ours, *(one for one in theirs if one not in ours)]
    assert joined == OLD + b"".join(b"\n" + entry(one) for one in numbers)
