"""Each rule of the changelog, as `infx changelog check` refuses what breaks it.

Every id is a rule of section 3 of the public pipeline's rules. What an entry must cover, and the
rules that need two commits, are in `test_changelog`.
"""

import pytest

from toy_repository import CHANGELOG, LINK, entry
from transcript import Transcript

FILE = "perf-changelog.yaml"
FIXED, AGENTIC = "toy-fp8-h200-sglang", "toy-fp4-h200-sglang-agentic"
NEW = entry(FIXED)
FORM = f"write {LINK}NUMBER"
XXX = ", or XXX for a number that is not known yet"


def wrong(*lines: str) -> Transcript:
    return Transcript(1, "".join(f"{FILE}:{line}\n" for line in lines), "")


def tail(old: str, new: str, text: str = NEW) -> str:
    """Return the changelog with an entry more, a piece of which is replaced."""
    assert old in text
    return CHANGELOG + text.replace(old, new)


def more(text: str) -> str:
    """Return the changelog with an entry more that has another line, the twelfth."""
    return CHANGELOG + entry(FIXED, more=f"  {text}\n")


KEYS = f"- config-keys:\n    - {FIXED}\n"
SCHEMA = {
    "no-config-keys": (
        tail(f"{KEYS}  description", "- description"),
        ["7: the entry does not begin with config-keys; put it first",
         "7: 0: the key config-keys is missing; add config-keys"],
    ),
    "an-empty-list-of-config-keys": (
        tail(f":\n    - {FIXED}\n", ": []\n"),
        ["7: 0.config-keys: list should have at least 1 item after validation, not 0"],
    ),
    "config-keys-that-are-no-list": (
        tail(f":\n    - {FIXED}\n", f": {FIXED}\n"),
        [f"7: 0.config-keys: input should be a valid array, found '{FIXED}'"],
    ),
    "no-description": (
        tail('  description:\n    - "Change."\n', ""),
        ["7: 0: the key description is missing; add description"],
    ),
    "an-empty-description": (
        tail(':\n    - "Change."\n', ": []\n"),
        ["9: 0.description: list should have at least 1 item after validation, not 0"],
    ),
    "a-description-that-is-no-text": (
        tail('"Change."', "4"), ["10: 0.description.0: input should be a valid string, found 4"],
    ),
    "no-pr-link": (
        tail(f"  pr-link: {LINK}2\n", ""), ["7: 0: the key pr-link is missing; add pr-link"],
    ),
    "an-unknown-key": (
        more("evals-olny: true"), ["12: 0.evals-olny: unknown key; did you mean evals-only?"],
    ),
    "an-unknown-scenario": (
        more("scenario-type: [agentic]"),
        [("12: 0.scenario-type.0: input should be 'fixed-seq-len' or 'agentic-coding', "
         "found 'agentic'")],
    ),
    "no-scenario": (
        more("scenario-type: []"),
        ["12: 0.scenario-type: list should have at least 1 item after validation, not 0"],
    ),
    **{
        f"{mode}-that-is-no-boolean": (
            more(f"{mode}: 'yes'"),
            [f"12: 0.{mode}: input should be a valid boolean, found 'yes'"],
        )
        for mode in ("evals-only", "all-evals", "no-evals", "append-only")
    },
    "a-prefill-ep-below-1": (
        more("eval-min-prefill-ep: 0"),
        ["12: 0.eval-min-prefill-ep: input should be greater than or equal to 1, found 0"],
    ),
    "a-prefill-ep-that-is-no-number": (
        more("eval-min-prefill-ep: true"),
        ["12: 0.eval-min-prefill-ep: input should be a valid integer, found True"],
    ),
    "a-key-twice": (
        more("pr-link: x"),
        ["12: the key pr-link stands here and on line 11; keep one of the two"],
    ),
    "two-rules-of-the-schema": (
        more("evals-only: 1").replace('"Change."', "4"),
        ["10: 0.description.0: input should be a valid string, found 4",
         "12: 0.evals-only: input should be a valid boolean, found 1"],
    ),
}  # fmt: skip

MODES = {
    f"{mode}-with-{selector.partition(':')[0]}": (
        CHANGELOG + entry(FIXED, more=f"  {mode}: true\n  {selector}\n"),
        [(f"13: {selector.partition(':')[0]} selects evals, and {mode} on line 12 runs none; "
         "keep one of the two")],
    )
    for mode in ("no-evals", "append-only")
    for selector in ("all-evals: true", "evals-only: true", "eval-min-prefill-ep: 8")
}  # fmt: skip

