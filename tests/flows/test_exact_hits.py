"""An endless prefix cache serves exactly what the theory says, request by request.

Each trace is played once from its first turn, without marker and warmup, and has text in common
with itself alone. Prompts are whole blocks of 16 tokens. A request finds what the prompts that were
sent before it have in common with its own, whether they are answered by then or not; so the theory
is told in the order of sending, which is what the server saw. The sum is that of any order.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import pytest

from infx.flows.workload import Reading, describe_corpus, open_corpus
from infx.model.trace import Ref, Trace
from infx.servers.truth.script import EngineModel
from infx.store.datasets import demo_path
from infx.workloads.trace.hits import Hit, theoretical_hits
from infx.workloads.trace.synthetic import PRESETS, rows
from replaying import Replayed, replay

BLOCK = 16
AT_ONCE, SLOW = 1e18, 500.0
"""Tokens of prefill a second: nothing waits for a prompt, or everything does."""


@pytest.fixture(scope="module", params=["demo", 4, 6])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus that ships, and two seeds of one with many subagents of their own workers."""
    if request.param == "demo":
        return demo_path()
    busy = {"traces": 3, "seed": request.param, "fan_out": 0.4, "fan_out_most": 7, "nested": 0.6}
    path = tmp_path_factory.mktemp("corpus") / "busy.jsonl"
    path.write_bytes(b"".join(rows(PRESETS["demo"].model_copy(update=busy))))
    return path


def endless(rate: float) -> EngineModel:
    return EngineModel(
        slots=10_000, prefill_rate=rate, step_base_s=0.001, block_size=BLOCK, kv_tokens=10**9
    )


def traces_of(corpus: Path) -> list[Trace]:
    return list(open_corpus(corpus, Reading()).traces)


def test_the_corpora_branch(corpus: Path) -> None:
    """Three levels of streams, and five subagents at once that one turn started."""
    traces = traces_of(corpus)
    assert max(trace.depth(n) for trace in traces for n in range(len(trace.streams))) >= 2
    started = [
        len(list(group))
        for trace in traces
        for _, group in groupby(s.spawn for s in trace.streams if s.kind == "subagent")
    ]
    assert max(started) >= 5


@pytest.mark.parametrize("rate", [AT_ONCE, SLOW])
def test_every_request_is_served_its_theoretical_hit(
    tmp_path: Path, corpus: Path, rate: float
) -> None:
    done = replay(
        tmp_path, window=None, warmups_per_lane=0, duration_s=None, cache_bust=False,
        corpus=corpus, script={"engine": endless(rate)},
    )  # fmt: skip
    traces = traces_of(corpus)
    assert len(done.profiled) == len(done.records) == sum(trace.calls for trace in traces)
    assert served(done) == theory(done, traces)
    overtaken = [
        one
        for one in done.profiled
        if one.cached_tokens != BLOCK * done.expected[one.session, one.turn].known_blocks
    ]
    assert corpus != demo_path() or overtaken == [], "it is sent in the order of its recording"
    described = describe_corpus(str(corpus), Reading(), cache=tmp_path, talk=print)
    found = done.point.metrics
    assert found["served_prefix_hit"].mean == described.hit_rate
    assert found["theoretical_prefix_hit"].mean == described.hit_rate


def served(done: Replayed) -> dict[tuple[int, Ref], Hit]:
    """Return the blocks of each request, and those that the server had, by trace and call."""
    found = {}
    for tree in range(done.plan.trees):
        streams = done.plan.streams_of(tree)
        for one in done.profiled:
            if one.session in streams:
                assert (one.cached_tokens % BLOCK, one.prompt_tokens % BLOCK) == (0, 0)
                hit = Hit(one.cached_tokens // BLOCK, one.prompt_tokens // BLOCK)
                found[tree, Ref(one.session - streams.start, one.turn)] = hit
    return found


def theory(done: Replayed, traces: Sequence[Trace]) -> dict[tuple[int, Ref], Hit]:
    """Return the same by the traces' own blocks, in the order in which the requests were sent."""
    found = {}
    for tree, trace in enumerate(traces):
        streams = done.plan.streams_of(tree)
        sent = [one for one in done.profiled if one.session in streams]
        sent.sort(key=lambda one: (one.sent_ns, one.request))
        order = [Ref(one.session - streams.start, one.turn) for one in sent]
        hits = theoretical_hits(trace, order)
        found |= {(tree, ref): hits[ref.stream][ref.call] for ref in order}
    return found
