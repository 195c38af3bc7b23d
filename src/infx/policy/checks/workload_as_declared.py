"""Every point of a curve was asked the same, and what the registry asks for its model.

What
    Compares what each measured point was asked (corpus digest, seed, window, caps, duration, fast
    mode) with what the registry of models requires, and the points of one curve with each other.

Why
    A curve whose points were asked different things is no curve, and a shortened or a smaller
    workload flatters whoever ran it. No public check asks this; the rule is ours.

Fails
    A point was asked something else than its model requires, or something is required of it and
    nobody recorded it, or nothing is required of its model. Two points of a curve were asked
    different things. A new or changed point has no record of its workload.

Passes
    Every point has what is required, and every curve was asked one workload.

Fix
    Measure the point again with the workload that the finding names.

Evidence
    Each point's workload beside the required one (`workloads`), the points that the change asks for
    (`points`), and which entries share a curve (`curves`).
"""

import json
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from infx.model.run_facts import Workload
from infx.model.submission import Submission
from infx.model.verdict import Finding
from infx.policy.context import Context

NEEDS = ("points", "workloads")


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield the differences between the workloads of points and what they should be."""
    workloads = submission.workloads or ()
    bad = [*_unrecorded(submission)]
    for config in dict.fromkeys(one.config for one in workloads):
        bad += _against_required([one for one in workloads if one.config == config])
    for name, curve in _curves(submission).items():
        bad += _along(name, curve)
    yield from bad
    if not bad and not workloads:
        yield Finding(status="N/A", message="no point was measured anew")
    elif not bad:
        for name, curve in _curves(submission).items():
            yield Finding(
                status="PASS",
                message=f"the {len(curve)} points of {name} were asked what is required of them",
                cites=(curve[0].cite,),
                about=name,
            )


def _unrecorded(submission: Submission) -> Iterator[Finding]:
    """Yield the points that are new or changed, and whose workload nobody recorded."""
    recorded = {(one.config, one.concurrency) for one in submission.workloads or ()}
    cites = {one.key: one.cite for one in submission.configs or ()}
    missing: dict[str, set[int]] = {}
    for point in submission.points or ():
        is_new = point.digest is not None and point.digest != point.base_digest
        if is_new and not point.eval and (point.config, point.concurrency) not in recorded:
            missing.setdefault(point.config, set()).add(point.concurrency)
    for config, concurrencies in missing.items():
        named = ", ".join(f"c{one}" for one in sorted(concurrencies))
        yield Finding(
            status="FAIL",
            message=f"could not be verified: what {config} was asked at {named}",
            cites=(cites[config],) if config in cites else (),
            about=config,
            remedy="collect the client's record of those points (--run)",
        )


def _against_required(workloads: Sequence[Workload]) -> Iterator[Finding]:
    """Yield how an entry was asked otherwise than is required, once for all points so asked."""
    alike: dict[str, list[Workload]] = {}
    for one in workloads:
        for message in _differences(one):
            alike.setdefault(message, []).append(one)
    for message, mine in alike.items():
        points = ", ".join(f"c{one.concurrency}" for one in mine)
        found = _bad(mine[0], message.format(points=points))
        yield found.model_copy(update={"cites": tuple(one.cite for one in mine)})


def _differences(workload: Workload) -> Iterator[str]:
    """Yield each difference as a message in which `{points}` stands for who differs so."""
    name = f"{_literal(workload.config)} at {{points}}"
    if not workload.required:
        yield f"could not be verified: nothing is required of {name}"
    for key, wanted in workload.required.items():
        if key not in workload.facts:
            yield f"could not be verified: the {_literal(key)} of {name}"
        elif not _same(workload.facts[key], wanted):
            had, want = _literal(_text(workload.facts[key])), _literal(_text(wanted))
            yield f"{name} was asked with {_literal(key)} {had}; {want} is required"


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _along(name: str, curve: Sequence[Workload]) -> Iterator[Finding]:
    """Yield what differs along a curve: of each fact, the points that are not as its first."""
    for key in dict.fromkeys(key for one in curve for key in one.facts):
        holders = [one for one in curve if key in one.facts]
        for one in curve:
            if one not in holders and key not in one.required:
                point = f"{one.config} at c{one.concurrency}"
                yield _bad(one, f"could not be verified: the {key} of {point}, which others have")
        first = holders[0]
        others = [one for one in holders if not _same(one.facts[key], first.facts[key])]
        if others:
            odd = ", ".join(f"{_text(one.facts[key])} at c{one.concurrency}" for one in others)
            start = f"{_text(first.facts[key])} at c{first.concurrency}"
            yield _bad(others[0], f"the {key} differs along {name}: {start}, {odd}")


def _curves(submission: Submission) -> dict[str, list[Workload]]:
    """Return the workloads of each curve; an entry that is in no known curve is one of its own."""
    named = {config: curve.key for curve in submission.curves or () for config in curve.configs}
    found: dict[str, list[Workload]] = {}
    for one in submission.workloads or ():
        found.setdefault(named.get(one.config, one.config), []).append(one)
    return found


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Compare as JSON: true is not 1, and the order of keys says nothing."""
    return _text(one) == _text(other)


def _text(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _bad(workload: Workload, message: str) -> Finding:
    return Finding(
        status="FAIL",
        message=message,
        cites=(workload.cite,),
        about=workload.config,
        remedy="measure the point again with the workload that its model requires",
    )