SHIFTED = f"-  config-keys: [{FIXED}]\n   description: [Change.]\n   pr-link: {LINK}2\n"
BYTES = {
    "no-final-lf": ((CHANGELOG + NEW)[:-1], [
        "11: the file does not end with LF; end the last line"]),
    "two-final-lfs": (CHANGELOG + NEW + "\n", [
        "12: empty lines end the file; end it with the last entry's LF"]),
    "no-separator": (CHANGELOG + NEW[1:], [
        "6: no empty line stands before the entry; put exactly one there"]),
    "two-blank-lines": (CHANGELOG + "\n" + NEW, [
        "8: 2 empty lines stand before the entry; put exactly one there"]),
    "a-separator-of-spaces": (CHANGELOG + "  " + NEW, [
        "6: the line holds only spaces; leave separators empty"]),
    "an-empty-line-in-an-entry": (tail("  pr-link", "\n  pr-link"), [
        "11: an empty line stands inside an entry; remove it"]),
    "an-empty-addition": (CHANGELOG + "\n", [
        "6: empty lines end the file; end it with the last entry's LF",
        f"6: {FIXED} changed, and no new entry names it; infx changelog add writes the entry"]),
    "crlf": ((CHANGELOG + NEW).replace("\n", "\r\n"), [
        "1: 11 lines end with CR LF, this is the first; end lines with LF alone"]),
    "a-carriage-return": (tail('"Change."', '"Change."\r'), [
        "10: the line ends with CR LF; end lines with LF alone"]),
    "a-carriage-return-in-a-line": (tail('"Change."', '"Change.\rMore."'), [
        "10: the line holds a carriage return; remove it"]),
    "a-tab": (tail('"Change."', '"Change.\t"'), ["10: the line holds a tab; remove it"]),
    "a-nul": (tail('"Change."', '"Change.\0"'), ["10: the line holds a NUL; remove it"]),
    "not-utf-8": (tail("Change", "Chänge").encode("latin-1"), [
        "10: the text is not UTF-8; save the file as UTF-8"]),
    "entries-that-begin-otherwise": (tail(NEW[1:], SHIFTED), [
        "7: the entry does not begin with config-keys; put it first",
        ("6: 0 lines begin with - config-keys:, but there are 1 entries; "
        "begin each entry with - config-keys: at its dash")]),
}  # fmt: skip

HISTORY = {
    "edited-history": (CHANGELOG.replace("Begin", "Start") + NEW, [
        "4: 1 line of the history changed; restore them; only pr-link lines may be corrected"]),
    "deleted-history": (CHANGELOG.replace('  description:\n    - "Begin."\n', ""), [
        "3: 2 lines of the history gone; put them back"]),
    "an-entry-in-the-middle": (entry(AGENTIC, link="TBD")[1:] + "\n" + CHANGELOG, [
        "2: 6 lines inserted into the history; append new entries at the end of the file",
        f"5: pr-link: 'TBD' is no pull request; {FORM}{XXX}"]),
    "a-correction-to-another-repository": (
        CHANGELOG.replace("acme/bench/pull/1", "acme/other/pull/1"), [
            (f"5: pr-link: https://github.com/acme/other/pull/1 is of another repository than "
            f"acme/bench; {FORM}"),
            f"6: {FIXED} changed, and no new entry names it; infx changelog add writes the entry"]),
    "a-correction-to-a-placeholder": (CHANGELOG.replace("pull/1", "pull/XXX"), [
        f"5: pr-link: '{LINK}XXX' is no pull request; {FORM}",
        f"6: {FIXED} changed, and no new entry names it; infx changelog add writes the entry"]),
    "a-correction-with-an-addition": (CHANGELOG.replace("pull/1", "pull/10") + NEW, [
        ("6: entries are added here, and 1 line of the history corrected; "
        "make two changes of it: corrections come alone")]),
    "a-correction-with-an-edit": (CHANGELOG.replace("pull/1", "pull/10").replace("Begin", "End"), [
        "4: 2 lines of the history changed; restore them; only pr-link lines may be corrected"]),
    "a-line-more-in-the-history": (CHANGELOG.replace("  pr-link", "  no-evals: true\n  pr-link"), [
        "5: 1 line inserted into the history; append new entries at the end of the file"]),
}  # fmt: skip

LINKS = {
    "a-link-that-is-none": ("TBD", f"'TBD' is no pull request; {FORM}{XXX}"),
    "a-link-to-an-issue": (
        "https://github.com/acme/bench/issues/2",
        f"'https://github.com/acme/bench/issues/2' is no pull request; {FORM}{XXX}",
    ),
    "a-link-with-more-behind-it": (
        f"{LINK}2/files", f"'{LINK}2/files' is no pull request; {FORM}{XXX}",
    ),
    "a-link-to-another-repository": (
        "https://github.com/acme/other/pull/2",
        f"https://github.com/acme/other/pull/2 is of another repository than acme/bench; {FORM}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SCHEMA | MODES | BYTES | HISTORY)
def test_what_breaks_a_rule_is_refused(judge, case):
    log, lines = (SCHEMA | MODES | BYTES | HISTORY)[case]
    assert judge(log) == wrong(*lines)


@pytest.mark.parametrize("case", LINKS)
def test_a_link_that_is_no_pull_request_of_here_is_refused(judge, case):
    link, what = LINKS[case]
    assert judge(CHANGELOG + entry(FIXED, link=link)) == wrong(f"11: pr-link: {what}")


def test_pr_link_of_another_pr(judge):
    assert judge(CHANGELOG + NEW, "--pr-link", f"{LINK}3") == wrong(
        f"11: pr-link: {LINK}2 is another pull request; write {LINK}3"
    )


@pytest.mark.parametrize("mode", ["no-evals", "append-only"])
@pytest.mark.parametrize("label", ["all-evals", "evals-only"])
def test_labels_that_ask_for_evals_against_modes_without(judge, mode, label):
    assert judge(more(f"{mode}: true"), "--label", label) == wrong(
        f"12: the label {label} asks for evals, and {mode} runs none; remove the label {label}"
    )


def test_what_keeps_the_rules_passes(judge):
    said = Transcript(0, f"{FILE}: 1 new entry, 1 config key changed since main\n", "")
    assert judge(CHANGELOG + NEW) == said
    assert judge(CHANGELOG + entry(FIXED, link=f"{LINK}XXX")) == said
    assert judge(more("append-only: true")) == said
    assert judge(more("eval-min-prefill-ep: 8"), "--label", "all-evals") == said
