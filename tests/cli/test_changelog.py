"""`infx changelog check`: what an entry covers, and each form of the verdict.

Rules of its bytes, its schema and its modes are in `test_changelog_refusals` and `_modes`.
"""

import json

import pytest

import toy_repository
from toy_repository import CHANGELOG, LINK, entry, master
from transcript import Transcript, refused

FILE = "perf-changelog.yaml"
MASTER = "configs/toy-master.yaml"
FIXED, AGENTIC, BOTH = "toy-fp8-h200-sglang", "toy-fp4-h200-sglang-agentic", "toy-fp8-h200-vllm"


SGLANG = ("acme/sglang:v1", "acme/sglang:v2")
"""Changes the keys FIXED and AGENTIC."""
FEWER = ("conc-list: [4, 8]", "conc-list: [4]")
MORE = ("conc-list: [4, 8]", "conc-list: [4, 8, 16]")
"""Change FIXED alone."""


@pytest.fixture
def gate(repo, infx):
    """Commit edits of the master and a tail of the changelog, and return what `check` says."""

    def run(tail: str, *edits: tuple[str, str], words: tuple[str, ...] = ()) -> Transcript:
        repo.commit({MASTER: master(*edits), FILE: CHANGELOG + tail})
        return infx("changelog", "check", "--base", "main", *words)

    return run


def wrong(*lines: str) -> Transcript:
    return Transcript(1, "".join(f"{FILE}:{line}\n" for line in lines), "")


def test_an_entry_for_exactly_what_changed_passes(gate):
    assert gate(entry(FIXED, AGENTIC), SGLANG) == Transcript(
        0, f"{FILE}: 1 new entry, 2 config keys changed since main\n", ""
    )


def test_nothing_changed_and_nothing_added_passes(gate):
    assert gate("") == Transcript(
        0, f"{FILE}: 0 new entries, 0 config keys changed since main\n", ""
    )


def test_two_entries_may_share_what_changed(gate):
    assert gate(entry(FIXED) + entry(AGENTIC), SGLANG).code == 0


def test_a_missing_key_is_named(gate):
    assert gate(entry(FIXED), SGLANG) == wrong(
        f"7: {AGENTIC} changed, and no new entry names it; add it to config-keys"
    )


def test_a_change_without_an_entry_is_named(gate):
    assert gate("", FEWER) == wrong(
        f"6: {FIXED} changed, and no new entry names it; infx changelog add writes the entry"
    )


def test_a_superfluous_key_is_named(gate):
    assert gate(entry(FIXED, BOTH), FEWER) == wrong(
        f"9: {BOTH} did not change; remove it: nothing of it would run anew"
    )


def test_a_superfluous_key_next_to_a_missing_one_is_a_slip(gate):
    assert gate(entry(BOTH), FEWER) == wrong(
        f"7: {FIXED} changed, and no new entry names it; add it to config-keys",
        f"8: {BOTH} did not change; did you mean {FIXED}?",
    )


def test_a_glob_names_what_it_matches(gate):
    assert gate(entry("toy-*-h200-sglang*"), SGLANG).code == 0
    assert gate(entry("toy-fp8-*"), FEWER) == wrong(
        f"8: {BOTH} (by toy-fp8-*) did not change; remove it: nothing of it would run anew"
    )


def test_a_glob_without_a_match_and_an_unknown_key_are_refused(gate):
    assert gate(entry(FIXED, "acme-*", "toy-fp8-h200-sglan"), FEWER) == wrong(
        "9: acme-* matches no config key; list the config keys by name",
        "10: toy-fp8-h200-sglan is no config key; did you mean toy-fp8-h200-sglang?",
    )


def test_a_key_that_is_gone_needs_no_entry(gate):
    gone = toy_repository.MASTER[toy_repository.MASTER.index(f"\n{BOTH}:") :]
    assert gate("", (gone, "\n")) == Transcript(
        0, f"{FILE}: 0 new entries, 1 config key changed since main\n", ""
    )
    assert gate(entry(BOTH), (gone, "\n")).out.startswith(f"{FILE}:8: {BOTH} is no config key")


