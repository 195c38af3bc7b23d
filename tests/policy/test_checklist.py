"""The public sentences are found where the threads lie; the rest stands on sentences of our own."""

import os
from pathlib import Path

import pytest

from commented import comment
from infx.model.checklist import Checklist, ChecklistItem, ChecklistRegistry
from infx.model.policy_set import PolicyRegistry
from infx.policy.checklist import negations, read, sentence_digest, word_digests, words
from infx.policy.signoff import TRIGGER, excuse, parse
from infx.store.registries import registry

PLAIN = (
    "Seen that the run of all points on the newest commit has passed, and linked its page below "
    "together with the scores"
)
TURNED = (
    "Seen that no setting of the launch makes the model compute less than its checkpoint says, "
    "and that none of the layers is left out of any pass"
)


def item(id_, sentence, **more):
    return ChecklistItem(
        id=id_,
        title=id_,
        exact=(sentence_digest(sentence),),
        words=word_digests(sentence),
        negations=negations(sentence),
        source="here",
        **more,
    )


CHECKLIST = Checklist(
    id="ours",
    sets=("ours",),
    items=(item("passing-sweep", PLAIN, names=("the run",)), item("evals", TURNED)),
    source="here",
)


def answers(*lines, details=""):
    body = "\n".join([TRIGGER, *lines, "### Additional detail section:", details])
    return read(parse(body), CHECKLIST)


def one(line):
    return answers(line).answers[0]


@pytest.mark.parametrize(
    ("line", "by"),
    [
        (f"- [x] {PLAIN}", "sentence"),
        (f"- [x] {PLAIN.upper()}!", "sentence"),
        (f"- [x] {PLAIN.replace('its page', '[its **page**](https://x.example/y)')}", "sentence"),
        (f"- [x] {PLAIN.replace('all points', 'all the points')}", "words"),
        (f"- [x] {PLAIN.replace('together with', 'with')}", "words"),
        ("- [x] <!-- item: passing-sweep --> anything at all", "id"),
        (f"- [x] <!-- item: unheard-of --> {PLAIN}", "sentence"),
        (f"- [x] {PLAIN.replace('has passed', 'has not passed')}", None),
        (f"- [x] {PLAIN.replace('all points', 'a few').replace('linked its page', 'kept')}", None),
        ("- [x] I have read everything", None),
    ],
)
def test_a_line_answers_by_its_id_its_sentence_or_its_words(line, by):
    found = one(line)
    assert (found.by, found.checked) == (by, by is not None)


def test_an_id_on_other_words_says_how_little_they_are_like():
    assert one("- [x] <!-- item: passing-sweep --> anything at all").similarity < 0.2
    assert one(f"- [x] {PLAIN}").similarity == 1


def test_an_item_that_one_line_denies_is_not_checked():
    found = answers(f"- [x] {PLAIN}", f"- [ ] {PLAIN}").answers[0]
    assert (found.lines, found.checked) == ((2, 3), False)


def test_items_without_a_line_and_lines_without_an_item_are_both_said():
    found = answers(f"- [x] {PLAIN}", "- [x] More than was asked")
    assert [(answer.item.id, answer.lines) for answer in found.answers] == [
        ("passing-sweep", (2,)),
        ("evals", ()),
    ]
    assert [line.bullet.line for line in found.others] == [3]


@pytest.mark.parametrize(
    ("detail", "explained"),
    [
        ("- The run: still waits for a node", True),
        ("- see passing-sweep, which waits", True),
        ("- Evals: pass\n  - and passing-sweep waits", True),
        ("- not-passing-sweep", False),
        ("- all is well with the run", False),
        ("", False),
    ],
)
def test_what_is_open_is_explained_where_the_details_name_it(detail, explained):
    found = answers(f"- [ ] {PLAIN}", details=detail).answers[0]
    assert bool(found.explained) is explained


def test_an_id_that_is_a_word_of_every_day_explains_only_where_it_opens_a_line():
    assert answers(details="- all evals passed").answers[1].explained == ()
    assert answers(details="- Evals: passed").answers[1].explained == (3,)


def test_only_the_words_of_a_sentence_are_compared():
    text = "**Isn't** [`A.md`](https://x.example/a(b) at https://y.example/z?q=1 — ＯＫ, `X_Y`"
    assert words("**Isn't** [`A.md`](https://x.example/a) — ＯＫ, `X_Y`") == [
        "isnt", "a", "md", "ok", "x", "y",
    ]  # fmt: skip
    assert negations(text) == 1


