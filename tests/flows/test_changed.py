"""What is not rendered cannot differ: short cuts find what rendering everything finds."""

import pytest

import gitted
import toy_repository
from infx.flows import rendering
from infx.flows.changed import Ask, compare

MASTER, RECIPE = "configs/toy-master.yaml", "recipes/toy.yaml"
SHARED = "configs/srt-recipes/agentic-single.yaml"
FASTER = "{roles: {agg: {args: {mem-fraction-static: 0.9}}}, benchmark: {env: {CONC: '2'}}}"
BUNDLE = "\n".join(
    (
        "base:",
        *(f"  {line}" for line in toy_repository.RECIPE.splitlines()),
        "override_c1: {benchmark: {env: {CONC: '1'}}}",
        f"override_c2: {FASTER}\n",
    )
)
HARMLESS = ("nothing", "a comment", "a recipe's comment", "memory of a node", "another file")


def edit(path: str, *edits: tuple[str, str]) -> dict[str, str | bytes]:
    text = toy_repository.FILES[path]
    assert isinstance(text, str)
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return {path: text}


CHANGES = {
    "nothing": {},
    "an image": edit(MASTER, ("acme/vllm:v1", "acme/vllm:v2")),
    "a comment": edit(MASTER, ("# what the toys run", "# else")),
    "a recipe": edit(RECIPE, ("8192", "4096")),
    "a recipe's comment": edit(RECIPE, ("# tuned", "# else")),
    "a bundle": {RECIPE: BUNDLE},
    "a shared block": edit(SHARED, ("replay", "replay --fast")),
    "memory of a node": edit("configs/runners.yaml", ("1000000", "500000")),
    "a recipe that does not bind": edit(RECIPE, ("  agg:", "  agg: 3\n  other:")),
    "another file": {"README.md": "x"},
    "a second master": {
        "configs/more-master.yaml": toy_repository.MASTER.replace("\ntoy-", "\nmore-")
    },
}


@pytest.mark.parametrize("name", CHANGES)
def test_short_cuts_change_nothing(name, tmp_path, monkeypatch):
    repo = toy_repository.repository(tmp_path)
    repo.commit(CHANGES[name])
    ask = Ask(base="main", folder=tmp_path)
    quick = compare(ask, gitted.ENVIRONMENT)
    monkeypatch.setattr(rendering, "suspects", lambda *_: None)
    whole = compare(ask, gitted.ENVIRONMENT)
    assert quick.changes == whole.changes
    assert quick.keys == whole.keys
    assert bool(quick.changes) == (name not in HARMLESS)


def test_a_variant_of_a_bundle_counts_for_its_concurrency(tmp_path):
    repo = toy_repository.repository(tmp_path)
    repo.git("checkout", "-q", "main")
    repo.commit({RECIPE: BUNDLE})
    repo.git("checkout", "-q", "-B", "topic", "main")
    repo.commit({RECIPE: BUNDLE.replace("0.9", "0.8")})
    (found,) = compare(Ask(base="main", folder=tmp_path), gitted.ENVIRONMENT).changes
    assert [point.concurrency for point in found.added] == [2]


def test_a_recipe_that_does_not_bind_is_said_and_compared_by_its_values(tmp_path):
    repo = toy_repository.repository(tmp_path)
    repo.commit(CHANGES["a recipe that does not bind"])
    found = compare(Ask(base="main", folder=tmp_path), gitted.ENVIRONMENT)
    assert [change.key for change in found.changes] == ["toy-fp4-h200-sglang-agentic"]
    assert any(str(problem).startswith(f"{RECIPE}:") for problem in found.errors)


def test_a_recipe_that_is_added_is_not_missing(tmp_path):
    repo = toy_repository.repository(tmp_path)
    repo.git("checkout", "-q", "main")
    (tmp_path / RECIPE).unlink()
    repo.commit({})
    repo.commit({RECIPE: toy_repository.RECIPE}, branch="new")
    found = compare(Ask(base="main", folder=tmp_path), gitted.ENVIRONMENT)
    assert [change.key for change in found.changes] == ["toy-fp4-h200-sglang-agentic"]
    assert found.errors == ()


def test_the_command_may_run_below_the_root(tmp_path):
    repo = toy_repository.repository(tmp_path)
    repo.commit(CHANGES["an image"])
    found = compare(Ask(base="main", folder=tmp_path / "configs"), gitted.ENVIRONMENT)
    assert [change.key for change in found.changes] == ["toy-fp8-h200-vllm"]


def test_the_public_folder_is_found_from_the_root(tmp_path):
    files = {f"inferencex-e2e/{path}": text for path, text in toy_repository.FILES.items()}
    repo = gitted.repository(tmp_path, files)
    repo.commit({f"inferencex-e2e/{RECIPE}": BUNDLE}, branch="topic")
    found = compare(Ask(base="main", folder=tmp_path), gitted.ENVIRONMENT)
    assert [change.key for change in found.changes] == ["toy-fp4-h200-sglang-agentic"]
