"""Where recipes are looked for, and what is said when they are not there."""

import pytest

from infx.store.recipes import default_roots, find, locate, read, shared_block
from refusals import refusal


@pytest.fixture
def repository(tmp_path):
    """A repository with a master two folders deep, and recipes in three roots."""
    for name in (
        "repo/a/configs/nvidia-master.yaml",
        "repo/a/configs/srt-recipes/agentic-single.yaml",
        "repo/a/benchmarks/multi_node/srt-slurm-recipes/toy/disagg.yaml",
        "repo/srt-recipes/toy/agg.yaml",
        "repo/srt-recipes/toy/other.yaml",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x: 1\n", encoding="utf-8")
    return tmp_path / "repo"


def test_roots_around_a_master(repository):
    roots = default_roots(repository / "a" / "configs" / "nvidia-master.yaml")
    assert [str(root.relative_to(repository)) for root in roots] == [
        "a/configs/srt-recipes",
        "a/benchmarks/multi_node/srt-slurm-recipes",
        "srt-recipes",
    ]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("toy/agg.yaml", "srt-recipes/toy/agg.yaml"),
        ("recipes/toy/agg.yaml", "srt-recipes/toy/agg.yaml"),
        ("toy/disagg.yaml", "a/benchmarks/multi_node/srt-slurm-recipes/toy/disagg.yaml"),
        (
            "benchmarks/multi_node/srt-slurm-recipes/toy/disagg.yaml",
            "a/benchmarks/multi_node/srt-slurm-recipes/toy/disagg.yaml",
        ),
        ("toy/none.yaml", None),
    ],
)
def test_a_name_begins_at_a_root(repository, name, found):
    roots = default_roots(repository / "a" / "configs" / "nvidia-master.yaml")
    path = locate(name, roots)
    assert path == (repository / found if found else None)


@pytest.mark.parametrize("name", ["../x.yaml", "/etc/passwd", "a/../../x.yaml"])
def test_no_name_leads_out_of_its_root(repository, name):
    said = refusal(lambda: locate(name, [repository]))
    assert said == f"the recipe {name} leads out of its root; name it from a root"


def test_a_recipe_that_is_not_there(repository):
    roots = [repository / "srt-recipes"]
    said = refusal(lambda: find("recipes/toy/aggr.yaml", roots, where="m.yaml:7"))
    assert said == (
        "m.yaml:7: there is no recipe recipes/toy/aggr.yaml; did you mean recipes/toy/agg.yaml?"
    )
    said = refusal(lambda: find("none/x.yaml", roots))
    assert said == (
        f"there is no recipe none/x.yaml; looked in {roots[0]}; name one: --recipe-root DIR"
    )


def test_a_path_that_exists_is_taken_as_it_is(repository):
    path = repository / "srt-recipes" / "toy" / "agg.yaml"
    assert find(str(path), ()) == path


def test_repeated_keys_of_a_recipe_are_warnings(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\na: 2\n", encoding="utf-8")
    document = read(path)
    assert (document.value, len(document.warnings)) == ({"a": 2}, 1)


def test_the_shared_block_of_a_lane(repository):
    master = repository / "a" / "configs" / "nvidia-master.yaml"
    found = shared_block(master, agentic=True, multinode=False)
    assert found == master.parent / "srt-recipes" / "agentic-single.yaml"
    assert shared_block(master, agentic=False, multinode=False) is None
