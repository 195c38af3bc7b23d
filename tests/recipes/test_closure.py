"""What runs rest on: the files that a recipe names, and all that those reach."""

import pytest

from handbound import bound
from infx.model.setting_registry import PackageRegistry
from infx.recipes.closure import MAX_CHARACTERS, MAX_FILES, Closures
from infx.store.registries import registry


def closure(tree, files):
    closures = Closures(tuple(files), files, registry(PackageRegistry))
    found = closures.of(bound(tree))
    return dict(found.files), [(gap.kind, gap.path) for gap in found.gaps]


def test_a_recipe_of_data_alone_rests_on_nothing():
    assert closure({"name": "toy", "engine": "sglang"}, {"other.sh": "true\n"}) == ({}, [])


def test_commands_setup_and_templates_are_named_by_path_by_its_end_or_by_name():
    tree = {
        "benchmark": {"command": "bash /infmax-workspace/benchmarks/run.sh --fast"},
        "setup": ["configs/deps.sh"],
        "roles": {"agg": {"args": {"chat-template": "/workspace/t/chat.jinja"}}},
    }
    files = dict.fromkeys(("benchmarks/run.sh", "e2e/configs/deps.sh", "t/chat.jinja", "x.sh"), "")
    assert closure(tree, files) == (
        {
            "benchmarks/run.sh": "recipe.yaml:1",
            "e2e/configs/deps.sh": "recipe.yaml:2",
            "t/chat.jinja": "recipe.yaml:3",
        },
        [],
    )


def test_what_scripts_source_run_import_and_name_belongs_to_it():
    files = {
        "b/run.sh": '. "$(dirname "$0")/lib.sh"\n# old.sh\npython3 "$D/ask.py" c/data.json\n',
        "b/lib.sh": "bash b/inner.sh\n",
        "b/inner.sh": "true\n",
        "b/ask.py": "from .near import one\nimport far.away\nimport json\n",
        "b/near.py": "",
        "far/away/__init__.py": "from . import deep\n",
        "far/away/deep.py": "",
        "c/data.json": "{}",
        "old.sh": "",
        "json.py.txt": "",
    }
    found, gaps = closure({"benchmark": {"command": "bash b/run.sh"}}, files)
    assert found == {
        "b/run.sh": "recipe.yaml:1",
        "b/lib.sh": "b/run.sh",
        "b/inner.sh": "b/run.sh",
        "b/ask.py": "b/run.sh",
        "c/data.json": "b/run.sh",
        "b/near.py": "b/ask.py",
        "far/away/__init__.py": "b/ask.py",
        "far/away/deep.py": "far/away/__init__.py",
    }
    assert gaps == []


def test_scripts_that_run_each_other_end():
    files = {"a.sh": "bash b.sh\n", "b.sh": "bash c.sh\n", "c.sh": "source a.sh\n"}
    found, gaps = closure({"setup_script": "a.sh"}, files)
    assert (set(found), gaps) == (set(files), [])


def test_what_is_missing_or_cannot_be_read_is_told():
    files = {"a.sh": 'bash gone.sh\nbash "$X/y.sh"\nbash /opt/of-image.sh\n', "b.py": "def (:\n"}
    tree = {"setup": ["a.sh", "b.py", "lost.sh", "bash /usr/bin/ready.sh"]}
    found, gaps = closure(tree, files)
    assert set(found) == {"a.sh", "b.py"}
    assert gaps == [
        ("absent", "lost.sh"),
        ("absent", "gone.sh"),
        ("absent", "${X}/y.sh"),
        ("syntax", None),
    ]


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "\n" * 200_000 + "x", " " * 200_000, "a." * 100_000, "./" * 100_000 + "b.sh"],
    ids=["letters", "lines", "blanks", "dots", "folders"],
)
def test_long_texts_are_read_in_their_length(text):
    found, _ = closure({"setup_script": "s.sh"}, {"s.sh": text, "b.sh": ""})
    assert "s.sh" in found


def test_a_text_beyond_the_bound_is_told():
    _, gaps = closure({"setup_script": "s.sh"}, {"s.sh": "#" * (MAX_CHARACTERS + 1)})
    assert gaps == [("limit", None)]


def test_a_closure_has_an_end():
    files = {f"s{at}.sh": f"bash s{at + 1}.sh\n" for at in range(MAX_FILES + 40)}
    found, gaps = closure({"setup_script": "s0.sh"}, files)
    assert len(found) <= MAX_FILES
    assert ("limit", None) in gaps