def test_a_scenario_that_is_left_out_must_not_have_changed(gate):
    tail = entry(BOTH, more="  scenario-type:\n    - agentic-coding\n")
    assert gate(tail, ("acme/vllm:v1", "acme/vllm:v2")) == wrong(
        f"7: {BOTH} changed in agentic-coding, fixed-seq-len, which scenario-type leaves out; "
        "add the scenario, or leave scenario-type out"
    )
    assert gate(tail, ("conc-list: [1]", "conc-list: [2]")).code == 0
    assert gate(tail, ("conc-list: [16]", "conc-list: [32]")) == wrong(
        f"7: {BOTH} changed in fixed-seq-len, which scenario-type leaves out; "
        "add the scenario, or leave scenario-type out"
    )
    fixed = entry(BOTH, more="  scenario-type:\n    - fixed-seq-len\n")
    assert gate(fixed + tail, ("conc-list: [16]", "conc-list: [32]")) == wrong(
        f"16: {BOTH} did not change in agentic-coding; remove it: nothing of it would run anew"
    )


def test_entries_are_counted_by_their_first_line(gate):
    tail = entry(FIXED).replace("- config-keys:", "- config-keys: &keys") + (
        f'\n- config-keys: *keys\n  description: ["A"]\n  pr-link: {LINK}2\n'
    )
    assert gate(tail, FEWER).code == 0
    assert gate("\n- config-keys:\n- config-keys:\n    - a\n", FEWER).code == 1


def test_a_correction_alone_passes_and_with_a_change_it_does_not_cover_it(repo, infx):
    repo.commit({FILE: CHANGELOG.replace("pull/1", "pull/10")})
    check = ("changelog", "check", "--base", "main")
    assert infx(*check).code == 0
    assert infx(*check, "--pr-link", f"{LINK}7").code == 0
    repo.commit({MASTER: master(FEWER)})
    assert infx(*check).code == 1


def test_append_only_gains_points_and_nothing_else(gate):
    tail = entry(FIXED, more="  append-only: true\n")
    assert gate(tail, MORE).code == 0
    assert gate(tail, FEWER) == wrong(
        f"12: append-only: {FIXED} gains no point; leave append-only out"
    )
    assert gate(tail, ("conc-list: [4, 8]", "conc-list: [8, 16]")) == wrong(
        f"12: append-only: {FIXED} loses toy_8k1k 8k1k tp4 ep4 at concurrency 4; "
        "keep every point that was there, or leave append-only out"
    )
    assert gate(tail, MORE, ("# what the toys run", "# more")).code == 0


def test_append_only_needs_a_key_that_was_there_and_stands_alone(gate):
    first, _, _ = toy_repository.MASTER.partition(f"\n{AGENTIC}")
    both = toy_repository.MASTER + first.replace(FIXED, "toy-new")
    tail = entry("toy-new", more="  append-only: true\n")
    assert gate(tail, (toy_repository.MASTER, both)) == wrong(
        "12: append-only: toy-new is new, it has no curve to append to; leave append-only out"
    )
    mixed = entry(FIXED, more="  append-only: true\n") + entry(BOTH)
    assert gate(mixed, MORE, ("tp: 2", "tp: 4")).out.startswith(
        f"{FILE}:14: this entry measures whole curves, and the one on line 7 is append-only; "
        "make two changes of them\n"
    )


def test_json_has_every_violation(gate):
    found = gate(entry(FIXED), SGLANG, words=("--format", "json"))
    assert found.code == 1
    assert json.loads(found.out) == {
        "file": FILE,
        "base": "main",
        "entries": 1,
        "changed": [FIXED, AGENTIC],
        "violations": [
            f"{FILE}:7: {AGENTIC} changed, and no new entry names it; add it to config-keys"
        ],
    }


def test_github_gets_an_annotation_for_each_violation(gate):
    found = gate(entry(FIXED), SGLANG, words=("--format", "github"))
    what = f"{FILE}:7: {AGENTIC} changed, and no new entry names it; add it to config-keys"
    assert found == Transcript(1, f"::error title=infx changelog::{what}\n", "")


def test_what_an_entry_says_cannot_steer_a_terminal(gate):
    out = gate(entry(FIXED, '"zz\\e[2J"'), FEWER).out
    assert "\x1b" not in out
    assert "zz�[2J is no config key" in out


def test_a_changelog_that_is_not_there_is_refused(repo, infx):
    assert infx("changelog", "check", "--base", "main", "--file", "no.yaml") == refused(
        2,
        "no.yaml: HEAD has no such file; commit it, or look at the work tree with --worktree",
    )
