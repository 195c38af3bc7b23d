"""What an entry may not ask for: an append to a curve that changed, a key that nothing can run.

Every id is a rule of section 3 of the public pipeline's rules.
"""

import pytest

import gitted
from judged import agentic
from named_recipes import FLEET, ONE, PLAIN, RUNNERS
from toy_repository import CHANGELOG, LINK, entry
from transcript import Transcript, refused

FILE = "perf-changelog.yaml"
FIXED, BOTH = "toy-fp8-h200-sglang", "toy-fp8-h200-vllm"
MORE = ("conc-list: [4, 8]", "conc-list: [4, 8, 16]")
WIDER = ("conc-list: [16]", "conc-list: [16, 32]")
OUT = "leave append-only out"
APPEND = "  append-only: true\n"
SESSIONS = """\
    agentic-coding:
    - search-space:
      - tp: 2
        kv-offloading: none
        conc-list: [1]
"""
SHORT = "    - {isl: 1024, osl: 1024, search-space: [{tp: 4, conc-list: [4]}]}"
IMAGE = ("acme/vllm:v1", "acme/vllm:v2")


def wrong(*lines: str) -> Transcript:
    return Transcript(1, "".join(f"{FILE}:{line}\n" for line in lines), "")


def lost(key: str, point: str, line: int = 12) -> str:
    return (
        f"{line}: append-only: {key} loses {point}; "
        "keep every point that was there, or leave append-only out"
    )


POINTS = (
    "toy_1k1k 1k1k tp2 at concurrency 16",
    "toy_tp2_conc1_kvnone agentic tp2 at concurrency 1",
)


def images(point: str, line: int = 12) -> str:
    return (
        f"{line}: append-only: the curve of {point} of {BOTH} has several images: acme/vllm:v1, "
        "acme/vllm:v2; a curve has one image; leave append-only out"
    )


