"""A change that says it only appends leaves every earlier point as it was.

What
    When a new entry of the changelog has `append-only`: all points of the base are compared with
    those of the head by their recipe digests, new points with the curve that they join, and the
    files that earlier points rest on with what they were: those that a recipe names, and what their
    scripts source, run, import and name in turn. What the strict gate found in the changelog's
    bytes is told with or without `append-only`.

Why
    An append-only change measures its new points alone. If an earlier point changed too, its curve
    would mix two launches and nobody would have measured one of them.

Fails
    Another new entry measures whole curves, or an entry chooses evals. A point of the base is gone
    or has another digest; a file that it rests on changed, or a changed script may be one that
    nobody could read among them; its entry has another image. A new point
    is of no entry that was selected, starts a curve, has another image than its curve or none.
    Nothing is added. A byte of the changelog's history changed.

Passes
    Every point of the base is there with its digest, and each new one joins an existing curve of
    its entry and scenario with the same image. Which file changed does not matter, only what rests
    on it. Without `append-only` there is nothing to hold to.

Fix
    Remove `append-only`, and measure the curve again; or take out what reaches earlier points.

Evidence
    Added entries and the gate's findings (`changelog`); with `append-only` also the points of base
    and head (`points`), what they rest on (`closures`) and the entries (`configs`).
"""

from collections.abc import Iterator

from infx.model.config_facts import Doubt, Point
from infx.model.review_facts import Changelog
from infx.model.submission import Submission
from infx.model.verdict import Cite, Finding, Question
from infx.policy.context import Context
from infx.policy.globs import fits
from infx.policy.scope import affected
from infx.recipes.images import plain

NEEDS = ("changelog",)

