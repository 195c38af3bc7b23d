"""Agentic points that speculate accept as many tokens as the committed curve says.

What
    For each measured agentic point that speculates: the length of the golden curve of its model,
    thinking mode and draft length, beside the lengths in its recipe and those that its servers
    show. Lengths are compared as decimals, without tolerance. TensorRT-LLM is given one less, as it
    does not count the target's own token.

Why
    Recorded sessions are replayed with answers that a draft did not learn, so acceptance is
    simulated. A length that a submitter chooses would be a free choice of speed.

Fails
    No curve has the length. The recipe or a server has another one: 2.5 is not 2.49. A server does
    not simulate, in another mode, or by rates. No log of a point was gathered, or nothing of it at
    all. Acceptance is simulated where it may not be: in fixed sequences, in evals, without
    speculation. An engine is one that nobody knows how to read. Nobody says whether the runs let
    the model think, or a server is told otherwise where no request asks: a person has to say.

Passes
    Each server of each such point shows the curve's length in the engine's own mode, and no eval
    simulates. The same length in the recipe is redundant and passes. Points of the base that an
    append-only change does not measure again are not asked.

Fix
    Take the length out of the recipe and let the harness put it in. Commit a curve first where none
    has the length.

Evidence
    Affected entries (`configs`), their points (`points`), what each role asks for and shows
    (`acceptance`); added changelog entries (`changelog`) where there are any.
"""

from collections.abc import Iterable, Iterator

from infx.model.config_facts import Observed
from infx.model.run_facts import Acceptance
from infx.model.submission import Submission
from infx.model.verdict import Finding, Question
from infx.policy.context import Context
from infx.policy.findings import failed, observed
from infx.policy.scope import affected, points_by_config
from infx.policy.simulation import KNOBS, Knobs, folded, named, simulates
from infx.recipes.registries import AGENTIC

NEEDS = ("configs", "points", "acceptance")