APPENDS = {
    "no-point-is-gained": (
        entry(FIXED, more=APPEND), (("[4, 8]", "[4]"),),
        [f"12: append-only: {FIXED} gains no point; {OUT}"],
    ),
    "a-concurrency-is-gone": (
        entry(FIXED, more=APPEND), (("[4, 8]", "[8, 16]"),),
        [lost(FIXED, "toy_8k1k 8k1k tp4 ep4 at concurrency 4")],
    ),
    "a-point-of-no-curve": (
        entry(FIXED, more=APPEND), (("conc-list: [4, 8]", f"conc-list: [4, 8]\n{SHORT}"),),
        [(f"12: append-only: toy_1k1k 1k1k tp4 at concurrency 4 of {FIXED} belongs to no curve "
         f"that was there; {OUT}")],
    ),
    "another-image": (
        entry(BOTH, more=APPEND), (IMAGE,),
        [*(lost(BOTH, one) for one in POINTS), *map(images, POINTS)],
    ),
    "another-key-is-edited": (
        entry(FIXED, more=APPEND), (MORE, ("conc-list: [16]", "conc-list: [16, 16]")),
        [f"12: append-only: {BOTH} is edited too; make two changes of it, or {OUT}"],
    ),
    "a-scenario-is-gone": (
        entry(BOTH, more=APPEND), (WIDER, (SESSIONS, "")),
        [(f"12: append-only: the scenarios of {BOTH} change from fixed-seq-len, agentic-coding to "
         f"fixed-seq-len; {OUT}"),
         lost(BOTH, POINTS[1])],
    ),
    "a-field-of-scenarios-left-out": (
        entry(BOTH, more=f"  scenario-type: [fixed-seq-len]\n{APPEND}"), (IMAGE,),
        [(f"7: {BOTH} changed in agentic-coding, fixed-seq-len, which scenario-type leaves out; "
         "add the scenario, or leave scenario-type out"),
         (f"13: append-only: image of {BOTH} changes for scenarios left out; "
         f"select all scenarios, or {OUT}"),
         *(lost(BOTH, one, 13) for one in POINTS), *(images(one, 13) for one in POINTS)],
    ),
    "beside-an-ordinary-entry": (
        entry(FIXED, more=APPEND) + entry(BOTH), (MORE, ("tp: 2", "tp: 4")),
        [("14: this entry measures whole curves, and the one on line 7 is append-only; "
         "make two changes of them"),
         f"12: append-only: {BOTH} is edited too; make two changes of it, or {OUT}"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", APPENDS)
def test_an_append_that_changes_more_is_refused(judge, case):
    added, edits, lines = APPENDS[case]
    assert judge(CHANGELOG + added, edits=edits) == wrong(*lines)


def test_a_key_whose_head_cannot_be_read(judge):
    said = judge(CHANGELOG + entry(BOTH), edits=(("tp: 2", "tp: two"),))
    place = "configs/toy-master.yaml:{}: toy-fp8-h200-vllm.scenarios.{}.0.search-space.0.tp"
    what = "input should be a valid integer, found 'two'"
    first, second = place.format(48, "fixed-seq-len"), place.format(52, "agentic-coding")
    assert said == refused(2, f"{first}: {what}\ninfx: {second}: {what}")


def test_a_first_text_that_is_no_list(repo, infx):
    repo.git("checkout", "-q", "main")
    repo.git("rm", "-q", FILE)
    repo.git("commit", "-q", "-m", "none yet")
    repo.git("checkout", "-q", "-b", "first")
    repo.commit({FILE: "toy: 1\n"})
    assert infx("changelog", "check", "--base", "main") == wrong(
        "1: the text does not begin an entry; begin with - config-keys:",
        "1: the document: input should be a valid array",
    )


@pytest.fixture
def october(tmp_path, infx):
    """Check an entry for `toy` in a repository of October whose recipe file is another now."""
    log = f'- config-keys:\n    - toy\n  description:\n    - "Begin."\n  pr-link: {LINK}1\n'
    master = agentic(ONE, runner=FLEET)
    repo = gitted.repository(
        tmp_path,
        {"toy-master.yaml": master, "runners.yaml": RUNNERS, "recipes/toy.yaml": PLAIN, FILE: log},
    )

    def run(*, row: str = ONE, recipe: str = PLAIN) -> Transcript:
        repo.git("checkout", "-q", "-b", "topic")
        text = agentic(row, runner=FLEET)
        files = {"toy-master.yaml": text, "recipes/toy.yaml": recipe, FILE: log + entry("toy")}
        repo.commit(files)
        return infx("changelog", "check", "--base", "main")

    return run


def test_a_selected_key_whose_recipe_is_missing(october):
    said = october(row=ONE.replace("toy.yaml", "tiy.yaml"))
    assert (said.code, said.out) == (
        1,
        (
            f"{FILE}:8: toy cannot be generated; correct toy-master.yaml:12\n"
            "toy-master.yaml:12: there is no recipe tiy.yaml; did you mean toy.yaml?\n"
        ),
    )


def test_a_selected_key_whose_recipe_fits_no_point(october):
    said = october(recipe=PLAIN.replace("engine: sglang", "engine: vllm"))
    assert said.code == 1
    assert said.out.splitlines() == [
        f"{FILE}:8: toy cannot be generated; correct toy-master.yaml:12",
        (
            "toy-master.yaml:12: toy.scenarios.agentic-coding.0.search-space.0.srt-recipe: "
            "toy.yaml cannot be bound at concurrency 4; "
            "correct the row, or the recipe at the lines named here"
        ),
        (
            "recipes/toy.yaml: the recipe does not fit concurrency 4, KV offloading none, agg TP8 "
            "EP1; ask for what a variant states, or add a variant"
        ),
        (
            "recipes/toy.yaml:3: the recipe: the engine is vllm, the row has sglang "
            "(toy-master.yaml:12)"
        ),
    ]


def test_a_selected_key_that_can_run_passes(october):
    said = october(recipe=PLAIN.replace("name: toy", "name: toy\nenvironment: {A: '1'}"))
    assert (said.code, said.err) == (0, "")
