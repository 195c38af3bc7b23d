"""`expected.jsonl.zst`: what a recording says of each request that is replayed.

One line a stream of the plan, so that a point is re-reported without its corpus.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from infx.errors import InputError, Problem
from infx.model.measured import Expected
from infx.model.value import Value
from infx.store.frames import Torn, contents, pack

EXPECTED = "expected.jsonl.zst"


class RecordedTurn(Value):
    """One recorded request. `outer` and `inner` are its place in its file.

    The lengths are tokens, None where nobody recorded them. A cache that forgets nothing of the
    session would know the first `known` of its `blocks` blocks.
    """

    outer: int
    inner: int | None
    input_tokens: int | None
    output_tokens: int | None
    known: int
    blocks: int


class RecordedStream(Value):
    """One conversation: its number in the plan, its trace, its name there, and its requests."""

    stream: int
    trace: str
    name: str
    turns: tuple[RecordedTurn, ...]


_LINE = TypeAdapter(RecordedStream)


def expected_bytes(streams: Iterable[RecordedStream]) -> bytes:
    """Return the file's bytes: one zstd frame of JSON lines."""
    return pack(b"".join(_LINE.dump_json(stream) + b"\n" for stream in streams))


def read_expected(path: Path) -> Mapping[tuple[int, int], Expected]:
    """Return what is expected of each request, by stream of the plan and turn.

    Raises InputError for a file that is missing, torn, or holds something else.
    """
    found: dict[tuple[int, int], Expected] = {}
    for stream in recorded(path):
        for index, turn in enumerate(stream.turns):
            found[stream.stream, index] = Expected(
                trace=stream.trace,
                stream=stream.name,
                turn=index,
                known_blocks=turn.known,
                blocks=turn.blocks,
                output_tokens=turn.output_tokens,
            )
    return found


def expected_of(point: Path) -> Mapping[tuple[int, int], Expected]:
    """Return what is expected of the requests in a point's folder; nothing where none is replayed.

    Raises InputError as `read_expected`.
    """
    path = point / EXPECTED
    return read_expected(path) if path.exists() else {}


def recorded(path: Path) -> tuple[RecordedStream, ...]:
    """Return the recorded streams, in the order of the plan; raises as `read_expected`."""
    where = str(path)
    try:
        with path.open("rb") as file:
            text = b"".join(content for _, content in contents(file))
        return tuple(_LINE.validate_json(line) for line in text.splitlines())
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", where)) from None
    except (Torn, ValidationError) as error:
        what = f"not what a recording says of its requests: {error}"
        raise InputError(Problem(what, where, "the bundle is damaged: infx runs verify")) from None
