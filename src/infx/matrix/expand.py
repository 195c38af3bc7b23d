"""A catalog's entries to rows: every topology at every concurrency, in the order of the file.

Rows on one node are point-major (all runners of a concurrency, then the next); agent sessions over
several nodes are runner-major; fixed lengths over several nodes are one row with all of their
concurrencies. Evaluations are chosen afterwards, by `matrix.evals`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from infx.matrix import concurrencies
from infx.matrix.catalog import Catalog
from infx.matrix.dram import offload_gb
from infx.matrix.nodes import node_count
from infx.matrix.options import Options, sequence_name
from infx.model.catalog import (
    AgenticCoding,
    AgenticSearchSpace,
    ConfigKey,
    FixedSeqLen,
    OffloadBackend,
    Runners,
    SearchSpace,
    Worker,
)
from infx.model.sweep import AgenticMultiRow, AgenticSingleRow, FixedMultiRow, FixedSingleRow, Row

AGENTIC_S = 3600
"""How long agent sessions are replayed, in seconds."""

HEADROOM = 256
"""Tokens that the context of a server has beyond input and output."""

_Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the catalog, and what its rows need to know."""

    name: str
    config: ConfigKey
    where: str
    inventory: Runners
    runners: tuple[str, ...]
    options: Options


def rows(catalog: Catalog, keys: Iterable[str], options: Options) -> list[Row]:
    """Return the rows of `keys` that the filters of `options` leave, before evaluations.

    Raises InputError where a row's offload budget or node count cannot be known.
    """
    found: list[Row] = []
    for key in keys:
        config = catalog.keys[key]
        entry = _Entry(
            key,
            config,
            catalog.where[key],
            catalog.runners,
            runner_names(config.runner, catalog.runners, options),
            options,
        )
        if entry.runners and options.runs(multinode=config.multinode):
            found += _entry_rows(entry)
    return found


def runner_names(label: str, runners: Runners, options: Options) -> tuple[str, ...]:
    """Return the label, or the concrete runners behind it that a node filter picks.

    For config keys that were named one by one, the label itself is picked too where it matches.
    """
    part = options.runner_node_filter
    if part is None:
        return (label,)
    names = runners.labels.get(label, ())
    if options.config_keys:
        names = tuple(dict.fromkeys((label, *names)))
    return tuple(name for name in names if part in name)


def _entry_rows(entry: _Entry) -> Iterator[Row]:
    options, scenarios = entry.options, entry.config.scenarios
    for sequence in scenarios.fixed_seq_len if options.asks("fixed-seq-len") else ():
        if options.seq_lens and sequence_name(sequence.isl, sequence.osl) not in options.seq_lens:
            continue
        for space in sequence.search_space:
            yield from _fixed_rows(entry, sequence, space)
    for scenario in scenarios.agentic_coding if options.asks("agentic-coding") else ():
        for agentic in scenario.search_space:
            yield from _agentic_rows(entry, scenario, agentic)


def _fixed_rows(entry: _Entry, sequence: FixedSeqLen, space: SearchSpace) -> Iterator[Row]:
    options, multinode = entry.options, entry.config.multinode
    if not multinode and options.max_tp is not None and (space.tp or 1) > options.max_tp:
        return
    concs = concurrencies.fixed(space, options, multinode=multinode)
    if not concs:
        return
    common = {
        **_common(entry, space),
        "isl": sequence.isl,
        "osl": sequence.osl,
        "max-model-len": sequence.isl + sequence.osl + HEADROOM,
        "exp-name": f"{entry.config.model_prefix}_{sequence_name(sequence.isl, sequence.osl)}",
        "run-eval": False,
        "require-power": sequence.require_power or None,
    }
    if multinode:
        common |= _roles(entry, space)
        for runner in entry.runners:
            yield FixedMultiRow.model_validate({**common, "runner": runner, "conc": concs})
        return
    common |= _topology(space)
    if options.max_ep is not None:
        common["ep"] = min(space.ep or 1, options.max_ep)
    for conc in concs:
        for runner in entry.runners:
            yield FixedSingleRow.model_validate({**common, "runner": runner, "conc": conc})