_REMEDY = "take the length out of the recipe, let the harness put it in, and measure again"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield for each role of each point whether it accepts what it has to."""
    keys = {one.key for one in affected(submission)}
    found = list(_absent(submission))
    for row in _alike(submission.acceptance or ()):
        if row.config in keys:
            found += _golden(row) if _is_golden(row) else _real(row)
    if not found:
        message = "no affected entry has agentic points that speculate"
        yield Finding(status="N/A", message=message)
    yield from found


def _alike(rows: Iterable[Acceptance]) -> Iterator[Acceptance]:
    """Yield rows once that differ in nothing but their variants, for the points of all of them."""
    known: dict[str, list[Acceptance]] = {}
    for row in rows:
        same = row.model_copy(update={"variant": "", "concurrency": ()})
        known.setdefault(same.model_dump_json(), []).append(row)
    for mine in known.values():
        points = sorted({each for row in mine for each in row.concurrency})
        yield mine[0].model_copy(update={"concurrency": tuple(points)})


def _is_golden(row: Acceptance) -> bool:
    return row.agentic and row.speculates and not row.eval


def _absent(submission: Submission) -> Iterator[Finding]:
    """Yield for each speculating entry the agentic points of which nothing is known."""
    rows = [one for one in submission.acceptance or () if not one.eval]
    known = {(one.config, one.variant, each) for one in rows for each in one.concurrency}
    appends = submission.changelog is not None and any(
        one.append_only for one in submission.changelog.entries
    )
    points = points_by_config(submission)
    for config in affected(submission):
        lost = [
            point.concurrency
            for point in points.get(config.key, ())
            if point.scenario == AGENTIC
            and point.digest is not None
            and not point.eval
            and not (appends and point.digest == point.base_digest)
            and (point.config, point.variant, point.concurrency) not in known
        ]
        if lost and config.speculative:
            which = ", ".join(f"c{each}" for each in lost)
            message = f"could not be verified: nothing is known of the acceptance of {which}"
            remedy = "collect its effective recipe and its servers' logs"
            yield failed(config.key, message, config.cite, remedy=remedy)


def _golden(row: Acceptance) -> Iterator[Finding]:
    knobs = KNOBS.get(row.engine)
    bad = [] if knobs is None else list(_wrong(row, knobs))
    if knobs is None:
        message = f"could not be verified: nobody knows how {row.engine} simulates acceptance"
        yield failed(row.config, message, remedy="submit an engine that is known")
    elif bad:
        yield from bad
    else:
        lengths = knobs.lengths(row.observed or ())
        stated = ", as its recipe states too" if row.stated else ""
        message = f"{row.role} accepts {row.expected} as {row.curve} says{stated}"
        cites = tuple(one.cite for one in (*lengths, *row.stated))
        yield Finding(status="PASS", message=message, cites=cites, about=row.config)


def _wrong(row: Acceptance, knobs: Knobs) -> Iterator[Finding]:
    expected, length = row.expected, row.draft_tokens
    if expected is None or length is None:
        why = row.why or ("no curve has its length" if length else "its draft length is not known")
        message = f"{_who(row)}: no golden acceptance: {why}"
        asks = Question(asks=f"where is the acceptance of {_who(row)} from?", of="the signer")
        yield failed(row.config, message, remedy="commit a measured curve first", question=asks)
        return
    if not 1 <= expected <= length + 1:
        message = f"{_who(row)}: {row.curve} has {expected}, and {length} drafts give 1 to"
        yield failed(row.config, f"{message} {length + 1}", remedy="correct the curve")
    yield from _thinks(row)
    for one in knobs.on(row.stated):
        if one not in knobs.lengths(row.stated) or knobs.reads(one) != expected:
            yield _other(row, one, f"{_who(row)}: the recipe states", knobs)
    if row.observed is None:
        message = f"could not be verified: no log of {_who(row)} was gathered"
        yield failed(
            row.config, message, remedy="keep the server's log of the point, and collect it (--log)"
        )
        return
    yield from _shown(row, row.observed, knobs)


def _thinks(row: Acceptance) -> Iterator[Finding]:
    """Yield settings of a server that say other than the mode whose curve is asked for."""
    for one in row.told:
        if row.thinking is not None and one.mode != row.thinking:
            says = one.mode or "neither on nor off"
            message = f"could not be verified: {_who(row)} is held to {row.thinking}, and"
            asks = f"do the requests of {_who(row)} ask for {row.thinking}, whatever the server's"
            yield failed(
                row.config,
                f"{message} {one.name}={one.value} tells it {says} where no request asks",
                observed(one),
                remedy=f"tell the server {row.thinking} too",
                question=Question(asks=f"{asks} default is?", of="the signer"),
            )


def _shown(row: Acceptance, seen: tuple[Observed, ...], knobs: Knobs) -> Iterator[Finding]:
    """Yield what the servers of a role show other than the golden length."""
    lengths = knobs.lengths(seen)
    if not lengths:
        message = f"{_who(row)} shows no {knobs.length}: it does not simulate"
        yield failed(row.config, message, *(one.cite for one in seen), remedy=_REMEDY)
    for one in lengths:
        if knobs.reads(one) != row.expected:
            yield _other(row, one, f"{_who(row)} runs with", knobs)
    for one in knobs.on(seen):
        if one not in lengths:
            yield _other(row, one, f"{_who(row)} runs with", knobs)
    for name, word in knobs.words.items() if lengths else ():
        shown = [one for one in seen if named(one) == folded(name)]
        if not shown:
            message = f"{_who(row)} shows no {name}, which has to be {word}"
            yield failed(row.config, message, *(one.cite for one in lengths), remedy=_REMEDY)
        for one in shown:
            if one.value.strip().lower() != word:
                message = f"{_who(row)}: {one.name} is {one.value}, not {word}"
                yield failed(row.config, message, observed(one), remedy=_REMEDY)


def _other(row: Acceptance, one: Observed, who: str, knobs: Knobs) -> Finding:
    less = f" less {knobs.own}" if knobs.own else ""
    message = f"{who} {one.name}={one.value}, not {row.expected}{less} as {row.curve} says"
    return failed(row.config, message, observed(one), remedy=_REMEDY)


def _real(row: Acceptance) -> Iterator[Finding]:
    """Yield what simulates acceptance where it has to be real."""
    where = "an eval" if row.eval else "no agentic point that speculates"
    stated = () if row.agentic else row.stated
    found = simulates((*stated, *(row.observed or ())))
    for one in found:
        message = f"{_who(row)} is {where}, and simulates acceptance: {one.name}={one.value}"
        yield failed(
            row.config, message, observed(one), remedy="remove the setting, and measure again"
        )
    if found or not (row.eval and row.speculates):
        return
    if row.observed is None:
        message = f"could not be verified: no log of the eval {_who(row)} was gathered"
        yield failed(
            row.config, message, remedy="keep the server's log of the eval, and collect it (--log)"
        )
    else:
        message = f"the eval on {row.role} verifies for real"
        yield Finding(status="PASS", message=message, about=row.config)


def _who(row: Acceptance) -> str:
    points = ", ".join(f"c{each}" for each in row.concurrency)
    return f"{row.role} of {points}"
