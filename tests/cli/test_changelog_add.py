"""`infx changelog add`: the entry for a change, as `check` wants it."""

from toy_repository import CHANGELOG, LINK, master
from transcript import Transcript

FILE = "perf-changelog.yaml"
MASTER = "configs/toy-master.yaml"
FIXED, AGENTIC = "toy-fp8-h200-sglang", "toy-fp4-h200-sglang-agentic"


def test_add_writes_the_entry_that_check_wants(repo, infx):
    repo.write({MASTER: master(("acme/sglang:v1", "acme/sglang:v2"))})
    said = infx("changelog", "add", "--base", "main", "--description", 'Say "v2".', "Twice: é")
    text = (
        f"- config-keys:\n    - {FIXED}\n    - {AGENTIC}\n  description:\n"
        f'    - "Say \\"v2\\"."\n    - "Twice: é"\n  pr-link: {LINK}XXX\n'
    )
    assert said == Transcript(0, text, "")
    assert (repo.root / FILE).read_text() == f"{CHANGELOG}\n{text}"
    repo.commit({})
    assert infx("changelog", "check", "--base", "main").code == 0
    again = infx("changelog", "add", "--base", "main", "--description", "More.")
    what = "nothing changed since main that no new entry names"
    assert again == Transcript(0, "", f"infx: {FILE}: {what}\n")


def test_add_names_the_scenario_where_another_one_did_not_change(repo, infx):
    repo.write({MASTER: master(("conc-list: [1]", "conc-list: [2]"))})
    words = ("--description", "More.", "--pr-link", f"{LINK}7")
    said = infx("changelog", "add", "--base", "main", *words)
    assert "  scenario-type:\n    - agentic-coding\n" in said.out
    assert f"  pr-link: {LINK}7\n" in said.out
    assert infx("changelog", "check", "--base", "main", "--worktree").code == 0


def test_add_refuses_a_bad_link_and_a_broken_history_and_writes_nothing(repo, infx):
    repo.write({MASTER: master(("conc-list: [4, 8]", "conc-list: [4]"))})
    add = ("changelog", "add", "--base", "main", "--description", "x")
    assert infx(*add, "--pr-link", "TBD").code == 2
    assert (repo.root / FILE).read_text() == CHANGELOG
    broken = CHANGELOG.replace("Begin", "Start")
    repo.write({FILE: broken})
    assert infx(*add).code == 2
    assert (repo.root / FILE).read_text() == broken