def _agentic_rows(
    entry: _Entry, scenario: AgenticCoding, space: AgenticSearchSpace
) -> Iterator[Row]:
    # The budget comes before the filters, so that a bad topology fails whatever is asked for.
    budget = offload_gb(
        space, scenario, runner=entry.config.runner, runners=entry.inventory, where=entry.where
    )
    common = {
        **_common(entry, space),
        "kv-offloading": space.kv_offloading or "none",
        "kv-offload-backend": space.kv_offload_backend,
        "total-cpu-dram-gb": budget,
        "duration": AGENTIC_S,
        "scenario-type": "agentic-coding",
    }
    if entry.config.multinode:
        yield from _agentic_multi_rows(entry, space, common)
        return
    common |= _topology(space)
    before = f"{entry.config.model_prefix}_tp{space.tp}_conc"
    after = f"_{_offload_name(space) or 'kvnone'}"
    if space.spec_decoding != "none":
        after += f"_spec-{space.spec_decoding}"
    for conc in concurrencies.agentic(space, entry.options):
        named = {**common, "conc": conc, "exp-name": f"{before}{conc}{after}"}
        for runner in entry.runners:
            yield AgenticSingleRow.model_validate({**named, "runner": runner})


def _agentic_multi_rows(entry: _Entry, space: AgenticSearchSpace, common: _Fields) -> Iterator[Row]:
    prefill, decode = _workers(space)
    roles = _roles(entry, space)
    before = f"{entry.config.model_prefix}_p{_tag(prefill)}_d{_tag(decode)}_conc"
    offload = _offload_name(space)
    after = f"_{offload}" if offload else ""
    concs = concurrencies.agentic(space, entry.options)
    for runner in entry.runners:
        for conc in concs:
            own = {"runner": runner, "conc": (conc,), "exp-name": f"{before}{conc}{after}"}
            yield AgenticMultiRow.model_validate({**common, **roles, **own})


def _common(entry: _Entry, space: SearchSpace) -> dict[str, object]:
    config = entry.config
    return {
        "image": config.image,
        "model": config.model,
        "model-prefix": config.model_prefix,
        "precision": config.precision,
        "framework": config.framework,
        "spec-decoding": space.spec_decoding,
        "router": space.router or config.router,
        "srt-recipe": config.recipe(space.srt_recipe),
        "eval-srt-recipe": config.recipe(space.eval_srt_recipe),
        "config-key": entry.name,
    }


def _topology(space: SearchSpace) -> _Fields:
    return {
        "tp": space.tp,
        "pp": space.pp,
        "dcp-size": space.dcp_size,
        "pcp-size": space.pcp_size,
        "ep": space.ep or 1,
        "dp-attn": space.dp_attn or False,
    }


def _roles(entry: _Entry, space: SearchSpace) -> _Fields:
    prefill, decode = _workers(space)
    return {
        "prefill": prefill,
        "decode": decode,
        "disagg": entry.config.disagg,
        "kv-p2p-transfer": space.kv_p2p_transfer or entry.config.kv_p2p_transfer,
        "node-count": _nodes(entry, space),
    }


def _workers(space: SearchSpace) -> tuple[Worker, Worker]:
    """Return both roles; of an aggregate, a decode role of no workers."""
    if space.worker is None:
        assert space.prefill is not None
        assert space.decode is not None
        return space.prefill, space.decode
    none = {"num_worker": 0, "additional_settings": None}
    return space.worker, space.worker.model_copy(update=none)


def _nodes(entry: _Entry, space: SearchSpace) -> int | None:
    """Return a row's node count; the rules of August do not state it."""
    options = entry.options
    if options.edition == "2026-08":
        return None
    if space.num_nodes is not None:
        return space.num_nodes
    reference = entry.config.recipe(space.srt_recipe)
    if reference is not None and options.recipe_nodes is not None:
        stated = options.recipe_nodes(reference)
        if stated is not None:
            return stated
    prefill, decode = _workers(space)
    return node_count(
        prefill, decode, runner=entry.config.runner, runners=entry.inventory, where=entry.where
    )


def _tag(worker: Worker) -> str:
    ep = f"ep{worker.ep}" if worker.ep != 1 else ""
    return f"{worker.num_worker}x{worker.tp}{ep}{'dpa' if worker.dp_attn else ''}"


def _offload_name(space: AgenticSearchSpace) -> str | None:
    """Name what an experiment offloads and with what; None where nothing is offloaded."""
    tiers = space.kv_offloading
    if tiers is None or tiers == "none":
        return None
    backend: OffloadBackend | None = space.kv_offload_backend
    names = (tiers,) if isinstance(tiers, str) else tiers
    return "-".join((f"kv{names[0]}", *names[1:], *((backend.name,) if backend else ())))
