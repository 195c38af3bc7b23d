"""The rules of each engine, as data."""

from importlib import import_module

import pytest

from infx.recipes.effects import effective
from infx.recipes.engine_rules import ENGINE_RULES

ALL = [
    pytest.param(engine, rule, id=f"{engine}-{index}-{rule.setting}")
    for engine, module in ENGINE_RULES.items()
    for index, rule in enumerate(import_module(module).RULES)
]


@pytest.mark.parametrize(("engine", "rule"), ALL)
def test_a_rule_says_one_thing_and_where_it_was_read(engine, rule):
    module = import_module(ENGINE_RULES[engine])
    assert (rule.value is None) != (rule.same_as is None)
    assert rule.source.engine == module.NAME
    assert rule.source.version == module.VERSION
    assert rule.source.file.endswith(".py")
    assert rule.because[0].islower() or rule.because.startswith("FA4")
    assert rule.setting not in module.SPELLINGS, "a rule uses the setting's own name"
    for name in (*rule.when, rule.same_as, rule.at_most):
        assert name not in module.SPELLINGS


@pytest.mark.parametrize("engine", ENGINE_RULES)
def test_rules_do_not_go_in_circles(engine):
    rules = import_module(ENGINE_RULES[engine]).RULES
    for rule in rules:
        effective(rule.setting, {}, rules=rules, facts={"gpu": "gb200", "speculative": True})


@pytest.mark.parametrize("engine", ENGINE_RULES)
def test_no_rule_hides_behind_one_without_conditions(engine):
    seen = set()
    for rule in import_module(ENGINE_RULES[engine]).RULES:
        assert (rule.setting, rule.forced) not in seen, rule.setting
        if not rule.when:
            seen.add((rule.setting, rule.forced))
