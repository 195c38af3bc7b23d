"""The same six traces, as a public client replayed them."""

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

from infx.model.trace import Ref, Trace
from infx.workloads.trace import weka
from infx.workloads.trace.reading import Tally

DATA = os.environ.get("INFX_REFERENCE_DATA")
SAMPLE = Path(DATA or "/nowhere") / "engine-samples" / "aiperf-0.13-weka"
RUNS = ("plain", "agentx-scenario")

pytestmark = pytest.mark.skipif(not SAMPLE.is_dir(), reason="needs INFX_REFERENCE_DATA")


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    return {t.id: t for t in weka.traces(SAMPLE / "traces", tally=Tally())}


def records(run: str) -> list[dict]:
    with (SAMPLE / run / "profile_export.jsonl").open() as file:
        return [json.loads(line) for line in file]


def plays(run: str) -> list[dict[tuple[str, int], dict]]:
    """The records of each play of a tree while it was measured, by stream and turn."""
    found: dict[str, dict] = defaultdict(dict)
    for record in records(run):
        metadata = record["metadata"]
        if metadata["phase_kind"] == "profiling":
            place = (metadata["conversation_id"], metadata["turn_index"])
            found[metadata["root_correlation_id"]][place] = metadata
    return list(found.values())


def ours(traces) -> dict[tuple[str, int], tuple]:
    """Source and requested output of each request, by stream id and turn."""
    return {
        (stream.id, turn): (trace.id, call.outer, call.inner, call.asked_output)
        for trace in traces.values()
        for stream in trace.streams
        for turn, call in enumerate(stream.calls)
    }


@pytest.mark.parametrize("run", RUNS)
def test_streams_turns_sources_and_output_lengths_are_the_same(traces, run):
    """Every request of ours was played, and every one that was played is ours.

    Requests of the warmup were asked for one token, so their length says nothing.
    """
    expected = ours(traces)
    played = set()
    for record in records(run):
        metadata = record["metadata"]
        place = (metadata["conversation_id"], metadata["turn_index"])
        trace, outer, inner, output = expected[place]
        assert metadata["source_trace_id"] == trace
        assert metadata["source_outer_idx"] == outer
        assert metadata.get("source_inner_idx") == inner
        if metadata["phase_kind"] == "profiling":
            assert record["metrics"]["output_sequence_length"]["value"] == output
        played.add(place)
    assert played == set(expected)


@pytest.mark.parametrize("run", RUNS)
def test_what_we_say_waits_had_waited(traces, run):
    """In every play a call began after all had ended that ours says it waits for, joins too."""
    held: dict[bool, set] = {True: set(), False: set()}
    for play in plays(run):
        for (conversation, turn), metadata in play.items():
            trace = traces[metadata["source_trace_id"]]
            index = [stream.id for stream in trace.streams].index(conversation)
            for before in waited(trace, Ref(index, turn)):
                place = (trace.streams[before.stream].id, before.call)
                if place in play:
                    in_order = play[place]["request_end_ns"] <= metadata["request_start_ns"]
                    held[in_order].add(((conversation, turn), place))
    assert not held[False]
    assert len(held[True]) > 45


@pytest.mark.parametrize("run", RUNS)
def test_a_subagent_starts_when_the_call_that_we_say_starts_it_is_done(traces, run):
    """Each is the only one of its branch, so its distance from the start of the branch is 0."""
    seen = 0
    for play in plays(run):
        for trace in traces.values():
            for stream in trace.streams[1:]:
                start = play.get((stream.id, 0))
                spawned = play.get((trace.id, stream.spawn.call))
                if start and spawned:
                    seen += 1
                    late = start["credit_issued_ns"] - spawned["request_end_ns"]
                    assert 0 <= late < 50_000_000
    assert seen > 5


def waited(trace: Trace, ref: Ref) -> list[Ref]:
    stream = trace.streams[ref.stream]
    found = list(stream.after[ref.call])
    found += [Ref(ref.stream, ref.call - 1)] if ref.call else []
    for index, other in enumerate(trace.streams):
        if other.join == ref:
            found.append(Ref(index, len(other.calls) - 1))
    return found
