"""What the leaves of a recipe change, at their lines: `handbound` counts leaves from 1."""

from collections import Counter

import pytest

from handbound import bound
from infx.model.setting_registry import PackageRegistry
from infx.recipes.bind import bind_variant
from infx.recipes.recipe_effects import effects
from infx.recipes.target import Target
from infx.recipes.variants import select
from infx.store.recipes import read
from infx.store.registries import registry
from recipe_files import public_recipes

PACKAGES = registry(PackageRegistry)


def found(tree, files=None):
    report = effects(bound(tree), files or {}, PACKAGES)
    shown = [f"{one.file}:{one.line} {one.kind} {one.place} {one.target}" for one in report.effects]
    return shown, [f"{gap.file}:{gap.line} {gap.kind}" for gap in report.gaps]


def test_a_recipe_of_data_alone_changes_nothing():
    tree = {"setup": [], "roles": {"agg": {"args": {"a": 1}, "env": {"LEVEL": "1"}}}}
    assert found(tree) == ([], [])


def test_a_setup_script_is_followed_where_its_text_is_given():
    tree = {"name": "toy", "setup_script": "deps.sh"}
    files = {"configs/deps.sh": "# more\npip install triton\n"}
    assert found(tree, files) == (
        [
            "recipe.yaml:2 setup workspace configs/deps.sh",
            "configs/deps.sh:2 install engine triton",
        ],
        [],
    )
    assert found(tree) == (
        ["recipe.yaml:2 setup workspace deps.sh"],
        ["recipe.yaml:2 absent"],
    )


def test_setup_commands_are_followed_with_the_variables_of_the_recipe():
    tree = {
        "environment": {"WHERE": "/opt/nixl"},
        "setup": ["touch $WHERE/x", "sed -i s/a/b/ $ON/y"],
    }
    shown, gaps = found(tree)
    assert shown == [
        "recipe.yaml:2 setup image touch $WHERE/x",
        "recipe.yaml:2 write engine /opt/nixl/x",
        "recipe.yaml:2 setup image sed -i s/a/b/ $ON/y",
        "recipe.yaml:2 edit unresolved ${ON}/y",
    ]
    assert gaps == []


def test_mounts_are_judged_by_what_they_cover():
    tree = {
        "container_mounts": ["/nfs/vllm:/usr/lib/python3/dist-packages/vllm:ro", "/nfs/m:/model"],
        "extra_mount": {"/nfs/sglang": "/sgl-workspace/sglang"},
        "setup": "touch /model/x",
    }
    assert found(tree)[0] == [
        "recipe.yaml:1 mount engine /usr/lib/python3/dist-packages/vllm",
        "recipe.yaml:1 mount workspace /model",
        "recipe.yaml:2 mount engine /sgl-workspace/sglang",
        "recipe.yaml:3 setup image touch /model/x",
        "recipe.yaml:3 write workspace /model/x",
    ]


def test_variables_that_load_code_stand_with_the_process_that_gets_them():
    tree = {
        "roles": {"agg": {"env": {"PYTHONPATH": "/opt/fast", "PATH": "/x"}}},
        "environment": {"LD_PRELOAD": "/opt/fast.so"},
        "benchmark": {"env": {"PYTHONPATH": "/client"}},
    }
    assert found(tree)[0] == [
        "recipe.yaml:1 inject server PYTHONPATH=/opt/fast",
        "recipe.yaml:3 inject server LD_PRELOAD=/opt/fast.so",
        "recipe.yaml:4 inject client PYTHONPATH=/client",
    ]


@pytest.mark.parametrize(
    ("section", "shown"),
    [
        ({"install": True, "version": "1.5.0"}, ["2 install image"]),
        ({"wheel": "1.2.0.dev1"}, ["1 install image"]),
        ({"wheel": "/nfs/ai_dynamo-1.whl"}, ["1 install unresolved"]),
        ({"hash": "abc", "wheel": None}, ["1 install unresolved"]),
        ({"install": False, "hash": "abc"}, []),
    ],
)
def test_a_declared_router_is_told_from_one_that_is_built(section, shown):
    wanted = [f"recipe.yaml:{one} ai-dynamo" for one in shown]
    assert found({"dynamo": section})[0] == wanted


def test_the_public_recipes_run_the_setup_scripts_that_they_name():
    named: Counter[str] = Counter()
    for path in public_recipes():
        document = read(path)
        variants = select(document, None)
        bindings = (
            bind_variant(one, shared=None, target=Target(), file=document.file) for one in variants
        )
        reports = [effects(binding, {}, PACKAGES) for binding in bindings]
        scripts = {
            one.target for report in reports for one in report.effects if one.kind == "setup"
        }
        assert len(scripts) == len({gap.what for report in reports for gap in report.gaps})
        named.update(scripts)
    # Counted by grep in the files of August.
    assert named["vllm-container-deps.sh"] == 33
    assert named["rebuild-deepep.sh"] == named["kimik3-dspark-config-compat.sh"] == 4
