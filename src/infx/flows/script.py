"""What a point asks: its plan as it is made, and how its load is led."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pydantic import JsonValue

from infx.clock import NS
from infx.flows.options import BenchOptions
from infx.flows.sizing import Given, Sizing, TokenCounts, size_prompts
from infx.load.planner import plan_chunks
from infx.load.target import Stop
from infx.model.agentic import AgenticWorkload
from infx.model.workload import FixedWorkload
from infx.workloads.fixed import sessions, warmup_count

if TYPE_CHECKING:
    from infx.flows.replaying import Recording
    from infx.load.rules import Rules
    from infx.model.replay import Seat

Asked = FixedWorkload | AgenticWorkload
ABORT_SHARE = 0.1
"""Failed requests above this share end a replay, as AgentX does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A point's plan, which can be drawn once, and how it is asked.

    `rules` are those of a replay. `warms_up` tells that there is something to ask before the
    measurement, `join_warmup` that the two are asked without a drain between. `rate` is the highest
    that arrivals ask. `audit` joins the point's. Once the plan is drawn, `drawn` gives what also
    joins it, and `expected` the file of what the recording says of each request.
    """

    chunks: Iterable[bytes]
    duration_s: float | None
    ramp_s: float | None = None
    rules: "Rules | None" = None
    warms_up: bool
    join_warmup: bool = False
    rate: float | None = None
    audit: Mapping[str, JsonValue] = field(default_factory=dict)
    drawn: Callable[[], Mapping[str, JsonValue]] = field(default=dict)
    expected: Callable[[], bytes] | None = None

    def stop(self, stop: Stop) -> Stop:
        """Return `stop` with the beginning and the end of the measurement."""
        duration = self.duration_s
        return replace(
            stop,
            duration_ns=None if duration is None else round(duration * NS),
            ramp_ns=round((self.ramp_s or 0) * NS),
        )


def fixed_script(
    workload: FixedWorkload, sizing: Sizing, *, concurrency: int, repetition: int
) -> Script:
    """Return what a point of independent requests asks; raises as `sessions` does."""
    asked = sessions(
        workload, concurrency=concurrency, repetition=repetition, prompts=sizing.prompts
    )
    arrival = workload.arrival
    ends_by_time = arrival is None and workload.duration_s is not None
    return Script(
        chunks=plan_chunks(api=workload.api, sessions=asked),
        duration_s=workload.duration_s,
        ramp_s=workload.ramp_s,
        warms_up=bool(asked) and asked[0].phase.value == "warmup",
        join_warmup=workload.join_warmup,
        rate=arrival.peak if arrival else None,
        audit={
            "prompt_passes": sizing.passes(len(asked)),
            "planned": None if ends_by_time else len(asked) - warmup_count(workload, concurrency),
        },
    )


def agentic_script(workload: AgenticWorkload, recording: "Recording", concurrency: int) -> Script:
    """Return what a point of replayed sessions asks.

    The corpus is read as the plan is drawn: InputError for bad rows, and for a corpus of which
    nothing fits, comes then.
    """
    from infx.workloads.agentic import trees
    from infx.workloads.seats import Outline, seats

    outlines: list[Outline] = []

    def lanes() -> "Iterator[Seat]":
        yield from seats(workload, outlines, concurrency)

    made = trees(
        workload,
        recording.traces(),
        recording.sized.source,
        outlines=outlines,
        template=recording.sized.template,
    )
    begun_inside = workload.window is not None
    return Script(
        chunks=plan_chunks(api=workload.api, trees=made, seats=lanes() if begun_inside else ()),
        duration_s=workload.duration_s,
        rules=_rules(workload, recording),
        warms_up=begun_inside or workload.warmups_per_lane > 0,
        drawn=lambda: {
            "digest_mismatch": recording.mismatches(),
            "unsent_fields": recording.unsent(outlines),
        },
        expected=lambda: recording.expected(outlines),
    )


def _rules(workload: AgenticWorkload, recording: "Recording") -> "Rules":
    from infx.load.rules import Rules

    caps = {
        "idle_cap_ns": _ns(workload.idle_cap_s),
        "tree_idle_cap_ns": _ns(workload.tree_idle_cap_s),
    }
    return Rules(
        seed=workload.seed,
        cache_bust=workload.cache_bust,
        warmups=workload.warmups_per_lane,
        abort_share=ABORT_SHARE,
        affinity=recording.affinity,
        parents=recording.parents,
        **caps,
    )


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a run asks once its text is sized by the server's counts.

    `facts` are what sized it. `script` takes a workload, a concurrency and a repetition.
    """

    workload: Asked
    facts: Mapping[str, JsonValue]
    script: Callable[[Asked, int, int], Script]


async def prepare(
    options: BenchOptions, given: Given, counts: TokenCounts, talk: Callable[[str], None]
) -> Prepared:
    """Size what is asked; raises as `size_prompts` and `size_blocks` do."""
    if isinstance(options.workload, FixedWorkload):
        sizing = await size_prompts(options.workload, given, counts, talk)

        def fixed(workload: Asked, concurrency: int, repetition: int) -> Script:
            assert isinstance(workload, FixedWorkload)
            return fixed_script(workload, sizing, concurrency=concurrency, repetition=repetition)

        return Prepared(sizing.workload, sizing.facts, fixed)
    from infx.flows.block_sizing import size_blocks
    from infx.flows.replaying import Recording

    assert options.corpus is not None
    sized = await size_blocks(options.workload, given, counts, talk)
    recording = Recording(options.corpus, sized, options.routers, options.registered, talk)
    return Prepared(
        sized.workload,
        sized.facts,
        lambda _, lanes, __: agentic_script(sized.workload, recording, lanes),
    )


def _ns(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * NS)
