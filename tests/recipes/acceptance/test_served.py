"""Which golden length a server is held to, by what its point keeps of it.

Lengths are those of the committed curves: Qwen3.5 drafts 3 tokens by MTP, 3.39 with thinking and
3.33 without; Kimi-K2.5 and MiniMax-M3 have EAGLE3 drafts of their own.
"""

from decimal import Decimal

import pytest

from golden_curves import shipped
from infx.model.acceptance import Cell
from infx.model.model_registry import ModelRegistry
from infx.model.recipe import BoundRecipe, Role
from infx.recipes.acceptance.served import golden_of, prefix_of
from infx.store.registries import registry

GOLDEN, MODELS = shipped(), registry(ModelRegistry)
MTP = {"speculative-config": {"method": "mtp", "num_speculative_tokens": 3}}
QWEN = "nvidia/Qwen3.5-397B-A17B-NVFP4"
ON = {"benchmark": {"env": {"THINKING_MODE": "thinking_on"}}}


def served(args=None, **stated):
    """A server of one vLLM role that thinks and drafts 3 tokens, but for what is stated."""
    usual = {"engine": "vllm", "model": QWEN, "settings": ON}
    return BoundRecipe(name="r", **{"roles": {"agg": Role(args=args or MTP)}, **usual, **stated})


def found(recipe, **asked):
    return golden_of(recipe, asked, GOLDEN, MODELS)


def test_a_stated_server_has_its_models_cell():
    assert found(served()) == Cell(
        curve="qwen3.5_mtp", model="qwen3.5-397b-a17b-nvfp4", thinking="thinking_on", length=3,
        al=Decimal("3.39"),
    )  # fmt: skip


def test_the_role_that_generates_says_how_it_drafts():
    four = {"speculative-config": {"method": "mtp", "num_speculative_tokens": 4}}
    both = {"prefill": Role(args=four), "decode": Role(args=MTP)}
    assert found(served(roles=both)).length == 3


@pytest.mark.parametrize(("thinks", "al"), [(True, "3.39"), (False, "3.33")])
def test_what_requests_tell_the_chat_template_says_whether_it_thinks(thinks, al):
    silent = served(settings={})
    told = {"chat_template_kwargs": {"enable_thinking": thinks, "other": 1}}
    assert found(silent, **told).al == Decimal(al)
    assert found(served(), **told).al == Decimal("3.39")  # the recipe says it itself


@pytest.mark.parametrize(
    ("recipe", "why"),
    [
        (served(settings={}), "nobody says whether the model thinks"),
        (served({"max-model-len": 5}), "the role agg does not speculate"),
        (served(model="nvidia/GLM-5-NVFP4"), "no golden curve for the model nvidia/GLM-5-NVFP4"),
        (served(model=None), "no golden curve for the model None"),
        (served(engine="llamacpp"), "acceptance cannot be simulated for the engine llamacpp"),
        (served(engine=None), "acceptance cannot be simulated for the engine unknown"),
        (served(roles={}), "no role of the recipe generates tokens"),
        (
            served({"speculative-config": {"method": "mtp", "num_speculative_tokens": 9}}),
            "no draft length 9 with thinking_on",
        ),
        (served({"speculative-config": {"method": "mtp"}}), "num_speculative_tokens"),
        (
            served({"speculative-config": {"method": "dflash", "num_speculative_tokens": 3}}),
            "there is no golden curve qwen3.5_dflash",
        ),
    ],
)
def test_what_does_not_state_enough_says_what_is_missing(recipe, why):
    assert why in found(recipe)


@pytest.mark.parametrize(
    ("model", "prefix"),
    [
        ("moonshotai/Kimi-K3", "kimik3"),
        ("deepseek-ai/DeepSeek-V4-Pro", "dsv4"),
        ("deepseek-ai/DeepSeek-V4-Pro-0813", "dsv4"),
        ("deepseek-ai/DeepSeek-V4.1-Flash", "dsv41flash"),
        ("nvidia/Qwen3.5-397B-A17B-NVFP4-V2", "qwen3.5"),
        ("MiniMaxAI/MiniMax-M3-MXFP8", "minimaxm3"),
        ("nvidia/GLM-5.2-NVFP4", "glm5.2"),
        ("zai-org/GLM-5", None),
        ("somebody/Kimi-K3-Abliterated", None),
        ("HuggingFaceTB/SmolLM2-135M", None),
    ],
)
def test_a_model_is_known_in_every_precision_and_edition_and_as_nothing_else(model, prefix):
    assert prefix_of(model, GOLDEN, MODELS) == prefix
