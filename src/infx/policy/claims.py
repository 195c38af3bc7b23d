"""The statements of a description beside the facts of the submission: what a check judges later.

Nothing is guessed: a statement whose fact nobody gathered has no comparison.
"""

from collections.abc import Callable, Iterable

from infx.model.review_facts import Claim
from infx.model.submission import Submission
from infx.model.verdict import Cite
from infx.policy.differences import changed, differences
from infx.policy.scope import affected
from infx.policy.statements import Statement, Subject, statements
from infx.recipes.images import plain

Known = tuple[str, ...] | None
"""The values that the facts have, None where nobody gathered them."""

_SIZES = {
    "TP": ("tensor-parallel-size", "tp-size", "tensor_parallel_size"),
    "EP": ("expert-parallel-size", "ep-size", "moe_expert_parallel_size"),
    "PP": ("pipeline-parallel-size", "pp-size", "pipeline_parallel_size"),
    "DP": ("data-parallel-size", "dp-size"),
}


def claims(submission: Submission) -> tuple[Claim, ...] | None:
    """Return the claims of a pull request's text, None where there is no text."""
    if submission.pull is None:
        return None
    return tuple(_claim(one, submission) for one in statements(submission.pull.body))


def block(submission: Submission) -> str:
    """Return a claims block that says what the facts have: a fence to put into a description."""
    lines = []
    for subject in ("config", "concurrency", "added-concurrency", "image"):
        values = _FACTS[subject](submission)
        if values:
            lines.append(f"{subject}: {', '.join(values)}")
    moved = changed(submission)
    if moved:
        lines.append(f"only-changed: {', '.join(dict.fromkeys(one.name for one in moved))}")
    return "\n".join(["```yaml infx-claims", *lines, "```"]) if lines else ""


def _claim(stated: Statement, submission: Submission) -> Claim:
    if stated.subject in ("unchanged", "only-changed"):
        known, equal = differences(stated, submission)
    else:
        known = _FACTS[stated.subject](submission) if stated.subject in _FACTS else None
        equal = None if known is None else _agrees(stated, known)
    return Claim(
        text=stated.text,
        subject=stated.subject,
        stated=", ".join(stated.values),
        actual=None if equal is None or known is None else ", ".join(known) or "none",
        equal=equal,
        cite=Cite(path="pull request", line=stated.line, value=stated.text),
    )


def _agrees(stated: Statement, known: tuple[str, ...]) -> bool | None:
    """Say whether a statement agrees with values; None where they cannot tell."""
    if stated.subject == "run" and not set(stated.values) <= set(known):
        return None  # a run that was not gathered may be there all the same
    if stated.subject == "image-digest":
        bare = [value.removeprefix("sha256:") for value in stated.values]
        return all(any(one.startswith(value) for one in known) for value in bare)
    if stated.subject == "image":
        return all(any(_names(value, one) for one in known) for value in stated.values)
    if stated.subject == "parallelism":
        kinds = {one[:2] for one in known}
        if not {value[:2] for value in stated.values} <= kinds:
            return None
    given = set(stated.values)
    return given == set(known) if stated.whole else given <= set(known)


def _names(stated: str, image: str) -> bool:
    """Return whether a reference, maybe without its digest, names an image."""
    written = plain(image)
    return stated in (written, written.partition("@")[0])


def _configs(submission: Submission) -> Known:
    if submission.configs is None:
        return None
    return tuple(one.key for one in affected(submission))


def _concurrencies(submission: Submission) -> Known:
    if submission.points is None:
        return None
    there = {one.concurrency for one in submission.points if one.digest}
    return _numbers(there)


def _added(submission: Submission) -> Known:
    if submission.points is None:
        return None
    old = {(one.config, one.concurrency) for one in submission.points if one.base_digest}
    new = {(one.config, one.concurrency) for one in submission.points if one.digest} - old
    return _numbers({concurrency for _, concurrency in new})


def _numbers(values: Iterable[int]) -> tuple[str, ...]:
    return tuple(str(value) for value in sorted(values))


def _parallelism(submission: Submission) -> Known:
    if submission.recipes is None:
        return None
    found: dict[str, None] = {}
    for recipe in submission.recipes:
        for role in recipe.roles.values():
            for kind, names in _SIZES.items():
                for name in names:
                    if name in role.args:
                        found[f"{kind}{role.args[name].value}"] = None
    return tuple(sorted(found))


def _images(submission: Submission) -> Known:
    if submission.configs is None:
        return None
    mine = {one.key for one in affected(submission)}
    points = (one.image for one in submission.points or () if one.config in mine and one.digest)
    return tuple(dict.fromkeys([*(one.image for one in affected(submission)), *points]))


def _digests(submission: Submission) -> Known:
    images = _images(submission)
    if images is None:
        return None
    return tuple(one.partition("@sha256:")[2] for one in images if "@sha256:" in one)


def _runs(submission: Submission) -> Known:
    return None if submission.runs is None else tuple(str(one.id) for one in submission.runs)


_FACTS: dict[Subject, Callable[[Submission], Known]] = {
    "config": _configs,
    "concurrency": _concurrencies,
    "added-concurrency": _added,
    "parallelism": _parallelism,
    "image": _images,
    "image-digest": _digests,
    "run": _runs,
}
