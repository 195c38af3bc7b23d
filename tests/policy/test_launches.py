import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.config_facts import Effective, Role, Setting
from infx.model.page_facts import Launch
from infx.model.setting_registry import HarnessRegistry
from infx.model.verdict import Cite
from infx.policy.launches import ENGINE_DEFAULT, is_excluded, lacks
from infx.store.registries import registry

HARNESS = registry(HarnessRegistry)
HERE = Cite(path="recipes/mini.yaml", line=3)


def setting(value, layer="base"):
    return Setting(value=value, cite=HERE, layer=layer)


def effective(args=None, env=None, *, role="agg", concs=(8,), frontend=None, engine="sglang"):
    settings = {name: setting(value) for name, value in (args or {}).items()}
    variables = {name: setting(value) for name, value in (env or {}).items()}
    return Effective(
        config="mini",
        variant="",
        concurrencies=concs,
        file=HERE.path,
        roles={role: Role(engine=engine, args=settings, env=variables)},
        frontend=frontend,
    )


def launch(args=None, env=None, *, role="agg", **more):
    return Launch(role=role, args=args or {}, env=env or {}, cite=Cite(path="page"), **more)


def lacking(one, *launches, hardware="b200", disaggregated=False):
    found = lacks(one, launches, hardware=hardware, harness=HARNESS, disaggregated=disaggregated)
    return [(lack.role, lack.setting, lack.asked, lack.published) for lack in found]


@pytest.mark.parametrize(
    ("asked", "published"),
    [
        ({"tp-size": 4}, {"tp-size": "4"}),
        ({"tp-size": 4}, {"tensor-parallel-size": 4}),
        ({"mem-fraction-static": 0.9}, {"mem_fraction_static": "0.90"}),
        ({"trust-remote-code": True}, {"--trust-remote-code": "true"}),
        ({"json": '{"a": 1, "b": {"c": 2}}'}, {"json": {"b": {"c": 2}, "a": 1}}),
        ({"host": "10.0.0.1"}, {"host": "$NODE_IP"}),
        ({"enable-metrics": True}, {}),
    ],
)
def test_one_setting_has_many_spellings(asked, published):
    assert lacking(effective(asked), launch(published)) == []


@pytest.mark.parametrize(
    ("asked", "published", "lack"),
    [
        ({"x": 1}, {}, ("agg", "x", "1", None)),
        ({"x": 1}, {"x": 2}, ("agg", "x", "1", "2")),
        ({"x": True}, {"x": 1}, ("agg", "x", "true", "1")),
        ({"x": "[" * 100_000}, {"x": "["}, ("agg", "x", "[" * 100_000, "[")),
        ({"j": {"a": 1, "b": 2}}, {"j": '{"a": 1}'}, ("agg", "j.b", "2", None)),
    ],
)
def test_what_is_missing_or_otherwise_is_lacking(asked, published, lack):
    assert lacking(effective(asked), launch(published)) == [lack]


def test_golden_acceptance_in_a_json_argument_is_left_out_and_the_rest_is_not():
    value = {"method": "mtp", "rejection_sample_method": "synthetic"}
    one = effective({"speculative-config": value}, engine="vllm")
    assert lacking(one, launch()) == [("agg", "speculative-config.method", "mtp", None)]


def test_variables_have_one_spelling_and_are_no_arguments():
    one = effective(env={"SGLANG_A_B": "1"})
    assert lacking(one, launch(env={"SGLANG_A_B": "1"})) == []
    assert lacking(one, launch({"SGLANG_A_B": "1"})) == [("agg", "SGLANG_A_B", "1", None)]
    assert lacking(one, launch(env={"SGLANG-A-B": "1"})) == [("agg", "SGLANG_A_B", "1", None)]


def test_defaults_of_the_engine_and_removed_settings_need_no_page():
    role = Role(engine="sglang", args={"a": setting(1, ENGINE_DEFAULT), "b": setting(None)})
    assert lacking(effective().model_copy(update={"roles": {"agg": role}}), launch()) == []


def test_two_launches_do_not_add_up():
    one = effective({"a": 1, "b": 2})
    assert lacking(one, launch({"a": 1}), launch({"b": 2})) == [("agg", "b", "2", None)]


def test_a_launch_is_of_its_role_hardware_and_concurrencies():
    whole = ("agg", None, None, None)
    assert lacking(effective(), launch(role="decode")) == [whole]
    assert lacking(effective(), launch(hardware="gb300")) == [whole]
    assert lacking(effective(concs=(8, 16)), launch(concurrencies=(8,))) == [whole]
    assert lacking(effective(concs=()), launch(concurrencies=(8,))) == [whole]
    assert lacking(effective(concs=(8, 16)), launch(concurrencies=(8, 16))) == []
    assert lacking(effective(concs=()), launch()) == []


def test_a_disaggregated_launch_has_its_frontend():
    one = effective(role="decode", frontend="dynamo")
    lack = ("frontend", None, None, None)
    assert lacking(one, launch(role="decode"), disaggregated=True) == [lack]
    both = (launch(role="decode"), launch(role="frontend"))
    assert lacking(one, *both, disaggregated=True) == []


SETTINGS = st.dictionaries(
    st.from_regex(r"zz-[a-y]{3,8}", fullmatch=True),
    st.one_of(st.integers(), st.booleans(), st.text(max_size=8)),
    max_size=6,
)


@given(SETTINGS, st.data())
def test_an_unknown_setting_is_one_of_production(args, data):
    assert lacking(effective(args), launch(args)) == []
    if args:
        gone = data.draw(st.sampled_from(sorted(args)))
        rest = {name: value for name, value in args.items() if name != gone}
        assert [lack[1] for lack in lacking(effective(args), launch(rest))] == [gone]


@pytest.mark.parametrize(
    ("name", "excluded"),
    [
        ("enable-metrics", True),
        ("PYTHONUNBUFFERED", True),
        ("health_check", True),
        ("benchmark.env.TOKENIZER", True),
        ("TOKENIZER", False),
        ("kv-cache-dtype", False),
        ("unheard-of", False),
    ],
)
def test_only_rows_exclude(name, excluded):
    assert is_excluded(name, HARNESS) == excluded
