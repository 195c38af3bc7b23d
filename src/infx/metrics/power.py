"""Energy and power of a point's accelerators, from readings of each one's power.

The power of an accelerator runs straight from one reading to the next, and its energy is the area
under it between the ends of the window, where it is interpolated. Source: InferenceX, power metrics
of version 2; the reference page's section 4.6.
"""

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from infx.metrics.per_request import NS_PER_S
from infx.model.power import GpuPower, Served
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.result import Absent

Window = tuple[int, int]
"""Start and end in nanoseconds of the wall clock."""
Figures = dict[str, float | Absent]
Curve = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""Seconds after the start of the window, and watts."""

MAX_GAP_S = 3.0
OFF_S, OFF_SHARE = 0.5, 0.01
"""How far the reported duration may be off the window: the larger of the two."""
PERCENTS = (75, 90)
ROLES = {"prefill": "input", "decode": "output"}
"""What each role is there for: its energy is told by these tokens."""
UNSTATED = Absent(reason="nobody stated which host is of which role")


def served(records: Sequence[RequestRecord], duration_s: float | None) -> Served:
    """Return what the ok records of profiling say that a point did."""
    kept = [one for one in records if one.phase is Phase.PROFILING and one.state is EndState.OK]
    return Served(
        requests=len(kept),
        input_tokens=_added([one.prompt_tokens for one in kept]),
        output_tokens=_added([one.completion_tokens for one in kept]),
        duration_s=duration_s,
    )


def power_figures(
    gpus: Sequence[GpuPower],
    window: Window,
    did: Served,
    *,
    expected: Mapping[str, int],
    roles: Mapping[str, str] | None = None,
) -> Figures | Absent:
    """Return each figure under its public name, rounded as published, or why none is valid.

    `expected` says how many accelerators there are: of each role, or all under "" where the
    deployment has no roles. `roles` is that of each host; without it figures of roles are absent.
    Energy of a role is that of its accelerators over the whole window, and not of a phase.
    """
    invalid = (
        _wrong_count(gpus, expected, roles) or _wrong_window(window, did) or _gaps(gpus, window)
    )
    if invalid:
        return Absent(reason=invalid)
    curves = [_within(gpu, window) for gpu in gpus]
    joules = [_area(curve) for curve in curves]
    seconds, total = (window[1] - window[0]) / NS_PER_S, math.fsum(joules)
    summed = _sum(curves)
    tokens = {"input": did.input_tokens, "output": did.output_tokens}
    found: Figures = {
        "total_gpu_energy_j": total,
        "avg_total_gpu_power_w": total / seconds,
        "avg_power_w": total / seconds / len(gpus),
        "joules_per_successful_query": _per(total, did.requests, "ok requests"),
        "joules_per_total_token": _per(total, _added(tokens.values()), "tokens"),
    }
    for kind, count in tokens.items():
        found[f"joules_per_{kind}_token"] = _per(total, count, f"{kind} tokens")
    for percent in PERCENTS:
        watts = _percentile(summed, percent)
        found[f"p{percent}_total_gpu_power_w"] = watts
        found[f"p{percent}_power_w"] = watts / len(gpus)
    found |= _of_roles(_owned(gpus, joules, roles), expected, tokens, seconds)
    return {name: _rounded(name, one) for name, one in found.items()}


def _of_roles(
    owned: Mapping[str, Sequence[float]] | None,
    expected: Mapping[str, int],
    tokens: Mapping[str, int | None],
    seconds: float,
) -> Figures:
    """Return the figures of each role that has accelerators; `owned` are the energies of each."""
    found: Figures = {}
    for role, number in expected.items():
        if not role or not number:
            continue
        kind = ROLES[role]
        names = (f"{role}_gpu_energy_j", f"{role}_avg_power_w", f"{role}_joules_per_{kind}_token")
        if owned is None:
            found |= dict.fromkeys(names, UNSTATED)
            continue
        own = math.fsum(owned[role])
        told = (own, own / seconds / number, _per(own, tokens[kind], f"{kind} tokens"))
        found |= dict(zip(names, told, strict=True))
    return found


def _owned(
    gpus: Sequence[GpuPower], joules: Sequence[float], roles: Mapping[str, str] | None
) -> Mapping[str, Sequence[float]] | None:
    if roles is None:
        return None
    owned: dict[str, list[float]] = {}
    for gpu, energy in zip(gpus, joules, strict=True):
        owned.setdefault(roles[gpu.hostname], []).append(energy)
    return owned


def _percentile(curve: Curve, percent: float) -> float:
    """Return the least power below or at which the curve stays for so much of its time."""
    seconds, watts = curve
    steps = np.diff(seconds)
    low, high = np.minimum(watts[:-1], watts[1:]), np.maximum(watts[:-1], watts[1:])
    asked = float(seconds[-1] - seconds[0]) * percent / 100
    least, most = float(watts.min()), float(watts.max())
    below = np.nextafter(least, -math.inf)
    # The time at or below a power grows with it, so halving finds it to the last bit.
    while below < (middle := float((below + most) / 2)) < most:
        share = (high <= middle).astype(np.float64)
        np.divide(middle - low, high - low, out=share, where=(low < middle) & (middle < high))
        if float((steps * share).sum()) >= asked:
            most = middle
        else:
            below = middle
    return most


def _wrong_count(
    gpus: Sequence[GpuPower], expected: Mapping[str, int], roles: Mapping[str, str] | None
) -> str | None:
    number = sum(expected.values())
    if len(gpus) != number:
        return f"{len(gpus)} GPUs were sampled, and the point has {number}"
    if roles is None:
        return None
    hosts = {gpu.hostname for gpu in gpus}
    if odd := sorted(hosts ^ roles.keys()):
        what = "has samples and no role" if odd[0] in hosts else "has a role and no samples"
        return f"host {odd[0]} {what}"
    for role in sorted({*roles.values(), *expected}):
        known, sampled = expected.get(role, 0), sum(roles[gpu.hostname] == role for gpu in gpus)
        if sampled != known:
            return f"{sampled} GPUs of {role or 'no role'} were sampled, and the point has {known}"
    return None


def _wrong_window(window: Window, did: Served) -> str | None:
    seconds = (window[1] - window[0]) / NS_PER_S
    if seconds <= 0:
        return "the window has no length"
    if did.duration_s is None:
        return None
    allowed = max(OFF_S, OFF_SHARE * seconds)
    if abs(did.duration_s - seconds) > allowed:
        told = f"requests took {did.duration_s:.3f} s, and profiling {seconds:.3f} s"
        return f"{told}: over {allowed:.3f} s apart"
    return None


def _gaps(gpus: Sequence[GpuPower], window: Window) -> str | None:
    """Say which accelerator was not read before, after, or often enough in between."""
    start, end = window
    for gpu in gpus:
        moments = np.array(gpu.moments_ns, dtype=np.int64)
        before = int(np.searchsorted(moments, start, side="right")) - 1
        after = int(np.searchsorted(moments, end, side="left"))
        if before < 0:
            return f"GPU {gpu.name} has no sample at or before the start"
        if after == len(moments):
            return f"GPU {gpu.name} has no sample at or after the end"
        longest = float(np.diff(moments[before : after + 1]).max()) / NS_PER_S
        if longest > MAX_GAP_S:
            return f"GPU {gpu.name} has no sample for {longest:.3f} s; {MAX_GAP_S} s are allowed"
    return None


def _within(gpu: GpuPower, window: Window) -> Curve:
    """Return the readings inside the window, and what lies at both of its ends."""
    start, end = window
    moments = np.array(gpu.moments_ns, dtype=np.int64)
    seconds, watts = (moments - start) / NS_PER_S, np.array(gpu.watts, dtype=np.float64)
    inside = (start < moments) & (moments < end)
    last = (end - start) / NS_PER_S
    edges = np.interp([0.0, last], seconds, watts)
    return (
        np.concatenate(([0.0], seconds[inside], [last])),
        np.concatenate((edges[:1], watts[inside], edges[1:])),
    )


def _area(curve: Curve) -> float:
    seconds, watts = curve
    return math.fsum(np.diff(seconds) * (watts[:-1] + watts[1:]) / 2)


def _sum(curves: Sequence[Curve]) -> Curve:
    moments = np.unique(np.concatenate([seconds for seconds, _ in curves]))
    watts = np.zeros(len(moments))
    for curve in curves:
        watts += np.interp(moments, *curve)
    return moments, watts


def _added(counts: Collection[int | None]) -> int | None:
    known = [one for one in counts if one is not None]
    return sum(known) if len(known) == len(counts) else None


def _per(joules: float, count: int | None, what: str) -> float | Absent:
    if not count:
        return Absent(reason=f"no {what}" if count == 0 else f"not all {what} were counted")
    return joules / count


def _rounded(name: str, figure: float | Absent) -> float | Absent:
    if isinstance(figure, Absent):
        return figure
    return round(figure, 3 if name.endswith(("_w", "_j")) else 6)
