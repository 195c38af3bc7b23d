"""Recorded traces for tests of replays, drawn or built by hand, and the words of their prompts."""

from array import array
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from infx.model.agentic import AgenticWorkload
from infx.model.replay import Tree, TreeTurn
from infx.model.trace import Call, Ref, Stream, Trace, block_ids
from infx.model.workload import MARKER
from infx.workloads.agentic import tree
from infx.workloads.blocks import PassageBlocks, word_passage
from infx.workloads.trace.order import waits
from infx.workloads.vocabulary import Vocabulary, shipped_words
from recorded import S, call

CORPUS = "sha256:" + "5e" * 32
SIZE = 4
"""Tokens of a block in drawn traces."""
SOURCE = PassageBlocks(word_passage(Vocabulary(0, shipped_words()), 42), 42)


def workload(**stated: object) -> AgenticWorkload:
    return AgenticWorkload.under("custom", corpus=CORPUS, **{"cache_bust": False, **stated})


def stream(calls: Sequence[Call], name: str = "t", **fields: object) -> Stream:
    own = tuple(replace(call, outer=n) for n, call in enumerate(calls))
    return Stream(**{"id": name, "kind": "main", "calls": own, "after": ((),) * len(own), **fields})


def trace(*streams: Stream, size: int = 64, **fields: object) -> Trace:
    return Trace(**{"id": "t", "block_tokens": size, "streams": streams, **fields})


def played(of: Trace, **stated: object) -> Tree:
    return tree(workload(**stated), of, SOURCE)


def told(turn: TreeTurn) -> list[tuple[str, list[str]]]:
    """Role and words of each message; the marker counts as no word."""
    return [
        (message.role, "".join(part for part in message.parts if part is not MARKER).split())
        for message in turn.turn.messages
    ]


def sizes(turn: TreeTurn) -> list[tuple[str, int]]:
    return [(role, len(words)) for role, words in told(turn)]


class _Ids:
    """Ids that nobody had before."""

    def __init__(self) -> None:
        self._next = 0

    def fresh(self, count: int) -> list[int]:
        self._next += count
        return list(range(self._next - count, self._next))