_REMEDY = "remove `append-only` and measure the curve again, or undo what reaches earlier points"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield what an append-only change does besides appending."""
    changelog = submission.changelog
    if changelog is None:
        return
    appends = any(entry.append_only for entry in changelog.entries)
    found = [_gate(one) for one in changelog.violations]
    if appends:
        found += _entries(changelog)
        found += _closures(submission, changelog)
        found += _points(submission, changelog)
    if not appends and not found:
        yield Finding(status="N/A", message="no new entry of the changelog has append-only")
    elif not found:
        cites = tuple(entry.cite for entry in changelog.entries)
        message = "every earlier point is as it was, and new ones join existing curves"
        yield Finding(status="PASS", message=message, cites=cites)
    yield from found


def _gate(cite: Cite) -> Finding:
    message = f"the changelog is not only appended to: {cite.value or 'its history changed'}"
    return _bad(message, cite, remedy="undo the change to its history, and append at its end")


def _entries(changelog: Changelog) -> Iterator[Finding]:
    for entry in changelog.entries:
        named = ", ".join(entry.keys)
        if not entry.append_only:
            message = f"the entry of {named} measures whole curves beside append-only ones"
            yield _bad(message, entry.cite, remedy="give all new entries append-only, or none")
        elif entry.evals != "default":
            message = f"the entry of {named} is append-only and asks for {entry.evals}"
            yield _bad(message, entry.cite, remedy=f"remove {entry.evals}")


def _closures(submission: Submission, changelog: Changelog) -> Iterator[Finding]:
    """Yield what earlier points rest on that is not as it was, or that nobody can tell."""
    base = [one for one in submission.closures or () if one.side == "base"]
    for closure in base:
        points = f"{closure.config} at {', '.join(f'c{one}' for one in closure.concurrencies)}"
        for file in closure.files:
            if file.base != file.head:
                what = "is gone" if file.head is None else "changed"
                cite = Cite(path=file.path, value=f"named by {file.via}", at=submission.head)
                message = f"{file.path} {what}, and {points} rests on it"
                yield _bad(message, cite, about=closure.config)
        for doubt in closure.doubts:
            yield _doubt(doubt, points, closure.config)
    known = {(one.config, each) for one in base for each in one.concurrencies}
    lost = {
        point.config
        for point in submission.points or ()
        if point.base_digest is not None and (point.config, point.concurrency) not in known
    }
    cites = tuple(entry.cite for entry in changelog.entries if entry.append_only)
    for config in sorted(lost):
        why = submission.unknown.get("closures") or "nobody gathered what its points rest on"
        message = f"could not be verified: {config}: {why}"
        yield _bad(message, *cites, about=config, remedy="gather the closures of the base")


def _doubt(doubt: Doubt, points: str, config: str) -> Finding:
    gap = doubt.gap
    named = ", ".join(doubt.changed[:5])
    more = f" and {len(doubt.changed) - 5} more" if len(doubt.changed) > 5 else ""
    return Finding(
        status="FAIL",
        message=f"could not be verified: {points} may rest on {named}{more}: {gap.what}",
        cites=(Cite(path=gap.file, line=gap.line), *(Cite(path=one) for one in doubt.changed[:5])),
        about=config,
        remedy="write it so that it can be read, or remove `append-only`",
        question=Question(asks=f"does {points} run {named}{more}?", of="a core maintainer"),
    )


def _points(submission: Submission, changelog: Changelog) -> Iterator[Finding]:
    cites = tuple(entry.cite for entry in changelog.entries if entry.append_only)
    if submission.points is None or submission.configs is None:
        what = "points" if submission.points is None else "configs"
        why = submission.unknown.get(what) or f"the evidence has no {what}"
        yield _bad(f"could not be verified: {why}", *cites, remedy=f"gather the {what}")
        return
    places = {one.key: one.cite for one in affected(submission)}
    for config in affected(submission):
        before, now = config.image_before, config.image
        if config.change != "added" and before is not None and before != now:
            message = f"{config.key} has another image: {before} became {now}"
            yield _bad(message, config.cite, about=config.key)
    points = [one for one in submission.points if not (one.eval and one.digest is None)]
    old = [one for one in points if one.base_digest is not None]
    new = [one for one in points if one.base_digest is None and one.digest is not None]
    patterns = [key for entry in changelog.entries if entry.append_only for key in entry.keys]
    for point in old:
        yield from _earlier(point, *_place(point, places, cites))
    for point in new:
        yield from _appended(point, old, patterns, _place(point, places, cites))
    if not any(not one.eval for one in new):
        yield _bad("nothing is appended: the head has no point that the base lacks", *cites)


def _place(point: Point, places: dict[str, Cite], otherwise: tuple[Cite, ...]) -> tuple[Cite, ...]:
    return (places[point.config],) if point.config in places else otherwise


def _earlier(point: Point, *cites: Cite) -> Iterator[Finding]:
    if point.digest is None:
        yield _bad(f"{_name(point)} was in the base and is gone", *cites, about=point.config)
    elif point.digest != point.base_digest:
        message = f"{_name(point)} has another recipe: {point.base_digest} became {point.digest}"
        yield _bad(message, *cites, about=point.config)


def _appended(
    point: Point, old: list[Point], patterns: list[str], cites: tuple[Cite, ...]
) -> Iterator[Finding]:
    """Yield why a new point is not one that an append-only entry may bring."""
    if not any(fits(one, point.config, star="*", same=str.__eq__) for one in patterns):
        message = f"{_name(point)} is new, and no append-only entry selects {point.config}"
        yield _bad(message, *cites, about=point.config)
        return
    beside = [one for one in old if (one.config, one.scenario) == (point.config, point.scenario)]
    curve = [one for one in beside if one.series == point.series]
    if not curve:
        what = "its entry has no curve in the base" if not beside else f"it starts {point.series}"
        yield _bad(f"{_name(point)} joins no existing curve: {what}", *cites, about=point.config)
    elif not point.image or plain(point.image) not in {plain(one.image) for one in curve}:
        images = ", ".join(sorted({one.image for one in curve}))
        message = f"{_name(point)} has the image {point.image or 'none'}, its curve {images}"
        yield _bad(message, *cites, about=point.config)


def _name(point: Point) -> str:
    kind = "the eval of " if point.eval else ""
    return f"{kind}{point.config} {point.variant} c{point.concurrency}"


def _bad(message: str, *cites: Cite, remedy: str = _REMEDY, about: str | None = None) -> Finding:
    return Finding(status="FAIL", message=message, cites=cites, about=about, remedy=remedy)
