"""Which rows also check answers: at the concurrencies where a wrong kernel shows, once a topology.

Fixed lengths are evaluated at 8k1k and from concurrency 16 on. On one node that is the highest and
the upper median of the distinct concurrencies of a deployment; over several nodes the highest of
each topology. Agent sessions are evaluated at the highest concurrency of a deployment (one node) or
topology. The two editions of the rules differ for agent sessions; see decision 0025.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter

from infx.matrix.options import SEQUENCES, Edition
from infx.model.sweep import (
    AgenticMultiRow,
    AgenticSingleRow,
    FixedMultiRow,
    FixedSingleRow,
    Row,
)

MIN_CONC = 16
"""The lowest concurrency that is worth an evaluation by itself."""

LM_EVAL = ("lm-eval", "")
VENDORS = {
    "kimik3": ("kimi-vendor", "kimi_tool_call_schema_full"),
    "minimaxm3": ("minimax-vendor", "minimax_m3_full"),
}
"""Model prefixes whose agent sessions run their vendor's own suite, at every concurrency."""

NO_EVAL = {
    "run_eval": False,
    "eval_conc": None,
    "eval_all_concs": None,
    "eval_framework": None,
    "eval_suite": None,
}
MARKS = frozenset({*NO_EVAL, "eval_only"})
"""Fields that say how a row is evaluated, not what it is."""

_NAMES = frozenset({"conc", "exp_name", "config_key"})
_Picks = dict[int, int]
"""Index of a row -> the concurrency that is evaluated."""
_Groups = defaultdict[Hashable, list[tuple[int, int]]]
"""Rows by what they have in common: index and concurrency of each."""


def top(row: Row) -> int:
    """Return the highest concurrency of a row."""
    return row.conc if isinstance(row.conc, int) else max(row.conc)


def lowest(row: Row) -> int:
    """Return the lowest concurrency of a row."""
    return row.conc if isinstance(row.conc, int) else min(row.conc)


def shape(row: Row) -> Hashable:
    """Return what a row deploys and asks: all of it but names, concurrencies and evaluations."""
    kind = type(row)
    return kind, _deployed(kind)(row.__dict__)


@cache
def _deployed(kind: type[Row]) -> Callable[[Mapping[str, object]], Hashable]:
    return itemgetter(*(name for name in kind.model_fields if name not in {*_NAMES, *MARKS}))


def changed(row: Row, **fields: object) -> Row:
    """Return a row with other values; fields that its form does not have are left out."""
    known = type(row).model_fields
    return row.model_copy(update={k: v for k, v in fields.items() if k in known})


def is_8k1k(row: Row) -> bool:
    """Whether a row asks requests of the one pair of lengths that is evaluated."""
    if type(row) is FixedSingleRow or type(row) is FixedMultiRow:
        return (row.isl, row.osl) == SEQUENCES["8k1k"]
    return False


def vendor(row: Row, edition: Edition) -> tuple[str, str] | None:
    """Return the vendor's suite that a row runs by itself."""
    if edition == "2026-08" or row.model_prefix not in VENDORS:
        return None
    agentic = type(row) is AgenticSingleRow or type(row) is AgenticMultiRow
    return VENDORS[row.model_prefix] if agentic else None


def marked(row: Row, edition: Edition, conc: int, suite: tuple[str, str] = LM_EVAL) -> Row:
    """Return a row that is evaluated at `conc`; the rules of August do not name the suite."""
    fields: dict[str, object] = {"run_eval": True, "eval_conc": conc}
    if edition != "2026-08":
        fields |= {"eval_framework": suite[0], "eval_suite": suite[1]}
    return changed(row, **fields)


