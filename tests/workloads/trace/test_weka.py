"""Weka rows: every field and rule, and where a bad one stands."""

import json
import math

import pytest

from infx.model.trace import Dropped, Ref
from infx.workloads.trace import weka
from infx.workloads.trace.reading import Tally, fitting
from infx.workloads.trace.session import EMPTY, NOT_STARTED
from recorded import S, corpus, only_trace, request, session, subagent, traces
from refusals import refusal

KNOWN = f"known are {', '.join(weka.REQUEST)}"
COUNT = "expected a whole number of at least 0"


def refused(tmp_path, *rows: dict) -> list[str]:
    path = corpus(tmp_path, *rows)
    return refusal(lambda: traces(path)).replace(f"{tmp_path}/", "").splitlines()


def test_every_field_of_a_request_is_kept_in_nanoseconds_and_tokens(tmp_path):
    trace = only_trace(
        tmp_path,
        request(
            1.469, [3, 1, 2**32], type="s", model="big", out=23, api_time=0.53, ttft=0.2,
            think_time=1.0, input_types=["text"], output_types=["tool_use"], stop="tool_use",
            **{"in": 170},
        ),
        tool_tokens=100,
        system_tokens=28,
        totals={"anything": 1},
    )  # fmt: skip
    (stream,) = trace.streams
    (call,) = stream.calls
    assert (trace.id, trace.block_tokens, stream.tool_tokens, stream.system_tokens) == (
        "t", 64, 100, 28
    )  # fmt: skip
    assert (call.start_ns, call.duration_ns, call.ttft_ns) == (1469000000, 530000000, 200000000)
    assert (call.model, call.input_tokens, call.output_tokens) == ("big", 170, 23)
    assert list(call.blocks) == [3, 1, 2**32]
    assert (call.streaming, call.stop) == (True, "tool_use")
    assert (call.input_types, call.output_types) == (("text",), ("tool_use",))
    assert trace.where == f"{tmp_path}/traces.jsonl:1"


def test_ids_below_2_to_the_32_take_four_bytes_each(tmp_path):
    trace = only_trace(tmp_path, request(0, [1, 2, 3]))
    assert trace.streams[0].calls[0].blocks.itemsize == 4


def test_an_output_of_0_is_asked_for_as_1(tmp_path):
    call = only_trace(tmp_path, request(0, [1], out=0)).streams[0].calls[0]
    assert (call.output_tokens, call.asked_output, call.context_tokens) == (0, 1, 65)


@pytest.mark.parametrize("api_time", [None, -3.0])
def test_a_missing_or_negative_duration_has_no_width(tmp_path, api_time):
    call = only_trace(tmp_path, request(5, [1], api_time=api_time)).streams[0].calls[0]
    assert call.end_ns == 5 * S


def test_inner_times_before_the_spawn_count_from_it(tmp_path):
    """Spawned at 10 s: 0 and 2.5 are 10 and 12.5; 11 and 10 itself are the session's own time."""
    inner = [request(0, [9]), request(2.5, [9, 8]), request(11, [9, 8, 7]), request(10, [5])]
    trace = only_trace(tmp_path, request(0, [1]), subagent(10, "a", inner))
    starts = sorted(call.start_ns for stream in trace.streams[1:] for call in stream.calls)
    assert starts == [10 * S, 10 * S, 11 * S, 12.5 * S]


def test_inner_requests_know_their_row_and_their_place_in_it(tmp_path):
    inner = [request(2, [9]), request(4, [9, 8])]
    trace = only_trace(tmp_path, request(0, [1]), subagent(2, "a", inner), request(9, [1, 2]))
    main, child = trace.streams
    assert [(call.outer, call.inner) for call in main.calls] == [(0, None), (2, None)]
    assert [(call.outer, call.inner) for call in child.calls] == [(1, 0), (1, 1)]


def test_a_subagent_before_all_requests_and_one_without_requests_are_dropped_and_named(tmp_path):
    trace = only_trace(
        tmp_path,
        subagent(0, "early", [request(0, [9])]),
        request(1, [1]),
        subagent(2, "silent", []),
        subagent(3, "kept", [request(3, [9])]),
    )
    assert trace.dropped == (Dropped("early", NOT_STARTED), Dropped("silent", EMPTY))
    assert [stream.id for stream in trace.streams] == ["t", "t::sa:kept"]