@st.composite
def traces(draw: st.DrawFn, *, whole: bool = False, again: bool = True) -> Trace:
    """Draw a trace: prompts grow, are edited, are cut back; streams fork off one another.

    With `whole` every prompt is exactly its blocks. Without `again` no block comes back that was
    taken away before, and no prompt is cut back into its system message.
    """
    ids, gone = _Ids(), []
    streams: list[Stream] = []
    system = draw(st.integers(0, 2 * SIZE))
    for number in range(draw(st.integers(1, 4))):
        prompt: list[int] = []
        declared = 0
        start = draw(st.integers(0, 20)) if number else 0
        if number == 0 or draw(st.booleans()):
            declared = system
            prompt = list(streams[0].calls[0].blocks[: -(-system // SIZE)]) if number else []
            prompt = prompt or ids.fresh(-(-system // SIZE))
        elif draw(st.booleans()):
            source = draw(st.sampled_from(streams[draw(st.integers(0, number - 1))].calls))
            prompt = list(source.blocks[: draw(st.integers(0, len(source.blocks)))])
            begun = list(streams[0].calls[0].blocks[: -(-system // SIZE)])
            declared = system if prompt[: len(begun)] == begun else 0
            start = source.start_ns // S + draw(st.integers(1, 9))
        calls: list[Call] = []
        for turn in range(draw(st.integers(1, 6))):
            least = 0 if again else min(len(prompt), 1 + -(-system // SIZE))
            edited = turn and draw(st.booleans())
            kept = draw(st.integers(least, len(prompt))) if edited else len(prompt)
            gone += prompt[kept:]
            prompt = prompt[:kept]
            if again and gone and draw(st.booleans()):
                prompt += gone[: draw(st.integers(0, len(gone)))]
            least = 0 if turn and prompt else 1
            prompt += ids.fresh(draw(st.integers(least, 4)))
            tokens = SIZE * len(prompt)
            if not whole:
                tokens = max(tokens + draw(st.integers(1 - SIZE, 2 * SIZE)), declared)
            took = draw(st.integers(0, 5))
            calls.append(
                Call(
                    outer=turn, inner=number or None, start_ns=start * S, duration_ns=took * S,
                    input_tokens=tokens, output_tokens=draw(st.integers(0, 3 * SIZE)),
                    blocks=block_ids(list(prompt)),
                )
            )  # fmt: skip
            start += draw(st.integers(0, 9))
        streams.append(
            Stream(
                id=f"s{number}", kind="subagent" if number else "main", calls=tuple(calls),
                parent=0 if number else None, spawned_ns=calls[0].start_ns, system_tokens=declared,
                **(_links(draw, streams[0], calls) if number else {}),
            )
        )  # fmt: skip
    after = waits([one.calls for one in streams], [0] * len(streams))
    linked = (replace(one, after=own) for one, own in zip(streams, after, strict=True))
    return Trace(id="drawn", block_tokens=SIZE, streams=tuple(linked))


def _links(draw: st.DrawFn, main: Stream, calls: Sequence[Call]) -> dict[str, Ref | None]:
    """Where a stream starts, and a call that may wait for it: one that began after all of its."""
    spawn = max(
        (n for n, one in enumerate(main.calls) if one.start_ns <= calls[0].start_ns), default=0
    )
    later = [
        Ref(0, n)
        for n, one in enumerate(main.calls)
        if n > spawn and one.start_ns >= calls[-1].start_ns
    ]
    return {"spawn": Ref(0, spawn), "join": draw(st.sampled_from([None, *later]))}


def words_of_blocks(words: Sequence[str], ids: "array[int]", size: int) -> list[tuple[str, ...]]:
    return [tuple(words[n * size : (n + 1) * size]) for n in range(len(ids))]


def three_levels() -> Trace:
    """A session with five subagents at once, a worker below the first, and one in the background.

    Calls are (start, duration, ids, output); what they mean is derived in the tests.
    """
    system = [1, 2, 3]
    main = stream(
        [
            call(0, [*system, 10], took=10, output_tokens=100),
            call(60, [*system, 10, 11, 12, 13], took=10, output_tokens=0),
            call(100, [*system, 10, 11, 12, 13, 14], took=10, output_tokens=9),
        ],
        tool_tokens=100,
        system_tokens=50,
    )
    main = replace(main, after=((), (), (Ref(7, 0),)))
    rows = {
        "a": ((12, [10, 20, 21]), (40, [10, 20, 21, 22])),
        "b": ((13, [30]), (20, [30, 31])),
        "c": ((14, [40]), (35, [40, 41])),
        "d": ((15, [50]), (38, [50, 51])),
        "e": ((31, [60]), (36, [60, 61])),
    }
    subagents = [
        stream(
            [call(start, [*system, *ids], took=2, output_tokens=64) for start, ids in calls],
            name, kind="subagent", parent=0, spawn=Ref(0, 0), spawned_ns=calls[0][0] * S,
            join=Ref(0, 1), tool_tokens=100, system_tokens=50,
        )
        for name, calls in rows.items()
    ]  # fmt: skip
    below = [*system, 10, 20, 21, 70, 71]
    worker = stream(
        [call(26, below, took=2), call(32, [*below, 72], took=2)],
        "a:w", kind="worker", parent=1, spawn=Ref(1, 0), spawned_ns=25 * S, join=Ref(1, 1),
        tool_tokens=100, system_tokens=50,
    )  # fmt: skip
    background = stream(
        [call(75, [80], took=5)], "late", kind="subagent", parent=0, spawn=Ref(0, 1),
        spawned_ns=75 * S,
    )  # fmt: skip
    return trace(main, *subagents, worker, background)
