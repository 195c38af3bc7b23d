"""Results of `benchmark_serving.py` and `vllm bench serve`: a file is a point of fixed requests."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path

import orjson
from pydantic import ValidationError

from infx.errors import InputError, Problem
from infx.model.record import EndState, Phase, RequestRecord
from infx.model.serving_result import ServingResult
from infx.store.documents import read_json

NS = 1e9


def read(path: Path) -> ServingResult:
    """Return a result; raises InputError with everything in it that is not of such a client."""
    document = read_json(path)
    try:
        return ServingResult.model_validate_json(orjson.dumps(document.value))
    except ValidationError as error:
        raise InputError(*_problems(error, str(path))) from None


def _problems(error: ValidationError, where: str) -> Iterator[Problem]:
    for one in error.errors(include_url=False):
        key = ".".join(map(str, one["loc"]))
        what = f"{key}: {one['msg']}" if key else one["msg"]
        yield Problem(what, where, "give the result file of a serving client")


def requests(result: ServingResult, lanes: int) -> tuple[RequestRecord, ...]:
    """Return every request of a result that keeps them, by the order of the sends.

    Token counts are the client's. What was asked of each is not told: the output that it asked for
    is taken to be what came. A lane is one that was free at the send, else the one that is free
    next: which connection carried it is not told.
    """
    columns = zip(
        result.start_times or (),
        result.input_lens or (),
        result.output_lens or (),
        result.ttfts or (),
        result.itls or (),
        result.errors or (),
        strict=True,
    )
    free = [0] * lanes
    found = []
    for number, one in enumerate(sorted(columns, key=lambda one: one[0])):
        sent = round(one[0] * NS)
        lane = next((of for of, until in enumerate(free) if until <= sent), free.index(min(free)))
        record, end = _record(number, lane, one)
        free[lane] = max(end, sent)
        found.append(record)
    return tuple(found)


def _record(
    number: int, lane: int, row: tuple[float, int, int, float, Sequence[float], str]
) -> tuple[RequestRecord, int]:
    """Return a request, and the moment of its last content, which a failed one has too."""
    start, prompt, output, ttft, gaps, error = row
    sent = round(start * NS)
    # Moments are rounded, and not the distances between them: no error adds up.
    ends = [round((start + at) * NS) for at in accumulate(gaps, initial=ttft)]
    ok = not error
    record = RequestRecord(
        request=number,
        session=number,
        turn=0,
        lane=lane,
        phase=Phase.PROFILING,
        state=EndState.OK if ok else EndState.ERROR,
        due_ns=sent,
        sent_ns=sent,
        end_ns=ends[-1] if ok else None,
        asked_input=None,
        asked_output=output,
        reason=None if ok else "client-error",
        detail=error or None,
        first_content_ns=ends[0] if ok else None,
        first_output_ns=ends[0] if ok else None,
        gaps_ns=tuple(b - a for a, b in pairwise(ends)) if ok else (),
        prompt_tokens=prompt if ok else None,
        completion_tokens=output if ok else None,
    )
    return record, ends[-1]