def test_all_problems_of_a_file_are_told_with_line_field_and_expectation(tmp_path):
    bad = request(0, [1], color=1, out="12", hash_ids=[1, -2])
    del bad["model"]
    assert refused(
        tmp_path,
        session([request(0, [1])], id="good"),
        session([bad, 7, {"t": 1, "type": "x"}], hash_id_scope="global", block_size=0, extra=1),
        session([request(0, [1])], id="good"),
        session([], id="empty"),
    ) == [
        f"traces.jsonl:2: extra: unknown field; known are {', '.join(weka.TRACE)}",
        (
            "traces.jsonl:2: hash_id_scope: expected local (ids that mean one thing in all traces "
            "are not read), found 'global'"
        ),
        f"traces.jsonl:2: requests[0].color: unknown field; known are {', '.join(weka.STREAMED)}",
        "traces.jsonl:2: requests[0].model: expected text, found nothing",
        "traces.jsonl:2: requests[0].out: expected a whole number of at least 0, found '12'",
        "traces.jsonl:2: requests[0].hash_ids[1]: expected a whole number of at least 0, found -2",
        "traces.jsonl:2: requests[1]: expected an object, found a number",
        "traces.jsonl:2: requests[2].type: expected n, s or subagent, found 'x'",
        "traces.jsonl:2: requests[2].model: expected text, found nothing",
        "traces.jsonl:2: requests[2].in: expected a whole number of at least 0, found nothing",
        "traces.jsonl:2: requests[2].out: expected a whole number of at least 0, found nothing",
        "traces.jsonl:2: block_size: expected a whole number of at least 1, found 0",
        "traces.jsonl:3: id: a second trace 'good'; ids are unique in a corpus",
        "traces.jsonl:4: requests: a trace without any request cannot be replayed",
    ]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"t": "soon"}, "requests[0].t: expected a time in seconds of at least 0, found 'soon'"),
        ({"t": -1}, "requests[0].t: expected a time in seconds of at least 0, found -1"),
        (
            {"t": True},
            "requests[0].t: expected a time in seconds of at least 0, found a truth value",
        ),
        ({"t": 1e300}, "requests[0].t: expected a time in seconds of at least 0, found 1e+300"),
        ({"type": "n", "ttft": 1}, f"requests[0].ttft: unknown field; {KNOWN}"),
        ({"in": 1.5}, "requests[0].in: expected a whole number of at least 0, found 1.5"),
        ({"in": -1}, "requests[0].in: expected a whole number of at least 0, found -1"),
        ({"hash_ids": 3}, "requests[0].hash_ids: expected a list, found 3"),
        ({"hash_ids": [1, True]}, f"requests[0].hash_ids[1]: {COUNT}, found a truth value"),
        ({"hash_ids": [1.5]}, f"requests[0].hash_ids[0]: {COUNT}, found a number"),
        ({"input_types": [1]}, "requests[0].input_types: expected a list of texts, found a list"),
        ({"api_time": "1"}, "requests[0].api_time: expected a time in seconds, found '1'"),
    ],
)
def test_a_bad_field_says_its_name_and_what_was_expected(tmp_path, fields, said):
    assert refused(tmp_path, session([{**request(0, [1]), **fields}])) == [
        f"traces.jsonl:1: {said}"
    ]


def test_an_unknown_field_of_a_subagent_and_of_its_requests_is_refused(tmp_path):
    inner = subagent(1, "a", [request(1, [9], color="red")], zebra="good")
    known, streamed = (", ".join(names) for names in (weka.SUBAGENT, weka.STREAMED))
    assert refused(tmp_path, session([request(0, [1]), inner])) == [
        f"traces.jsonl:1: requests[1].zebra: unknown field; known are {known}",
        f"traces.jsonl:1: requests[1].requests[0].color: unknown field; known are {streamed}",
    ]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_time_that_is_no_number_is_no_json(tmp_path, number):
    (said,) = refused(tmp_path, session([request(0, [1], api_time=number)]))
    assert said.startswith("traces.jsonl:1: not JSON: ")


def test_two_subagents_of_one_name_are_refused_unless_one_is_dropped(tmp_path):
    first, second = (subagent(t, "a", [request(t, [9])]) for t in (1, 2))
    assert refused(tmp_path, session([request(0, [1]), first, second])) == [
        "traces.jsonl:1: requests[2].agent_id: a second 'a'; agent ids are unique in a trace"
    ]
    assert len(only_trace(tmp_path, first, request(1, [1]), second).streams) == 2


