"""Prompts of the user's own: read strictly, sampled fairly, named by their digest."""

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.errors import InputError
from infx.model.record import Phase
from infx.model.workload import FixedWorkload, Message
from infx.workloads import fixed
from infx.workloads.dataset import DatasetPrompts, open_dataset
from infx.workloads.draws import seed_key
from infx.workloads.prompts import Prompt
from refusals import problems

POINT = seed_key("a point")
CHAT = FixedWorkload(osl=40)
RAW = FixedWorkload(osl=40, api="completions")


def opened(tmp_path, content: str | bytes, workload=CHAT) -> DatasetPrompts:
    path = tmp_path / "prompts.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_dataset(path, workload)


def refused(tmp_path, content: str | bytes, workload=CHAT) -> list[str]:
    return [
        one.replace(f"{tmp_path}/", "")
        for one in problems(lambda: opened(tmp_path, content, workload))
    ]


def contents(dataset) -> list[Prompt]:
    """All prompts in the order of the file, which is not the order of drawing."""
    drawn = [dataset.prompt(None, point=POINT, ordinal=n) for n in range(len(dataset))]
    return sorted(drawn, key=lambda prompt: prompt.messages[0].parts)


def test_jsonl_rows_are_prompts_or_messages_with_their_own_output_lengths(tmp_path):
    rows = (
        '{"prompt": "a", "output_tokens": 7, "id": 3}\n'
        "\n"
        '{"messages": [{"role": "system", "content": "b"}, {"role": "user", "content": "c"}]}\r\n'
        '{"prompt": "d\\n", "max_tokens": 9}'
    )
    dataset = opened(tmp_path, rows)
    assert contents(dataset) == [
        Prompt((Message("user", ("a",)),), 7),
        Prompt((Message("system", ("b",)), Message("user", ("c",)))),
        Prompt((Message("user", ("d\n",)),), 9),
    ]
    assert dataset.digest == f"sha256:{sha256(rows.encode()).hexdigest()}"


def test_sharegpt_conversations_give_their_first_human_turn(tmp_path):
    conversations = [
        {"id": "1", "conversations": [{"from": "human", "value": "a"}, {"from": "gpt"}]},
        {"id": "2", "conversations": []},
        {"conversations": [{"from": "gpt", "value": "x"}, {"from": "user", "value": "b"}]},
    ]
    dataset = opened(tmp_path, b"\xef\xbb\xbf \n" + json.dumps(conversations, indent=1).encode())
    assert contents(dataset) == [Prompt((Message("user", (t,)),)) for t in "ab"]
    assert dataset.skipped == 1


def test_a_raw_prompt_has_no_role(tmp_path):
    assert contents(opened(tmp_path, '{"prompt": "a"}', RAW))[0].messages[0].role == ""
    turns = '[{"conversations": [{"from": "human", "value": "a"}]}]'
    assert contents(opened(tmp_path, turns, RAW))[0].messages[0].role == ""


def test_every_bad_row_is_named_with_line_field_and_what_was_expected(tmp_path):
    rows = [
        "{",
        "[1]",
        '{"text": "a"}',
        '{"prompt": "a", "messages": []}',
        '{"prompt": ""}',
        '{"prompt": 5}',
        '{"prompt": "a", "output_tokens": 0}',
        '{"prompt": "a", "max_tokens": true}',
        '{"prompt": "a", "output_tokens": 1, "max_tokens": 2}',
        '{"messages": []}',
        '{"messages": ["a"]}',
        '{"messages": [{"role": "usr", "content": "a"}, {"role": "user", "content": null}]}',
        '{"messages": [{"content": "a"}]}',
        "{}",
    ]
    found = refused(tmp_path, '{"prompt": "good"}\n' + "\n".join(rows))
    assert found[0].startswith("prompts.jsonl:2: not JSON: ")
    assert found[0].endswith("; each line must be one JSON object")
    assert found[1:] == [
        "prompts.jsonl:3: expected an object with prompt or messages, found a list",
        "prompts.jsonl:4: expected either prompt or messages, found only text",
        "prompts.jsonl:5: expected either prompt or messages, found both",
        "prompts.jsonl:6: prompt: expected text, found an empty text",
        "prompts.jsonl:7: prompt: expected text, found a number",
        "prompts.jsonl:8: output_tokens: expected a whole number of at least 1, found 0",
        "prompts.jsonl:9: max_tokens: expected a whole number of at least 1, found True",
        "prompts.jsonl:10: output_tokens and max_tokens differ",
        "prompts.jsonl:11: messages: expected a list of messages, found an empty list",
        "prompts.jsonl:12: messages[0]: expected an object with role and content, found text",
        "prompts.jsonl:13: messages[0].role: unknown role 'usr', did you mean user?",
        "prompts.jsonl:13: messages[1].content: expected text, found nothing",
        "prompts.jsonl:14: messages[0].role: unknown role None, expected a role",
        "prompts.jsonl:15: expected either prompt or messages, found only nothing",
    ]


