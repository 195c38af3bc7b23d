"""What runs are held to, and what servers are told where a request does not say."""

from handbound import bound, serving
from infx.model.setting_registry import ThinkingRegistry
from infx.recipes.thinking import mode, told
from infx.store.registries import registry

SHIPPED = registry(ThinkingRegistry)


def test_agentic_runs_are_held_to_thinking_whatever_the_model():
    assert mode(SHIPPED, ["agentic-coding"]) == "thinking_on"
    assert mode(SHIPPED, ["8k1k", "agentic-coding"]) == "thinking_on"
    assert mode(SHIPPED, ["8k1k"]) is None


def test_arguments_and_environment_say_what_a_server_does_by_default():
    recipe = serving({"dyn-default-thinking-mode": "enabled"})
    recipe["roles"]["agg"]["env"] = {"SGLANG_ENABLE_THINKING": "0", "OTHER": "1"}
    found = list(told(bound(recipe), "agg", SHIPPED))
    assert [(one.name, one.value, one.mode) for one in found] == [
        ("SGLANG_ENABLE_THINKING", "0", "thinking_off"),
        ("dyn-default-thinking-mode", "enabled", "thinking_on"),
    ]
    assert all(one.where.startswith("recipe.yaml:") for one in found)


def test_the_environment_of_all_roles_is_laid_over_that_of_one():
    recipe = serving({})
    recipe["roles"]["agg"]["env"] = {"SGLANG_DEFAULT_THINKING": "0"}
    recipe["environment"] = {"SGLANG_DEFAULT_THINKING": "YES"}
    (found,) = told(bound(recipe), "agg", SHIPPED)
    assert (found.value, found.mode) == ("YES", "thinking_on")


def test_nothing_stated_tells_nothing():
    assert list(told(bound(serving({"reasoning-parser": "auto"})), "agg", SHIPPED)) == []