def test_bad_rows_can_be_passed_over_and_are_counted(tmp_path):
    path = corpus(
        tmp_path,
        session([request(0, [1])]),
        session([], id="e"),
        session([request(0, [1])], id="u"),
    )
    with path.open("a") as file:
        file.write("\n{not json\n")
    tally = Tally()
    kept = [trace.id for trace in weka.traces(path, tally=tally, skip_bad=True)]
    assert (kept, tally.rows, tally.skipped) == (["t", "u"], 4, 2)
    assert [problem.where for problem in tally.problems] == [f"{path}:2", f"{path}:5"]


def test_nothing_is_yielded_after_the_first_bad_row_and_at_most_20_problems_are_told(tmp_path):
    path = corpus(
        tmp_path,
        session([request(0, [1])]),
        *[session([], id=f"{n}") for n in range(23)],
        session([request(0, [1])], id="u"),
    )
    seen = []

    def read():
        seen.extend(trace.id for trace in weka.traces(path, tally=Tally()))

    lines = refusal(read).splitlines()
    assert seen == ["t"]
    assert len(lines) == 21
    assert lines[-1] == "and 3 more problems"


def test_a_context_limit_drops_whole_traces_and_counts_them(tmp_path):
    """Peaks: 64 + 100 = 164, and 64 + 101 = 165 inside a subagent."""
    small = session([request(0, [1])], id="small")
    large = session([request(0, [1]), subagent(1, "a", [request(1, [1], out=101)])], id="large")
    path = corpus(tmp_path, small, large)
    tally = Tally()
    kept = fitting(weka.traces(path, tally=tally), 164, tally)
    assert [trace.id for trace in kept] == ["small"]
    assert (tally.rows, tally.too_long) == (2, 1)


def test_a_folder_and_a_pretty_printed_file_are_corpora_too(tmp_path):
    for name in ("b", "a"):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(session([request(0, [1])], id=name), indent=2))
    assert [trace.id for trace in traces(tmp_path)] == ["a", "b"]
    assert [trace.where for trace in traces(tmp_path / "a.json")] == [f"{tmp_path}/a.json"]


def test_a_corpus_that_is_not_there_says_what_is_read(tmp_path):
    said = refusal(lambda: traces(tmp_path / "none.jsonl"))
    assert said.startswith(f"{tmp_path}/none.jsonl: cannot read the traces: No such file")
    assert "no .json file in this folder" in refusal(lambda: traces(tmp_path))


def test_a_session_without_requests_of_its_own_is_refused(tmp_path):
    assert refused(tmp_path, session([subagent(0, "a", [request(0, [1])])])) == [
        "traces.jsonl:1: requests: no request of the session itself: nothing could start it"
    ]


def test_chains_can_be_left_as_they_are_recorded(tmp_path):
    path = corpus(
        tmp_path, session([request(0, [1, 2]), request(0.5, [1, 3]), request(3, [1, 2, 4])])
    )
    assert len(traces(path)[0].streams) == 2
    (trace,) = traces(path, detect_chains=False)
    assert [list(call.blocks) for call in trace.streams[0].calls] == [[1, 2], [1, 3], [1, 2, 4]]


def test_streams_hang_in_the_session_as_recorded(tmp_path):
    """Spawned after turn 1, ended (4 + 2 s) before turn 3 begins at 7: turn 3 waits."""
    trace = only_trace(
        tmp_path,
        request(0, [1]),
        request(2, [1, 2]),
        subagent(4, "a", [request(4, [9])], duration_ms=2000),
        request(5, [1, 2, 3]),
        request(7, [1, 2, 3, 4]),
    )
    child = trace.streams[1]
    assert (child.parent, child.spawn, child.join, child.spawned_ns) == (
        0,
        Ref(0, 1),
        Ref(0, 3),
        4 * S,
    )


def test_memory_does_not_grow_with_the_corpus(tmp_path):
    """A corpus ten times as long is read in the same memory, and its rows one by one."""
    import tracemalloc

    def peak(count: int) -> int:
        ids = list(range(2_000))
        path = corpus(
            tmp_path,
            *(
                session([request(t, ids[: 500 * (t + 1)]) for t in range(4)], id=f"{n}")
                for n in range(count)
            ),
            name=f"{count}.jsonl",
        )
        list(weka.traces(path, tally=Tally()))[:0]
        tracemalloc.start()
        for _ in weka.traces(path, tally=Tally()):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(60) < 1.3 * peak(6)
