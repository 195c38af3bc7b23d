"""What a row says of measured power: samples of accelerators, cut to the window of its point."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from infx.errors import InputError, Problem
from infx.interchange import power_samples
from infx.interchange.agentx_row import Row
from infx.interchange.outgoing import Outgoing
from infx.model.agentx_row import POWER_KEYS, POWER_SCHEMA, MultiNodeRow
from infx.model.power import GpuPower
from infx.model.record import Phase
from infx.model.result import Absent

if TYPE_CHECKING:
    from infx.metrics.power import Figures

STATED = POWER_KEYS | {"power_metric_schema_version", "power_valid"}


@dataclass(frozen=True)
class Sampled:
    """The readings of all accelerators, the role of each host if stated, and whom to tell."""

    gpus: tuple[GpuPower, ...]
    roles: Mapping[str, str] | None
    talk: Callable[[str], None]


def sampled(
    files: Sequence[Path], roles: Mapping[str, str] | None, talk: Callable[[str], None]
) -> Sampled:
    """Read the samples; raises InputError with every problem of every file."""
    return Sampled(power_samples.read(*files), roles, talk)


def refuse_stated(facts: Mapping[str, JsonValue]) -> None:
    """Raise InputError with every fact that the samples are to tell."""
    problems = [
        Problem(f"{name} is computed from the samples", "--fact", "leave it out")
        for name in facts
        if name in STATED
    ]
    if problems:
        raise InputError(*problems)


def power_facts(power: Sampled, told: Outgoing, row: Row) -> dict[str, JsonValue]:
    """Return the keys of power of a point's row; why one is missing is talked of.

    Power that is not valid has no numbers, and says nothing of the requests.
    """
    found = _figures(power, told, row)
    where = f"point {told.point.directory[:16]}"
    known: dict[str, JsonValue] = {"power_metric_schema_version": POWER_SCHEMA}
    if isinstance(found, Absent):
        power.talk(f"{where}: power is not valid: {found.reason}")
        return {**known, "power_valid": 0}
    for name, one in found.items():
        if isinstance(one, Absent):
            power.talk(f"{where}: no {name}: {one.reason}")
        else:
            known[name] = one
    return {**known, "power_valid": 1}


def _figures(power: Sampled, told: Outgoing, row: Row) -> "Figures | Absent":
    from infx.metrics.power import power_figures, served  # only where power was sampled

    window = told.window(Phase.PROFILING)
    if window is None:
        return Absent(reason="nobody kept when profiling began and ended")
    expected = {"": row.num_gpus}
    if isinstance(row, MultiNodeRow):
        expected = {"prefill": row.num_prefill_gpu, "decode": row.num_decode_gpu}
        if sum(expected.values()) != row.num_gpus:
            what = f"num_gpus is {row.num_gpus}, and the roles have {sum(expected.values())}"
            return Absent(reason=what)
    replay = told.summary.replay
    throughput = replay.agentx.throughput if replay else None
    return power_figures(
        power.gpus,
        (told.wall(window.start_ns), told.wall(window.end_ns)),
        served(told.records, throughput.duration_seconds if throughput else None),
        expected=expected,
        roles=power.roles,
    )
