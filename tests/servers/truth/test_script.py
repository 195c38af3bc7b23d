"""Figures that no server can have are refused, all at once."""

import pytest

from infx.errors import InputError
from infx.servers.truth.script import EngineModel, Script


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"model": ""}, "the model name is empty"),
        ({"tokens_per_chunk": 0}, "tokens-per-chunk is 0, at least 1 is needed"),
        ({"events_per_write": 0}, "events-per-write is 0, at least 1 is needed"),
        ({"default_tokens": 0}, "default-tokens is 0, at least 1 is needed"),
        ({"ttft_s": -0.1}, "ttft is -0.1, below 0"),
        ({"itl_s": float("nan")}, "itl is nan, below 0"),
        ({"template_tokens": -1}, "template-tokens is -1, below 0"),
        ({"tokens_per_word": 0.0}, "tokens-per-word is 0.0, above 0 is needed"),
        ({"reasoning_share": 1.1}, "reasoning-share is 1.1, outside 0 to 1"),
        ({"role_chunk": "first"}, "unknown role chunk first; did you mean first-token?"),
        ({"dialect": "vlm"}, "unknown dialect vlm; did you mean vllm?"),
        ({"engine": EngineModel(slots=0)}, "slots is 0, above 0 is needed"),
        ({"engine": EngineModel(prefill_rate=0)}, "prefill-rate is 0, above 0 is needed"),
        ({"engine": EngineModel(step_base_s=-1)}, "step-base is -1, below 0"),
        (
            {"engine": EngineModel(step_base_s=0, step_per_sequence_s=0)},
            "a decode step takes no time; state step-base or step-per-sequence",
        ),
        (
            {"engine": EngineModel(), "events_per_write": 2},
            "an engine writes once a step; leave events-per-write at 1",
        ),
    ],
)
def test_an_impossible_figure_is_named(fields, problem):
    with pytest.raises(InputError) as caught:
        Script(**fields)
    assert [str(each) for each in caught.value.problems] == [problem]


def test_all_problems_come_together():
    with pytest.raises(InputError) as caught:
        Script(ttft_s=-1, itl_s=-1, engine=EngineModel(slots=0))
    assert len(caught.value.problems) == 3