def test_many_bad_rows_are_counted_after_the_first_twenty(tmp_path):
    found = refused(tmp_path, "{}\n" * 123)
    assert len(found) == 21
    assert found[-1] == "prompts.jsonl: and 103 more problems"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('[\n{"conversations": [}]', "prompts.jsonl:2: not JSON: Expecting value"),
        ('[\n{"conversations": []}\n{"a"', "prompts.jsonl:3: not JSON: expected , or ]"),
        ('[{"conversations": []}', "prompts.jsonl:1: not JSON: expected , or ]"),
        ('[\n\n{"conversations": NaN}]', "prompts.jsonl:3: not JSON: NaN is not a number"),
        ("[" * 100_000, "prompts.jsonl:1: nested too deeply"),
        (b"[\xff]", "prompts.jsonl:1: not JSON: 'utf-8' codec can't decode"),
        ("[\n1, \n{}]", "prompts.jsonl:2: expected an object with a list of conversations"),
        (
            '[\n{"conversations": [\n{"from": "human"}]}]',
            "prompts.jsonl:2: conversations[0].value: expected text, found nothing",
        ),
        (
            '[{"conversations": [{"from": "human", "value": "\\ud800"}]}]',
            "prompts.jsonl:1: conversations[0].value: half of a surrogate pair is not text",
        ),
        ("", "prompts.jsonl: the dataset holds no prompt"),
        ("[]", "prompts.jsonl: the dataset holds no prompt"),
        (b"PAR1\x00\xff", "prompts.jsonl:1: not JSON"),
    ],
)
def test_files_that_are_no_dataset_are_refused_in_one_line(tmp_path, content, problem):
    found = refused(tmp_path, content)
    assert found[0].startswith(problem)


def test_messages_need_the_chat_api(tmp_path):
    row = '{"messages": [{"role": "user", "content": "a"}]}'
    expected = "prompts.jsonl:1: messages: the completions API takes a prompt"
    assert refused(tmp_path, row, RAW) == [expected]


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"absent\.jsonl: cannot read the dataset: No such file"):
        open_dataset(tmp_path / "absent.jsonl", CHAT)


def of(count: int) -> DatasetPrompts:
    prompts = [Prompt((Message("user", (f"prompt {n}",)),)) for n in range(count)]
    return DatasetPrompts(prompts, digest="sha256:00")


def drawn(dataset, ordinals, point=POINT) -> list[Prompt]:
    return [dataset.prompt(None, point=point, ordinal=n) for n in ordinals]


@given(st.integers(1, 60))
def test_each_pass_takes_every_prompt_once(count):
    dataset = of(count)
    for number in range(3):
        taken = drawn(dataset, range(number * count, (number + 1) * count))
        assert len(set(taken)) == count


def test_passes_have_orders_of_their_own_and_points_too():
    dataset = of(50)
    first, second = drawn(dataset, range(50)), drawn(dataset, range(50, 100))
    other = drawn(dataset, range(50), point=seed_key("another"))
    assert first != second
    assert first != other
    assert first == drawn(of(50), range(50))


def test_warmups_have_prompts_of_their_own_while_the_file_is_long_enough():
    dataset = of(48)
    warmups, profiled = drawn(dataset, range(-1, -9, -1)), drawn(dataset, range(40))
    assert len({*warmups, *profiled}) == 48


def test_repeated_prompts_are_stated():
    assert [of(10).passes(n) for n in (0, 1, 10, 11, 20, 21)] == [0, 1, 1, 2, 2, 3]


def test_a_dataset_point_asks_no_input_length_and_the_rows_output_length():
    own = Prompt((Message("user", ("a",)),), 7)
    dataset = DatasetPrompts([own, Prompt((Message("user", ("b",)),))], digest="sha256:00")
    workload = FixedWorkload(osl=50, dataset=dataset.digest, warmups=1, requests=40)
    sessions = fixed.sessions(workload, concurrency=1, repetition=0, prompts=dataset)
    turns = [session.turns[0] for session in sessions]
    assert [s.phase for s in sessions] == [Phase.WARMUP] + [Phase.PROFILING] * 40
    assert {turn.asked_input for turn in turns} == {None}
    assert {turn.asked_output for turn in turns if turn.messages == own.messages} == {7}
    rest = {turn.asked_output for turn in turns if turn.messages != own.messages}
    assert min(rest) >= 40
    assert max(rest) <= 50
    assert len(rest) > 1
