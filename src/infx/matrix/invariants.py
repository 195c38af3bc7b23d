"""Rules of one config key that need more than one field.

Each takes checked values and yields faults. The rules are those of the public schemas of August and
October 2026; where these differ, both forms are accepted.
"""

from collections.abc import Iterator

from infx.matrix import row_rules
from infx.matrix.faults import Fault, Path
from infx.model.catalog import (
    CLUSTER,
    AgenticSearchSpace,
    ConfigKey,
    Hardware,
    SearchSpace,
)
from infx.model.recipe_setting import RECIPE_SETTING

POWER_LENGTHS = (8192, 1024)
"""Input and output tokens of the only fixed lengths that may require power telemetry."""

_LAUNCHES_CONFIG_FILES = "llmd-vllm"
"""The engine that is launched from a CONFIG_FILE although the entry has srt-slurm recipes."""

_ADD_RECIPE = "add srt-recipe: FILE or FILE:SELECTOR"
_WITHIN_NODE = "nothing is transferred within a node, and multinode is false on {line}"


def faults(key: ConfigKey, node: Hardware | None) -> Iterator[Fault]:
    """Yield what is wrong with an entry; `node` is what is known of its runner's nodes."""
    scenarios = key.scenarios
    if not scenarios.fixed_seq_len and not scenarios.agentic_coding:
        remedy = "add fixed-seq-len or agentic-coding"
        yield Fault(("scenarios",), "there is no scenario", remedy)
    if key.disagg and not key.multinode:
        what = "prefill and decode are apart, and multinode is false on {line}"
        yield Fault(("disagg",), what, "set multinode: true", ("multinode",))
    if scenarios.agentic_coding and not key.runner.startswith(CLUSTER):
        what = f"agentic-coding on {{line}} needs one physical fleet, and {key.runner} is a family"
        remedy = f"name a label that begins with {CLUSTER}"
        yield Fault(("runner",), what, remedy, ("scenarios", "agentic-coding"))
    if key.kv_p2p_transfer is not None and not key.multinode:
        yield Fault(("kv-p2p-transfer",), _WITHIN_NODE, "remove it", ("multinode",))
    for index, sequence in enumerate(scenarios.fixed_seq_len):
        if sequence.require_power and (sequence.isl, sequence.osl) != POWER_LENGTHS:
            where = ("scenarios", "fixed-seq-len", index, "require-power")
            what = f"power cannot be required at {sequence.isl}/{sequence.osl}"
            yield Fault(where, what, "require it at 8192/1024")
    for at, row in rows(key):
        yield from row_rules.faults(key, row, at)
        yield from _scopes(key, row, at)
        yield from _recipes(key, row, at)
        if node is not None:
            yield from row_rules.fit_faults(key, row, node, at)
        if isinstance(row, AgenticSearchSpace):
            scenario = scenarios.agentic_coding[int(at[2])]
            yield from row_rules.offload_faults(key, row, at)
            yield from row_rules.budget_faults(row, scenario, node, at)


def rows(key: ConfigKey) -> Iterator[tuple[Path, SearchSpace]]:
    """Yield every row of an entry's search spaces, and its path in the entry."""
    for i, fixed in enumerate(key.scenarios.fixed_seq_len):
        for j, row in enumerate(fixed.search_space):
            yield ("scenarios", "fixed-seq-len", i, "search-space", j), row
    for i, agentic in enumerate(key.scenarios.agentic_coding):
        for j, row in enumerate(agentic.search_space):
            yield ("scenarios", "agentic-coding", i, "search-space", j), row


def _scopes(key: ConfigKey, row: SearchSpace, at: Path) -> Iterator[Fault]:
    """Yield components that are stated twice, nowhere, or where none can be."""
    twice = "the entry says it on {line} for all rows"
    if key.router is not None and row.router is not None:
        yield Fault((*at, "router"), twice, "keep one of the two", ("router",))
    transfer = row.kv_p2p_transfer
    if key.kv_p2p_transfer is not None and transfer is not None:
        yield Fault((*at, "kv-p2p-transfer"), twice, "keep one of the two", ("kv-p2p-transfer",))
    if transfer is not None and not key.multinode:
        yield Fault((*at, "kv-p2p-transfer"), _WITHIN_NODE, "remove it", ("multinode",))
    if key.disagg and key.kv_p2p_transfer is None and transfer is None:
        what = "nothing moves KV blocks from prefill to decode, and disagg is true on {line}"
        yield Fault(at, what, "add kv-p2p-transfer to the entry or to every row", ("disagg",))


def _recipes(key: ConfigKey, row: SearchSpace, at: Path) -> Iterator[Fault]:
    """Yield a recipe that is missing, and one that is named twice."""
    if row.srt_recipe is None:
        beside = _named_beside(key, at)
        if key.srt_recipe_dir is not None:
            what = "srt-recipe is missing, and the entry has srt-recipe-dir on {line}"
            yield Fault(at, what, _ADD_RECIPE, ("srt-recipe-dir",))
        elif beside is not None:
            what = "srt-recipe is missing, and another row of the scenario has it on {line}"
            yield Fault(at, what, _ADD_RECIPE, beside)
        else:
            return
    if key.framework == _LAUNCHES_CONFIG_FILES:
        return
    for name in ("worker", "prefill", "decode"):
        worker = getattr(row, name)
        for index, setting in enumerate((worker and worker.additional_settings) or ()):
            if setting.startswith(RECIPE_SETTING):
                place = (*at, name, "additional-settings", index)
                yield Fault(place, *_instead(row, at))


def _named_beside(key: ConfigKey, at: Path) -> Path | None:
    """Return where another row of the same scenario names its recipe."""
    named = (place for place, other in rows(key) if other.srt_recipe and place[:2] == at[:2])
    found = next(named, None)
    return None if found is None else (*found, "srt-recipe")


def _instead(row: SearchSpace, at: Path) -> tuple[str, str, Path | None]:
    if row.srt_recipe is not None:
        return "the recipe is srt-recipe on {line}", "remove CONFIG_FILE", (*at, "srt-recipe")
    return "CONFIG_FILE names no recipe of an entry with srt-recipe", "name it as srt-recipe", None
