"""What a journal's lines may say: each that cannot be is named by its number."""

import pytest
import zstandard

from infx.errors import InputError
from infx.model.record import EndState, Issue
from infx.store.journal import read, records


@pytest.fixture
def path(tmp_path):
    return tmp_path / "requests.jsonl.zst"


def put(path, *lines):
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(zstandard.ZstdCompressor(write_checksum=True).compress(content))


ISSUE = (
    '{"issue":{"request":0,"session":0,"turn":0,"lane":0,"phase":"profiling","due_ns":1,'
    '"sent_ns":1,"asked_input":null,"asked_output":1}}'
)
END = ISSUE.replace("issue", "end").replace('"due_ns"', '"state":"ok","end_ns":2,"due_ns"')


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([END], ":1: request 0 ended but was not issued"),
        ([ISSUE, ISSUE], ":2: request 0 is issued twice"),
        ([ISSUE, END, END], ":3: request 0 is ended twice"),
        ([ISSUE, "{}"], ":2: the line is not of a journal: "),
        ([ISSUE, "hello"], ":2: the line is not of a journal: Invalid JSON"),
        ([ISSUE.replace('"lane":0', '"lane":"0"')], ":1: issue.lane is not of a journal: "),
        ([ISSUE.replace('"lane":0', '"lane":0,"x":1')], ":1: issue.x is not of a journal: "),
        ([ISSUE.replace('"lane":0,', "")], ":1: issue.lane is not of a journal: "),
        ([ISSUE, END.replace('"ok"', '"fine"')], ":2: end.state is not of a journal: "),
        (
            [ISSUE, END.replace('"lane"', f'"gaps_ns":[1,{2**63}],"lane"')],
            ":2: end is not of a journal: Value error, a distance of more than 63 bits",
        ),
    ],
)
def test_a_line_that_cannot_be_is_named(path, lines, message):
    put(path, *lines)
    with pytest.raises(InputError) as caught:
        records(path)
    assert f"{path}{message}" in str(caught.value)


def test_the_lines_that_these_cases_bend_are_good(path):
    put(path, ISSUE, END)
    (record,) = records(path)
    assert record.state is EndState.OK
    assert isinstance(next(read(path)), Issue)
