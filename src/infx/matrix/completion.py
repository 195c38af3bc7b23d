"""Rows that leave their topology to the recipe that they name: what it states is filled in.

A row on one node leaves it all out with `tp`, a row over several nodes with `worker`, `prefill` and
`decode`. A row that states sizes is left as it is; `infx recipe check` holds it to its recipe.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.matrix.faults import Fault, Path
from infx.model.catalog import AggregateWorker, ConfigKey, Scenarios, SearchSpace, Worker
from infx.model.document import Document
from infx.model.value import kebab
from infx.recipes.merge import plain
from infx.recipes.select import combined
from infx.recipes.topology import Facts, RoleFacts, facts
from infx.recipes.variants import select, split_selector

Recipes = Callable[[str, str], Document]
"""Opens a recipe by the name that a row gives it; the second word is the row's `file:line`.

Raises InputError where there is none, or it cannot be read.
"""

_SIZES = ("pp", "dcp_size", "pcp_size", "ep", "dp_attn", "num_nodes")
"""What a row may state beside `tp` or its roles."""


def complete(key: ConfigKey, document: Document, name: str, recipes: Recipes) -> ConfigKey:
    """Return an entry whose rows state their topology; it stands under `name` in the document.

    Raises InputError with every row whose recipe is missing, cannot be read, leaves a size open, or
    has variants of several topologies.
    """
    problems: list[Problem] = []

    def filled(row: SearchSpace, at: Path) -> SearchSpace:
        if not row.leaves_topology:
            return row
        try:
            found = _topology(key, row, recipes, document.where(name, *at))
        except InputError as error:
            problems.extend(error.problems)
            return row
        problems.extend(one.problem(document, (name, *at)) for one in _mixed(key, row))
        return row.model_copy(update=found)

    scenarios = _mapped(key.scenarios, filled)
    if problems:
        raise InputError(*problems)
    return key.model_copy(update={"scenarios": scenarios})


def _mapped(scenarios: Scenarios, filled: Callable[[SearchSpace, Path], SearchSpace]) -> Scenarios:
    parts: dict[str, object] = {}
    for field in ("fixed_seq_len", "agentic_coding"):
        parts[field] = tuple(
            part.model_copy(
                update={
                    "search_space": tuple(
                        filled(row, ("scenarios", kebab(field), i, "search-space", j))
                        for j, row in enumerate(part.search_space)
                    )
                }
            )
            for i, part in enumerate(getattr(scenarios, field))
        )
    return scenarios.model_copy(update=parts)


def _mixed(key: ConfigKey, row: SearchSpace) -> Iterator[Fault]:
    """Yield sizes that a row states although it leaves the rest to the recipe."""
    rest = "its roles" if key.multinode else "tp"
    for field in _SIZES:
        if field in row.model_fields_set:
            what = f"the row states this, and leaves {rest} to its recipe"
            yield Fault((kebab(field),), what, "state all of the topology, or nothing of it")


@dataclass(frozen=True, slots=True)
class _Named:
    """A variant of a recipe, and the line of the row that names it."""

    variant: str
    row: str

    def refuse(self, what: str, remedy: str) -> InputError:
        return InputError(Problem(f"{self.variant} {what}", self.row, remedy))


def _topology(
    key: ConfigKey, row: SearchSpace, recipes: Recipes, where: str
) -> Mapping[str, object]:
    """Return the fields of a row that say what its recipe is."""
    file, selector = split_selector(key.recipe(row.srt_recipe) or "")
    found: list[tuple[_Named, Mapping[str, object]]] = []
    for variant in select(recipes(file, where), selector):
        named = _Named(f"{variant.selector or 'the recipe'} ({variant.where})", where)
        found.append((named, _fields(key, plain(combined(variant, None, {})), named)))
    first, fields = found[0]
    other = next((named for named, more in found if more != fields), None)
    if other is not None:
        what = f"and {other.variant} differ in topology"
        raise first.refuse(what, "name one: srt-recipe: FILE:SELECTOR")
    return fields


def _fields(key: ConfigKey, tree: JsonValue, named: _Named) -> Mapping[str, object]:
    known = facts(tree) if isinstance(tree, dict) else Facts(None, {}, None, None)
    wanted = ("prefill", "decode") if key.disagg else ("agg",)
    if set(known.roles) != set(wanted):
        has, needs = (" and ".join(names) or "none" for names in (known.roles, wanted))
        what = f"has the roles {has}, the entry is for {needs}"
        raise named.refuse(what, "name another recipe, or change disagg")
    sizes = {name: _sizes(known.roles[name], name, named) for name in wanted}
    if key.disagg:
        return {name: Worker.model_validate(one) for name, one in sizes.items()}
    if key.multinode:
        nodes = _stated(known.nodes, "nodes", "agg", named)
        return {"worker": AggregateWorker.model_validate(sizes["agg"]), "num_nodes": nodes}
    workers = sizes["agg"].pop("num-worker")
    if workers != 1:
        what = f"has {workers} workers, a row on one node has one"
        raise named.refuse(what, "set multinode: true, or name another recipe")
    return {name.replace("-", "_"): size for name, size in sizes["agg"].items()}


def _sizes(role: RoleFacts, name: str, named: _Named) -> dict[str, int | bool]:
    """Return a worker's sizes; TP counts all GPUs in which data-parallel attention runs."""
    pp, pcp = role.pp or 1, role.pcp or 1
    tp = role.tp if role.gpus is None else role.gpus // (pp * pcp)
    return {
        "tp": _stated(tp, "tensor-parallel size", name, named),
        "pp": pp,
        "dcp-size": role.dcp or 1,
        "pcp-size": pcp,
        "ep": role.ep or 1,
        "dp-attn": role.dp_attention,
        "num-worker": _stated(role.workers, "number of workers", name, named),
    }


def _stated(value: int | None, what: str, role: str, named: _Named) -> int:
    if not value:
        said = f"states no {what} of {role}, and the row leaves it to the recipe"
        raise named.refuse(said, "state it there, or all of the topology in the row")
    return value