def test_every_policy_set_has_its_checklist():
    lists = registry(ChecklistRegistry)
    sets = {one.id: one for one in registry(PolicyRegistry).sets}
    assert {one for checklist in lists.checklists for one in checklist.sets} == set(sets)
    for checklist in lists.checklists:
        for name in checklist.sets:
            checks = {one.check for one in checklist.items if one.check is not None}
            assert checks <= set(sets[name].checks)
    assert [len(one.items) for one in lists.checklists] == [15, 18, 22]


def own():
    return registry(ChecklistRegistry).of("infx-1")


def test_our_own_sentences_are_the_titles():
    for one in own().items:
        told = (one.exact, one.words, one.negations)
        known = (sentence_digest(one.title),), word_digests(one.title), negations(one.title)
        assert told == known, one.id


def test_our_own_checklist_asks_all_that_is_public_and_has_an_item_for_each_of_our_checks():
    public = registry(ChecklistRegistry).of("2026-10")
    assert [one.id for one in own().items[:18]] == [one.id for one in public.items]
    added = {one.check for one in own().items[18:]}
    checks = {one.id: set(one.checks) for one in registry(PolicyRegistry).sets}
    assert added == checks["infx-1"] - checks["2026-10"]


@pytest.mark.parametrize(
    ("line", "by"),
    [
        ("- [x] <!-- item: {id} --> {title}", "id"),
        ("- [x] <!-- item: {id} --> {title}: run 900, 18 of 18", "id"),
        ("- [x] {title}", "sentence"),
        ("- [x] **{title}**.", "sentence"),
    ],
)
def test_each_of_our_own_sentences_answers_its_own_item(line, by):
    told = [line.format(id=one.id, title=one.title) for one in own().items]
    found = read(parse("\n".join([TRIGGER, *told])), own())
    assert [(one.lines, one.by) for one in found.answers] == [
        ((number,), by) for number in range(2, 2 + len(told))
    ]


def test_a_public_checklist_knows_our_titles_by_their_ids_only():
    public = registry(ChecklistRegistry).of("2026-10")
    told = [f"- [x] {one.title}" for one in public.items]
    found = read(parse("\n".join([TRIGGER, *told])), public)
    assert [one.lines for one in found.answers] == [()] * 18


@pytest.fixture(params=[("003", "2026-09", 8), ("000", "2026-10", 23)])
def thread(request):
    data = os.environ.get("INFX_REFERENCE_DATA")
    folder = Path(data or ".").parent.parent / "threads"
    number, policy_set, details = request.param
    files = list(folder.glob(f"{number}_*.txt"))
    if not data or not files:
        pytest.skip("needs the threads beside INFX_REFERENCE_DATA")
    parts = files[0].read_text("utf-8").split(f"{TRIGGER}, I have reviewed this and have:\n")
    body, _, after = parts[1].partition("\nSigned: ")
    signed = f"{TRIGGER}, I have reviewed this and have:\n{body}\nSigned: {after.splitlines()[0]}"
    return signed, registry(ChecklistRegistry).of(policy_set), details


def test_the_signed_reviews_of_the_threads_answer_every_item(thread):
    body, checklist, details = thread
    assert excuse(comment(body)) is None
    signoff = parse(body)
    assert len(signoff.details) == details
    found = read(signoff, checklist)
    assert [answer.by for answer in found.answers] == ["sentence"] * len(checklist.items)
    assert all(answer.checked for answer in found.answers)
    assert found.others == ()


def test_the_signed_reviews_of_the_threads_survive_a_drifting_hand(thread):
    body, checklist, _ = thread
    lines = body.split("\n")
    drifted = "\n".join(
        f"{line} indeed" if line.lstrip().startswith("•") and len(line) > 150 else line
        for line in lines
    )
    found = read(parse(drifted), checklist)
    by = {answer.by for answer in found.answers}
    assert by == {"sentence", "words"}
    assert all(answer.checked for answer in found.answers)


def test_a_review_of_the_old_checklist_lacks_what_is_new(thread):
    body, checklist, _ = thread
    newest = registry(ChecklistRegistry).of("2026-10")
    missing = [one.item.id for one in read(parse(body), newest).answers if not one.lines]
    new = ["draft-precision", "architecture-intact", "metrics-published", "recipe-published"]
    assert missing == ([*new, "frontier-counted"] if checklist.id == "2026-09" else [])
