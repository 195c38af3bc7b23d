"""Which fields of recorded requests are sent: what servers know, and what the workload leaves."""

import pytest

from infx.model.trace import Content
from infx.model.workload import Message
from infx.wire.chat import reserved_fields
from infx.workloads.bodies import SENT, sent, unsent
from recorded import call
from sessions import stream, trace, workload

ASK = (Message("user", ("Fix it.",)),)
TOOLS = [{"type": "function", "function": {"name": "edit"}}]


def content(**extra: object) -> Content:
    return Content(ASK, extra=extra)


def test_tools_and_what_shapes_the_answer_are_sent_as_they_were_recorded():
    extra = {"tools": TOOLS, "tool_choice": "auto", "response_format": {"type": "json_object"}}
    assert sent(workload(), extra) == extra


@pytest.mark.parametrize("name", ["n", "logprobs", "stream", "max_tokens", "model", "vendor_field"])
def test_what_would_break_a_measurement_or_a_server_is_not_sent(name):
    assert sent(workload(), {name: 1, "seed": 7}) == {"seed": 7}


def test_nothing_that_the_plan_decides_is_ever_sent():
    assert reserved_fields(dict.fromkeys(SENT)) == ()


def test_what_the_workload_decides_wins_and_is_told_where_it_differs():
    stated = workload(temperature=0.5, extra_body={"top_p": 0.9})
    recorded = content(temperature=0.5, top_p=0.8, ignore_eos=True, seed=1)
    assert sent(stated, recorded.extra) == {"seed": 1}
    session = trace(stream([call(0, [], input_tokens=None, content=recorded)]))
    assert unsent(stated, session) == {"top_p": 1}


def test_requests_are_counted_by_the_field_that_they_lack():
    lost = Content(ASK, unsaid=("messages[].timestamp",))
    calls = [
        call(number, [], input_tokens=None, content=one)
        for number, one in enumerate((content(n=2), content(n=2, logprobs=True), lost))
    ]
    found = unsent(workload(), trace(stream([*calls, call(9, [1])])))
    assert found == {"logprobs": 1, "messages[].timestamp": 1, "n": 2}
