"""Who decides a setting, and what its certainty rests on."""

import pytest

from infx.recipes.effects import effective
from infx.recipes.engine_rules.rule import UNSET, Rule, Source
from infx.recipes.settings import Setting

SOURCE = Source("Toy", "1.0", "toy.py", "toy")


def _rule(setting, **fields):
    return Rule(setting=setting, because="it does so", source=SOURCE, **fields)


def _decide(setting, rules, facts=(), **stated):
    settings = {name: (Setting(value, ("x",), name),) for name, value in stated.items()}
    found = effective(setting, settings, rules=tuple(rules), facts=dict(facts))
    return found and (found.value, found.how, found.certain)


def test_what_is_stated_wins_over_a_default():
    rules = [_rule("a", value=1)]
    assert _decide("a", rules, a=7) == (7, "stated", True)
    assert _decide("a", rules) == (1, "default", True)


def test_a_forced_rule_wins_over_what_is_stated():
    rules = [_rule("a", value=1, forced=True, when={"b": (2,)})]
    assert _decide("a", rules, a=7, b=2) == (1, "forced", True)
    assert _decide("a", rules, a=7, b=3) == (7, "stated", True)


def test_the_first_rule_that_holds_decides():
    rules = [_rule("a", value=1, when={"b": (1,)}), _rule("a", value=2)]
    assert _decide("a", rules, b=1) == (1, "default", True)
    assert _decide("a", rules, b=2) == (2, "default", True)


def test_certainty_is_that_of_all_it_rests_on():
    open_b = _rule("b", value=1, certain=False)
    inherits = [_rule("a", same_as="b"), open_b]
    assert _decide("a", inherits) == (1, "inherited", False)
    assert _decide("a", inherits, b=4) == (4, "inherited", True)
    passed_over = [_rule("a", value=1, when={"b": (9,)}), _rule("a", value=2), open_b]
    assert _decide("a", passed_over) == (2, "default", False), "b may be 9 after all"
    assert _decide("a", passed_over, b=3) == (2, "default", True)


def test_nobody_decides():
    assert _decide("a", []) is None
    assert _decide("a", [_rule("a", same_as="b")]) is None
    assert _decide("a", [_rule("a", same_as="b", plus=1)], b="many") is None


@pytest.mark.parametrize(("cap", "value"), [(16, 16), (900, 512), (None, 512)])
def test_a_cap(cap, value):
    stated = {} if cap is None else {"cap": cap}
    assert _decide("a", [_rule("a", value=512, at_most="cap")], **stated)[0] == value


def test_a_sum():
    assert _decide("a", [_rule("a", same_as="b", plus=1)], b=6) == (7, "inherited", True)


def test_unset_is_a_condition():
    rules = [_rule("a", value=1, when={"b": (UNSET,)})]
    assert _decide("a", rules) == (1, "default", True)
    assert _decide("a", rules, b=0) is None


def test_facts_are_conditions():
    rules = [_rule("a", value=1, when={"gpu": ("gb200",)})]
    assert _decide("a", rules, {"gpu": "gb200"}) == (1, "default", True)
    assert _decide("a", rules, {"gpu": "h200"}) is None
