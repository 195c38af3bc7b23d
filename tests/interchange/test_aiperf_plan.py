"""For the traces that aiperf replayed, infx plans the same requests.

The sample's prompts have the lengths that its server counted; ours have those of the recording.
Its AgentX scenario draws where lanes begin in its own way, so plays are compared by trace.
"""

import json
import os
from collections import defaultdict
from itertools import accumulate
from pathlib import Path

import pytest

from infx.interchange import aiperf_records
from infx.model.agentic import AgenticWorkload
from infx.model.aiperf import AiperfRecord
from infx.model.replay import Tree, TreeTurn
from infx.workloads.agentic import trees
from infx.workloads.blocks import PassageBlocks, word_passage
from infx.workloads.seats import Outline
from infx.workloads.trace import weka
from infx.workloads.trace.reading import Tally
from infx.workloads.vocabulary import Vocabulary, shipped_words

DATA = os.environ.get("INFX_REFERENCE_DATA")
SAMPLE = Path(DATA or "/nowhere") / "engine-samples" / "aiperf-0.13-weka"
RUNS = ("plain", "agentx-scenario")
Place = tuple[str, str, int]
"""Trace, stream and turn."""

pytestmark = pytest.mark.skipif(not SAMPLE.is_dir(), reason="needs INFX_REFERENCE_DATA")


@pytest.fixture(scope="module")
def made() -> tuple[list[Tree], list[Outline]]:
    workload = AgenticWorkload.under("custom", corpus="sha256:" + "0" * 64)
    source = PassageBlocks(word_passage(Vocabulary(0, shipped_words()), 42), 42)
    outlines: list[Outline] = []
    traces = weka.traces(SAMPLE / "traces", tally=Tally())
    return list(trees(workload, traces, source, outlines=outlines)), outlines


@pytest.fixture(scope="module")
def planned(made) -> dict[Place, TreeTurn]:
    return {
        (tree.name, stream.name, turn): one
        for tree in made[0]
        for stream in tree.streams
        for turn, one in enumerate(stream.turns)
    }


@pytest.fixture(scope="module", params=RUNS)
def asked(request) -> tuple[AiperfRecord, ...]:
    return aiperf_records.read(SAMPLE / request.param / "profile_export.jsonl")


def place(record: AiperfRecord) -> Place:
    said = record.metadata
    return said.source_trace_id, said.conversation_id, said.turn_index


def plays(asked: tuple[AiperfRecord, ...]) -> list[dict[Place, AiperfRecord]]:
    """Return the profiled requests of each play of a tree, by their place."""
    found = defaultdict(dict)
    for record in asked:
        if record.metadata.benchmark_phase == "profiling":
            found[record.metadata.root_correlation_id][place(record)] = record
    return list(found.values())


def places(tree: Tree) -> list[Place]:
    """Return the place of each turn of a tree, in the order in which the plan numbers them."""
    return [
        (tree.name, stream.name, turn)
        for stream in tree.streams
        for turn in range(len(stream.turns))
    ]


def test_the_same_requests_are_planned(planned, asked) -> None:
    assert {place(record) for record in asked} == set(planned)


def test_they_stand_at_the_same_rows_of_their_trace(made, asked) -> None:
    rows = {
        (outline.name, stream, turn): (said.outer, said.inner)
        for outline in made[1]
        for stream, each in zip(outline.streams, outline.expected, strict=True)
        for turn, said in enumerate(each)
    }
    for record in asked:
        said = record.metadata
        assert rows[place(record)] == (said.source_outer_idx, said.source_inner_idx)


def test_the_same_output_is_asked(planned, asked) -> None:
    """aiperf's server answered with exactly what was asked; the warmup asks for one token."""
    for record in asked:
        assert record.metrics["osl_mismatch_diff_pct"].value == 0
        output = record.metrics["output_sequence_length"].value
        warmup = record.metadata.benchmark_phase == "warmup"
        assert output == (1 if warmup else planned[place(record)].turn.asked_output)


def test_prompts_have_the_recorded_length(planned) -> None:
    recorded = {}
    for path in sorted((SAMPLE / "traces").glob("*.json")):
        trace = json.loads(path.read_text())
        for outer, row in enumerate(trace["requests"]):
            inner = row.get("requests", [row])
            for index, one in enumerate(inner):
                recorded[trace["id"], outer, index if "requests" in row else None] = one["in"]
    lengths = [one.turn.asked_input for one in planned.values()]
    assert sorted(lengths) == sorted(recorded.values())


def test_what_a_turn_waits_for_had_ended_in_every_play(made, asked) -> None:
    """Both what it follows and what holds it back, across streams too; at least 45 kinds of it."""
    numbered = {
        place: (tree, one)
        for tree in made[0]
        for place, one in zip(places(tree), (t for s in tree.streams for t in s.turns), strict=True)
    }
    seen = set()
    for play in plays(asked):
        for where, record in play.items():
            tree, turn = numbered[where]
            order = places(tree)
            waits = [*turn.holds, *([] if turn.base is None else [turn.base])]
            for before in (order[number] for number in waits):
                if before in play and not turn.overlaps:
                    assert (
                        play[before].metadata.request_end_ns <= record.metadata.request_start_ns
                    ), (where, before)
                    seen.add((where, before))
    assert len(seen) > 45


def test_a_turn_with_a_join_is_held_by_the_last_of_its_subagent(made) -> None:
    """Three of the six traces have a subagent that a later turn of the root waits for."""
    joins = 0
    for tree in made[0]:
        firsts = [0, *accumulate(len(stream.turns) for stream in tree.streams)]
        for number, stream in enumerate(tree.streams[1:], 1):
            last = firsts[number] + len(stream.turns) - 1
            held = [turn for turn in tree.streams[0].turns if last in turn.holds]
            joins += bool(held)
    assert joins == 3


def test_pauses_are_planned_as_they_were_played(planned, asked) -> None:
    """A turn is due at the recorded pause after what it follows; aiperf needed up to 50 ms more.

    A pause of the scenario may be shorter: its lanes begin inside of one.
    """
    late = []
    for play in plays(asked):
        for (trace, stream, turn), record in play.items():
            before = play.get((trace, stream, turn - 1))
            one = planned[trace, stream, turn]
            if before is not None and not one.holds:
                pause = record.metadata.credit_issued_ns - before.metadata.request_end_ns
                late.append(pause - one.turn.delay_ns)
    assert len(late) > 90
    assert all(-1_000_000 <= one < 50_000_000 for one in late)
