"""What acceptance affected recipes ask for, beside the committed curves."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from infx.engines import llamacpp
from infx.errors import InputError
from infx.flows.evidence.known import Known
from infx.flows.evidence.logs import Logs
from infx.flows.evidence.places import cite
from infx.flows.evidence.points import scenario_id
from infx.flows.evidence.states import Placed
from infx.flows.evidence.variants import Bound
from infx.model import config_facts, run_facts
from infx.model.acceptance import Cell, Curve
from infx.recipes.acceptance import curves, naming
from infx.recipes.acceptance.bound import places
from infx.recipes.acceptance.plan import Conditions, generating, plan, read_roles, speculation
from infx.recipes.acceptance.role import Role, Speculation
from infx.recipes.registries import AGENTIC
from infx.recipes.thinking import told


@dataclass(frozen=True, slots=True)
class _Golden:
    """The committed length of a variant, or why there is none."""

    curve: str | None = None
    length: int | None = None
    cell: Cell | None = None
    why: str | None = None


def acceptance(found: Iterable[Bound], known: Known) -> Iterator[run_facts.Acceptance]:
    """Yield a row for each role of each variant and what its logs show, one more for its evals."""
    for one in found:
        roles = read_roles(one.binding.tree, places(one.binding))
        for agentic in (True, False):
            points = [
                point for point in one.points if (scenario_id(point.row) == AGENTIC) == agentic
            ]
            config = known.configs[one.config]
            asked = _golden(roles, config, known.golden) if agentic else _Golden()
            measured = [point for point in points if point.is_measured]
            evaluated = [point for point in points if point.is_evaluated]
            for role in roles.values():
                facts = _facts(one, role, asked, known)
                shown = {"agentic": agentic, "eval": False}
                for seen in _seen(one.config, role.name, measured, known.logs, is_eval=False):
                    yield facts.model_copy(update={**shown, **seen})
                for seen in _seen(one.config, role.name, evaluated, known.logs, is_eval=True):
                    yield facts.model_copy(update={**shown, **seen, "eval": True})


def _facts(one: Bound, role: Role, asked: _Golden, known: Known) -> run_facts.Acceptance:
    return run_facts.Acceptance(
        config=one.config,
        variant=one.variant,
        concurrency=(),
        role=role.name,
        engine=role.engine,
        agentic=False,
        speculates=_speculates(role) is not None,
        draft_tokens=asked.length,
        curve=asked.curve,
        expected=None if asked.cell is None else asked.cell.al,
        thinking=known.configs[one.config].thinking,
        told=tuple(_told(one, role, known)),
        why=asked.why,
        stated=tuple(_stated(one, role, known.commit)),
    )


def _told(one: Bound, role: Role, known: Known) -> Iterator[run_facts.Thinks]:
    for each in told(one.binding, role.name, known.thinking):
        place = cite(each.where, each.value, at=known.commit)
        yield run_facts.Thinks(name=each.name, value=each.value, mode=each.mode, cite=place)


def _seen(
    config: str, role: str, points: Iterable[Placed], logs: Logs, *, is_eval: bool
) -> Iterator[dict[str, object]]:
    """Yield concurrencies that share their logs, with what those show."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for one in sorted({point.concurrency for point in points}):
        mine = logs.of(config, role, one, is_eval=is_eval)
        groups.setdefault(tuple(log.name for log in mine), []).append(one)
    for group in groups.values():
        found = logs.of(config, role, group[0], is_eval=is_eval)
        yield {"concurrency": tuple(group), "observed": logs.simulation(found)}


def _golden(
    roles: Mapping[str, Role], config: config_facts.Config, golden: Mapping[str, Curve]
) -> _Golden:
    generation = generating(roles)
    if generation is None:
        return _Golden(why="no role generates tokens")
    name = length = None
    try:
        drafts = speculation(generation)
        if drafts is None:
            return _Golden(why=f"the role {generation.name} does not speculate")
        length = drafts.length
        name = naming.curve_name(config.prefix, drafts)
        if config.thinking is None:
            return _Golden(name, length, why="nobody says whether the model thinks")
        cell = curves.find(
            golden, name, thinking=config.thinking, length=length, where=drafts.where
        )
    except InputError as error:
        return _Golden(name, length, why="; ".join(one.what for one in error.problems))
    return _Golden(f"{name} {config.thinking}", length, cell)


def _speculates(role: Role) -> Speculation | str | None:
    """Return how a role speculates, text where it cannot be told, None where it does not.

    Our server of llama.cpp has no flag that would make it.
    """
    if role.engine == llamacpp.NAME:
        return None
    try:
        return speculation(role)
    except InputError as error:
        return str(error)


def _stated(one: Bound, role: Role, commit: str) -> Iterator[config_facts.Observed]:
    conditions = Conditions(model_prefix="", thinking=None, eval_only=True)
    try:
        found = plan(one.binding.tree, conditions, {}, where=places(one.binding)).stated
    except InputError:
        return
    for length in found:
        if length.role == role.name:
            where = length.where or one.binding.file
            place = cite(where, length.text, at=commit)
            yield config_facts.Observed(name=length.name, value=length.text, cite=place)
