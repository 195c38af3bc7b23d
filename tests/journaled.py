"""What a journal holds: made by hand, and drawn of every shape."""

import dataclasses

from hypothesis import strategies as st

from infx.model.record import EndState, Issue, Phase, RequestRecord

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
MOMENT = st.integers(0, 2**62)
COUNT = st.integers(0, 2**31)


@st.composite
def issues(draw, request):
    return Issue(
        request=request,
        session=draw(COUNT),
        turn=draw(COUNT),
        lane=draw(COUNT),
        phase=draw(st.sampled_from(Phase)),
        due_ns=draw(MOMENT),
        sent_ns=draw(MOMENT),
        asked_input=draw(st.none() | COUNT),
        asked_output=draw(COUNT),
    )


@st.composite
def endings(draw, issue):
    fields = dataclasses.asdict(issue)
    return RequestRecord(
        **fields,
        state=draw(st.sampled_from(EndState)),
        end_ns=draw(st.none() | MOMENT),
        reason=draw(st.none() | TEXT),
        detail=draw(st.none() | TEXT),
        status=draw(st.none() | st.integers(100, 599)),
        first_byte_ns=draw(st.none() | MOMENT),
        first_content_ns=draw(st.none() | MOMENT),
        first_output_ns=draw(st.none() | MOMENT),
        gaps_ns=tuple(draw(st.lists(MOMENT, max_size=5))),
        finish=draw(st.none() | TEXT),
        prompt_tokens=draw(st.none() | COUNT),
        completion_tokens=draw(st.none() | COUNT),
        reasoning_tokens=draw(st.none() | COUNT),
        cached_tokens=draw(st.none() | COUNT),
        first_chunk_tokens=draw(st.none() | COUNT),
        text=draw(st.none() | TEXT),
        server=draw(
            st.none()
            | st.dictionaries(TEXT, st.floats(allow_nan=False, allow_infinity=False), max_size=3)
        ),
    )


def issue(request, phase=Phase.PROFILING):
    """Make an issue; `request` also spaces its moments."""
    sent = 1_000 + request
    return Issue(request, request, 0, 0, phase, sent, sent, 1024, 16)


def ending(issue, state=EndState.OK, **fields):
    """Make the record of an issue that ended well, or in another state."""
    return RequestRecord(
        **dataclasses.asdict(issue), state=state, end_ns=issue.sent_ns + 500, **fields
    )
