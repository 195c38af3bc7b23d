"""How soon a job runs: a sum of what the policy says of it. No judgement, no model of language."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from hashlib import sha256

from pydantic import JsonValue

from infx.model.priority import CiPriority

QUANTUM = Decimal("0.001")

Row = Mapping[str, JsonValue]
"""A generated row as the workflow gets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Why jobs are queued: the forge's event, the pull request and its labels.

    `namespace` keeps the tokens of two runs apart.
    """

    namespace: str
    event: str = ""
    pull_request: int | None = None
    labels: frozenset[str] = frozenset()


def score(row: Row, policy: CiPriority, occasion: Occasion) -> Decimal:
    """Return the job's score in thousandths; labels of patchwork decide it alone."""
    return _quantised(sum((points for _, points in addends(row, policy, occasion)), Decimal(0)))


def addends(row: Row, policy: CiPriority, occasion: Occasion) -> Iterator[tuple[str, Decimal]]:
    """Yield why a job has its score, and how much each reason counts."""
    patchwork, labels = policy.labels.patchwork, occasion.labels
    if patchwork and labels & {*patchwork.names} and not labels & {*patchwork.waived_by}:
        yield "patchwork", patchwork.score
        return
    more = policy.adjustments
    yield "base-score", policy.base_score
    yield "event", more.event.get(occasion.event, Decimal(0))
    if "prefill" in row:
        yield "multi-node", more.multi_node
    if row.get("scenario-type") == "agentic-coding":
        yield "agentic", more.agentic
    if row.get("eval-only") is True:
        yield "eval-only", more.eval_only
    for field, known in (
        ("precision", more.precision),
        ("spec-decoding", more.spec_decoding),
        ("model-prefix", more.model_prefix),
    ):
        yield field, known.get(str(row.get(field)), Decimal(0))
    yield "framework", _by_prefix(str(row.get("framework")), more.framework_prefix)
    complete = policy.labels.checklist_complete
    if complete is not None and labels & {*complete.names}:
        yield "checklist-complete", complete.adjustment


def annotated(
    row: Row, policy: CiPriority, occasion: Occasion, path: Sequence[str]
) -> dict[str, JsonValue]:
    """Return the row with its `priority`, its `queue-token` and, where it skips, `skip-queue-pr`.

    `path` is where the row stands in the plan, so that equal rows get tokens of their own.
    """
    fields: dict[str, JsonValue] = {
        **row,
        "priority": f"{score(row, policy, occasion):.3f}",
        "queue-token": queue_token(row, namespace=occasion.namespace, path=path),
    }
    skip = policy.labels.skip_queue
    if skip is not None and skip.name in occasion.labels and occasion.pull_request is not None:
        fields["skip-queue-pr"] = occasion.pull_request
    return fields


def queue_token(row: Row, *, namespace: str, path: Sequence[str]) -> str:
    """Return 32 hex digits that name one job of one run: the form that public runners expect.

    It names a place in a queue, never what was measured; `model.identity` makes those keys.
    """
    canonical = json.dumps(row, sort_keys=True, separators=(",", ":"))
    return sha256(f"{namespace}:{'/'.join(path)}:{canonical}".encode()).hexdigest()[:32]


def _by_prefix(name: str, known: Mapping[str, Decimal]) -> Decimal:
    """Return what the first word says that `name` is, or begins with before a hyphen."""
    matches = (points for word, points in known.items() if f"{name}-".startswith(f"{word}-"))
    return next(matches, Decimal(0))


def _quantised(points: Decimal) -> Decimal:
    return points.quantize(QUANTUM, ROUND_HALF_UP)
