"""`infx schema write` as transcripts."""

import json
from pathlib import Path

from transcript import refused


def test_each_file_gets_its_line(infx):
    Path("configs").mkdir()
    Path("configs/own-master.yaml").touch()
    said = infx("schema", "write")
    assert (said.code, said.err) == (0, "")
    assert (
        said.out
        == """\
*-master.yaml        # yaml-language-server: $schema=../schemas/master.schema.json
runners.yaml         # yaml-language-server: $schema=../schemas/runners.schema.json
ci-priority.yaml     # yaml-language-server: $schema=../schemas/ci-priority.schema.json
perf-changelog.yaml  # yaml-language-server: $schema=../schemas/changelog.schema.json
recipes/*.yaml       # yaml-language-server: $schema=../../schemas/recipe.schema.json
"""
    )
    assert json.loads(Path("schemas/master.schema.json").read_text())["title"]


def test_the_line_of_a_recipe_leads_from_its_own_folder(infx, tmp_path):
    """Each pattern's line, written into a file of that depth, names a file that is there."""
    Path("configs").mkdir()
    Path("configs/own-master.yaml").touch()
    files = (
        "configs/recipes/top.yaml",
        "configs/recipes/toy/h200/low.yaml",
        "benchmarks/single_node/srt-slurm-recipes/toy/x.yaml",
        "configs/srt-recipes/agentic-single.yaml",
    )
    for name in files:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    said = infx("schema", "write").out.splitlines()[4:]
    found = {line.split()[0]: line.rpartition("$schema=")[2] for line in said}
    outside = "../benchmarks/single_node/srt-slurm-recipes/*/*.yaml"
    assert list(found) == ["recipes/*.yaml", "recipes/*/*/*.yaml", outside]
    for pattern, link in found.items():
        (file,) = (tmp_path / "configs").glob(pattern) if pattern != outside else [Path(files[2])]
        assert (file.parent / link).resolve() == tmp_path / "schemas/recipe.schema.json"
        assert (file.parent / link).is_file()


def test_without_a_catalog_the_line_counts_from_here(infx):
    first = infx("schema", "write", "--out", "editor/schemas").out.splitlines()[0]
    assert first.endswith("$schema=editor/schemas/master.schema.json")


def test_a_folder_that_cannot_be_made_is_the_machines_fault(infx):
    Path("schemas").touch()
    assert infx("schema", "write") == refused(
        3, "schemas: cannot write: File exists; name another: --out DIR"
    )