def mark(rows: Sequence[Row], edition: Edition, *, agentic: bool = True) -> list[Row]:
    """Choose evaluations by the default rule; every row says whether it is evaluated.

    Where a row runs its vendor's suite and is also the choice for GSM8K, a copy that is only
    evaluated stands at the end. By the rules of August, `agentic` False chooses no agent sessions.
    """
    picks = _fixed_picks(rows)
    if agentic or edition != "2026-08":
        picks |= _agentic_picks(rows, edition)
    found: list[Row] = []
    extra: list[Row] = []
    for index, row in enumerate(rows):
        suite = vendor(row, edition)
        if suite is not None:
            found.append(marked(row, edition, top(row), suite))
            if index in picks:
                copy = marked(row, edition, picks[index])
                extra.append(changed(copy, eval_only=True, require_power=None))
        elif index in picks:
            found.append(marked(row, edition, picks[index]))
        else:
            found.append(row if row.run_eval is False else changed(row, run_eval=False))
    return [*found, *extra]


def _fixed_picks(rows: Sequence[Row]) -> _Picks:
    single: _Groups = defaultdict(list)
    multi: _Groups = defaultdict(list)
    for index, row in enumerate(rows):
        if not is_8k1k(row) or top(row) < MIN_CONC:
            continue
        if type(row) is FixedSingleRow:
            key = (row.model, row.runner, row.framework, row.precision, row.spec_decoding)
            single[(*key, row.dp_attn)].append((index, row.conc))
        else:
            multi[shape(row)].append((index, top(row)))
    picks = _highest(multi.values())
    for group in single.values():
        distinct = sorted({conc for _, conc in group})
        wanted = (distinct[-1], distinct[len(distinct) // 2])
        picks |= {index: conc for index, conc in group if conc in wanted}
    return picks


def _agentic_picks(rows: Sequence[Row], edition: Edition) -> _Picks:
    single: _Groups = defaultdict(list)
    multi: _Groups = defaultdict(list)
    deployments: _Groups = defaultdict(list)
    for index, row in enumerate(rows):
        deployment = (row.model, row.runner, row.framework, row.precision)
        if type(row) is AgenticSingleRow:
            finer = (row.spec_decoding, row.dp_attn, row.image) if edition != "2026-08" else ()
            single[(*deployment, *finer)].append((index, row.conc))
        elif type(row) is AgenticMultiRow:
            deployments[deployment].append((index, top(row)))
            if top(row) >= MIN_CONC:
                multi[shape(row)].append((index, top(row)))
    picks = _highest(multi.values())
    if edition != "2026-08":
        # A deployment that never reaches the bound is still checked once.
        low = (group for group in deployments.values() if not any(i in picks for i, _ in group))
        picks |= _highest(list(low))
    return picks | _highest(single.values())


def _highest(groups: Iterable[list[tuple[int, int]]]) -> _Picks:
    """Return the highest concurrency of each group, of equals the first."""
    return dict(max(group, key=lambda member: member[1]) for group in groups)


def mark_all(rows: Iterable[Row], edition: Edition) -> list[Row]:
    """Evaluate every row that can be; rows of one topology over several nodes become one.

    With fixed lengths that row evaluates all of their concurrencies on one live server, with agent
    sessions the highest. It stands where the first of them stood.
    """
    found: list[Row] = []
    places: dict[Hashable, int] = {}
    for row in rows:
        suite = vendor(row, edition)
        if suite is not None:
            found.append(marked(row, edition, top(row), suite))
        if not (is_8k1k(row) or type(row) is AgenticSingleRow or type(row) is AgenticMultiRow):
            found.append(row)
        elif isinstance(row.conc, int):
            found.append(marked(row, edition, row.conc))
        else:
            place = places.setdefault(shape(row), len(found))
            if place == len(found):
                found.append(row)
            found[place] = _joined(found[place], row, edition)
    return found


def _joined(first: Row, other: Row, edition: Edition) -> Row:
    assert isinstance(first, AgenticMultiRow | FixedMultiRow)
    assert isinstance(other, AgenticMultiRow | FixedMultiRow)
    concs = tuple(sorted({*first.conc, *other.conc}))
    row = marked(changed(first, conc=concs), edition, concs[-1])
    if isinstance(row, FixedMultiRow):
        return changed(row, eval_conc=None, eval_all_concs=True)
    return row
