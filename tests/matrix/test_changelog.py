"""The byte contract: history keeps its bytes, additions stand apart by one empty line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.matrix.changelog import Links, delta, repository_of

LINK = "https://github.com/acme/bench/pull/"
OLD = (
    "- config-keys:\n    - toy-a\n  description:\n    - \"First.\"\n"
    f"  pr-link: {LINK}1\n"
    "\n"
    f"- config-keys:\n    - toy-b\n  description:\n    - \"Second.\"\n  pr-link: {LINK}XXX\n"
).encode()  # fmt: skip
NEW = f'- config-keys:\n    - toy-c\n  description:\n    - "Third."\n  pr-link: {LINK}3\n'


def said(new: bytes, old: bytes = OLD, **links: str) -> list[str]:
    return [str(problem) for problem in delta(old, new, "log.yaml", Links(**links)).problems]


def test_an_entry_after_one_empty_line_is_an_addition():
    found = delta(OLD, OLD + f"\n{NEW}".encode(), "log.yaml")
    assert (found.tail.decode(), found.line, found.problems) == (f"\n{NEW}", 12, ())
    assert not found.edited


def test_nothing_added_is_nothing_wrong():
    assert delta(OLD, OLD, "log.yaml").tail == b""
    assert said(OLD) == []


def test_the_first_entry_of_a_file_needs_no_separator():
    assert said(NEW.encode(), b"") == []
    assert said(f"\n{NEW}".encode(), b"") == [
        "log.yaml:2: an empty line stands before the entry; put none there"
    ]


@pytest.mark.parametrize(
    ("tail", "problems"),
    [
        (NEW, ["log.yaml:12: no empty line stands before the entry; put exactly one there"]),
        (
            f"\n\n{NEW}",
            ["log.yaml:14: 2 empty lines stand before the entry; put exactly one there"],
        ),
        (f"\n{NEW}\n", ["log.yaml:18: empty lines end the file; end it with the last entry's LF"]),
        (f"\n{NEW[:-1]}", ["log.yaml:17: the file does not end with LF; end the last line"]),
        ("\n", ["log.yaml:12: empty lines end the file; end it with the last entry's LF"]),
        (f"  \n{NEW}", ["log.yaml:12: the line holds only spaces; leave separators empty"]),
        (
            f"\n{NEW}{NEW}",
            ["log.yaml:18: no empty line stands before the entry; put exactly one there"],
        ),
        (
            f"\n{NEW}".replace("  pr", "\n  pr"),
            ["log.yaml:17: an empty line stands inside an entry; remove it"],
        ),
        (f"\n{NEW}".replace("Third", "Th\tird"), ["log.yaml:16: the line holds a tab; remove it"]),
        (f"\n{NEW}".replace("Third", "Th\0d"), ["log.yaml:16: the line holds a NUL; remove it"]),
        (
            "  append-only: true\n",
            ["log.yaml:12: the text does not begin an entry; begin with - config-keys:"],
        ),
        (
            "\n- description: [x]\n",
            ["log.yaml:13: the entry does not begin with config-keys; put it first"],
        ),
    ],
)
def test_an_addition_that_breaks_the_contract_is_named_by_line(tail: str, problems: list[str]):
    assert said(OLD + tail.encode()) == problems


def test_crlf_is_said_once_and_the_rest_is_judged_all_the_same():
    crlf = (OLD + f"\n\n{NEW}".encode()).replace(b"\n", b"\r\n")
    assert said(crlf) == [
        "log.yaml:1: 18 lines end with CR LF, this is the first; end lines with LF alone",
        "log.yaml:14: 2 empty lines stand before the entry; put exactly one there",
    ]


def test_latin_1_is_not_utf_8():
    tail = f"\n{NEW}".encode().replace(b"Third", b"Caf\xe9")
    assert said(OLD + tail) == ["log.yaml:16: the text is not UTF-8; save the file as UTF-8"]


def test_an_entry_in_the_middle_is_refused_with_its_link():
    middle = OLD.index(b"- config-keys:\n    - toy-b")
    inserted = NEW.replace(f"{LINK}3", "TBD").encode() + b"\n"
    assert said(OLD[:middle] + inserted + OLD[middle:], repository="acme/bench") == [
        "log.yaml:8: 6 lines inserted into the history; append new entries at the end of the file",
        (
            "log.yaml:11: pr-link: 'TBD' is no pull request; write "
            "https://github.com/acme/bench/pull/NUMBER, or XXX for a number that is not known yet"
        ),
    ]


def test_edited_and_removed_history_is_refused():
    assert said(OLD.replace(b"First", b"1st")) == [
        (
            "log.yaml:4: 1 line of the history changed; restore them; only pr-link lines may be "
            "corrected"
        )
    ]
    assert said(OLD[OLD.index(b"\n- ") + 1 :]) == [
        "log.yaml:2: 6 lines of the history gone; put them back"
    ]


def test_a_placeholder_may_be_corrected_to_the_number():
    new = OLD.replace(b"XXX", b"2")
    found = delta(OLD, new, "log.yaml", Links("acme/bench"))
    assert (found.corrected, found.problems, found.tail) == ((11,), (), b"")


@pytest.mark.parametrize("link", ["XXX", LINK + "XXX2", LINK + "02", LINK + "2/files"])
def test_a_correction_must_be_canonical(link: str):
    (problem,) = said(OLD.replace(f"{LINK}XXX".encode(), link.encode()))
    assert problem.startswith("log.yaml:11: pr-link: ")


def test_corrections_and_additions_do_not_mix():
    new = OLD.replace(b"XXX", b"2") + f"\n{NEW}".encode()
    assert said(new) == [
        (
            "log.yaml:12: entries are added here, and 1 line of the history corrected; make two "
            "changes of it: corrections come alone"
        )
    ]


@pytest.mark.parametrize(
    ("link", "says"),
    [
        ("TBD", "pr-link: 'TBD' is no pull request"),
        ("https://github.com/else/where/pull/3", "of another repository than acme/bench"),
        ("https://github.com/else/where/pull/XXX", "of another repository than acme/bench"),
        (f"{LINK}4", f"pr-link: {LINK}4 is another pull request"),
        (f"{LINK}3/changes", "is no pull request"),
        (f"http://{LINK[8:]}3", "is no pull request"),
    ],
)
def test_links_that_are_refused(link: str, says: str):
    problem = Links("acme/bench", f"{LINK}3").problem(link, "log.yaml:9")
    assert says in str(problem)


@pytest.mark.parametrize("link", [f"{LINK}3", f"{LINK}XXX", "XXX"])
def test_links_that_are_taken(link: str):
    assert Links("acme/bench", f"{LINK}3").problem(link, "log.yaml:9") is None


def test_the_repository_is_that_of_the_last_proper_link():
    assert repository_of(OLD + b"  pr-link: odd\n") == "acme/bench"
    assert repository_of(b"") is None


@given(st.binary(max_size=60), st.integers(0, len(OLD)))
def test_no_bytes_put_into_the_history_pass(junk: bytes, at: int):
    new = OLD[:at] + junk + OLD[at:]
    found = delta(OLD, new, "log.yaml")
    if new != OLD and not new.startswith(OLD) and not found.corrected:
        assert found.problems
    if not found.problems and not found.corrected:
        assert new == OLD + found.tail
