"""What aiperf's records tell of the traces that were replayed: streams, turns, asked outputs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from infx.interchange.aiperf_lanes import Play, stream_of, tree_of
from infx.model.aiperf import AiperfRecord
from infx.store.expected import RecordedStream, RecordedTurn

Streams = Sequence[RecordedStream]
Place = tuple[str, str, int]
"""Trace, stream and turn."""
Request = tuple[str, int]
"""What tells a record from all others of its run: its id, and when it was sent."""


def place_of(line: AiperfRecord) -> Place:
    """Return where a request stands in its trace."""
    return (*stream_of(line), line.metadata.turn_index or 0)


def request_of(line: AiperfRecord) -> Request:
    """Return what tells a record from all others."""
    return line.metadata.x_request_id or tree_of(line), line.metadata.request_start_ns


def value_of(line: AiperfRecord, name: str) -> float | None:
    """Return a figure of a request, None where it has none, or one for each chunk."""
    found = line.metrics.get(name)
    return found.value if found is not None and not isinstance(found.value, tuple) else None


def count(line: AiperfRecord, *names: str) -> int | None:
    """Return the first of these counts that a request has."""
    known = (value for name in names if (value := value_of(line, name)) is not None)
    value = next(known, None)
    return None if value is None else round(value)


def by_place(streams: Streams) -> dict[Place, RecordedTurn]:
    """Return every turn by where it stands."""
    return {
        (one.trace, one.name, turn): said for one in streams for turn, said in enumerate(one.turns)
    }


def outputs(lines: Sequence[AiperfRecord], known: Streams) -> dict[Request, int]:
    """Return how many tokens each request asked for, where that can be told.

    aiperf tells by how much the output was off. Of a request without that, the corpus knows, or
    another play of the same turn; in the warmup of a replay every request asks for one token.
    """
    told: dict[tuple[Place, str], int] = {}
    for line in lines:
        if (asked := _told(line)) is not None:
            told[place_of(line), line.metadata.benchmark_phase] = asked
    for place, said in by_place(known).items():
        told.setdefault((place, "warmup"), 1)
        if said.output_tokens is not None:
            told.setdefault((place, "profiling"), max(1, said.output_tokens))
    found: dict[Request, int] = {}
    for line in lines:
        same = told.get((place_of(line), line.metadata.benchmark_phase))
        asked = _told(line) or same
        if asked is not None:
            found[request_of(line)] = asked
    return found


def _told(line: AiperfRecord) -> int | None:
    """Return the asked output where it differs from the given one by a known share."""
    off, output = value_of(line, "osl_mismatch_diff_pct"), count(line, "output_sequence_length")
    return round(output / (1 + off / 100)) if output and off is not None else None


def played_streams(
    played: Iterable[Play], asked: Mapping[Request, int]
) -> Iterator[RecordedStream]:
    """Yield the streams of every trace that was once played as a whole, numbered from 0.

    Neither input lengths nor blocks are known: aiperf's records do not name them.
    """
    whole: dict[str, list[AiperfRecord]] = defaultdict(list)
    for play in played:
        if play.whole:
            whole[stream_of(play.lines[0])[0]] += play.lines
    number = 0
    for trace in sorted(whole):
        streams: dict[str, dict[int, RecordedTurn]] = defaultdict(dict)
        for line in whole[trace]:
            turn = _turn(line, asked)
            if turn is not None:
                _, stream, index = place_of(line)
                streams[stream][index] = turn
        if all(sorted(turns) == list(range(len(turns))) for turns in streams.values()):
            for name in sorted(streams):
                turns = tuple(streams[name][index] for index in sorted(streams[name]))
                yield RecordedStream(stream=number, trace=trace, name=name, turns=turns)
                number += 1


def _turn(line: AiperfRecord, asked: Mapping[Request, int]) -> RecordedTurn | None:
    said = line.metadata
    if said.source_outer_idx is None:
        return None
    return RecordedTurn(
        outer=said.source_outer_idx,
        inner=said.source_inner_idx,
        input_tokens=None,
        output_tokens=asked.get(request_of(line)),
        known=0,
        blocks=0,
    )
