"""The aggregate row that the public benchmark publishes of a point of fixed lengths.

Times are seconds. Total throughput is shared out among all accelerators; that of a single node's
input and output too, that of several nodes among the accelerators of their role. Each statistic of
TPOT that is above 0 also gives one of `intvty`, its reciprocal. So `std_intvty` is 1 over the
deviation of a time: readers of public rows expect the key, and nothing here shows it. Source: the
reference page, 4.3.
"""

from collections.abc import Iterator, Mapping

import orjson
from pydantic import JsonValue, ValidationError

from infx.errors import InputError, Problem, nearest
from infx.interchange.agentx_row import recipe_of
from infx.interchange.outgoing import Outgoing
from infx.model.agentx_row import MultiNodeRow, SingleNodeRow
from infx.model.result import Metric, MetricValue
from infx.model.result_row import ROLES, THROUGHPUTS, Accelerators, FixedRow, accelerators
from infx.model.serving_result import STATISTICS, TIMES

REMEDY = "state it with --fact KEY=VALUE"
OF_AGENTS = ("num_gpus", "kv_offloading")
"""Keys of a row of agent sessions that one of fixed lengths has not: its sizes count."""
COMPUTED = frozenset(
    [theirs for theirs, _ in THROUGHPUTS.values()]
    + [f"{name}_{theirs}" for name in STATISTICS for theirs in (*TIMES.values(), "intvty")]
)
"""Figures of a row: nobody states what was measured."""
STATABLE = dict.fromkeys(
    name
    for row in (FixedRow, SingleNodeRow, MultiNodeRow)
    for name in row.model_fields
    if name != "scenario_type"  # which would make it a row of agent sessions
)
"""Keys that a fact may have. Public rows have more, but a slip of the pen must not be one."""


def row_of(outgoing: Outgoing, facts: Mapping[str, JsonValue]) -> FixedRow:
    """Return the row of a point of fixed lengths.

    `facts` are keys of the row that the bundle does not know, or states otherwise. What nobody
    states is null. Raises InputError with every key that is missing or wrong, where the sizes make
    another number of accelerators than the point ran on, and for arrivals at a rate.
    """
    where = f"point {outgoing.point.directory[:16]}"
    known = {name: one for name, one in {**_known(outgoing), **facts}.items() if one is not None}
    problems = list(_misstated(facts, where))
    problems += _problems(outgoing, known, where)
    try:
        FixedRow.model_validate_json(orjson.dumps(known))
    except ValidationError as error:
        for one in error.errors(include_url=False):
            key = ".".join(map(str, one["loc"]))
            problems.append(Problem(f"{key}: {one['msg']}", where, REMEDY))
    counted = accelerators(known)
    if problems or counted is None:
        raise InputError(*problems)
    told = {**known, **figures(outgoing.summary.metrics, counted)}
    return FixedRow.model_validate_json(orjson.dumps(told))


def _misstated(facts: Mapping[str, JsonValue], where: str) -> Iterator[Problem]:
    for name in facts:
        if name in COMPUTED:
            what = f"{name}: a figure is measured and not stated"
            yield Problem(what, where, "leave it out")
        elif name not in STATABLE:
            yield Problem(f"a row has no key {name!r}", where, nearest(name, STATABLE))


def figures(metrics: Mapping[str, Metric], counted: Accelerators) -> dict[str, float]:
    """Return the figures of a row by its names; what is absent has none."""
    found = {}
    for name, (theirs, role) in THROUGHPUTS.items():
        metric = metrics.get(name)
        if isinstance(metric, MetricValue):
            found[theirs] = metric.mean / counted.sharing(role)
    for name, theirs in TIMES.items():
        for statistic, seconds in _statistics(metrics.get(name)):
            found[f"{statistic}_{theirs}"] = seconds
            if theirs == "tpot" and seconds > 0:
                found[f"{statistic}_intvty"] = 1 / seconds
    return found


def _statistics(metric: Metric | None) -> Iterator[tuple[str, float]]:
    if isinstance(metric, MetricValue):
        for theirs, ours in STATISTICS.items():
            value: float | None = getattr(metric, ours)
            if value is not None:
                yield theirs, value


def _known(outgoing: Outgoing) -> dict[str, JsonValue]:
    """Return what the bundle says of the server and of what was asked; None is unstated."""
    recipe, work = outgoing.point.recipe, outgoing.point.workload
    server = recipe_of(outgoing)
    return {
        **{name: one for name, one in server.items() if name not in OF_AGENTS},
        **{name: one for name, one in recipe.flags.items() if name.endswith("dp_attention")},
        "isl": work.isl if work.scenario == "fixed" else None,
        "osl": work.osl if work.scenario == "fixed" else None,
        "conc": outgoing.point.concurrency,
    }


def _problems(outgoing: Outgoing, known: Mapping[str, JsonValue], where: str) -> Iterator[Problem]:
    if outgoing.point.rate is not None:
        yield Problem("a row has no place for a rate of arrivals", where, "export another point")
    if (several := known.get("is_multinode")) is None:
        yield Problem("is_multinode: Field required", where, REMEDY)
        return
    counted, ran = accelerators(known), outgoing.point.recipe.gpus
    if counted is None:
        sizes = " and ".join(f"num_{role}_gpu" for role in ROLES) if several else "tp"
        yield Problem(f"{sizes}: no count of accelerators", where, REMEDY)
    elif ran is not None and counted.total != ran:
        what = f"the sizes make {counted.total} accelerators, and the point ran on {ran}"
        yield Problem(what, where, "mend tp, pp, pcp_size or those of each role with --fact")
