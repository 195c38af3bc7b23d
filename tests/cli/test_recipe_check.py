"""infx recipe check: structure, flags and relations, file by file."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from named_recipes import RUNNERS
from transcript import Infx, refused

GOOD = dedent("""\
    base:
      schema: 2
      name: toy
      engine: sglang
      resources: {gpu_type: h200, gpus_per_node: 8}
      roles:
        agg:
          nodes: 1
          workers: 1
          gpus: 4
          args: {tensor-parallel-size: 4, max-running-requests: 16}
    override_c8:
      benchmark: {env: {CONC: '8'}}
    """)


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> Path:
    """Lay one good recipe into the folder of the command."""
    (tmp_path / "good.yaml").write_text(GOOD)
    return tmp_path


def test_a_good_recipe(infx: Infx) -> None:
    said = infx("recipe", "check", "good.yaml")
    assert (said.code, said.out) == (0, "1 file, 1 recipe: 0 errors, 0 warnings, 0 notes\n")


def test_warnings_name_line_lint_and_variants(files: Path, infx: Infx) -> None:
    (files / "bad.yaml").write_text(
        GOOD.replace("tensor-parallel-size: 4", "tensor-parallel-size: 8")
        + "override_c64:\n  benchmark: {env: {CONC: '64'}}\n"
    )
    expected = dedent("""\
        bad.yaml
          11  warning  running-requests-below-concurrency  max-running-requests 16 of agg lets 16 \
requests run, the benchmark keeps 64; raise it to hold 64, or leave out concurrencies above 16  \
[override_c64]
          11  warning  parallelism-against-gpus            a worker of agg needs 8 GPUs (TP 8) and \
has 4; make the parallel sizes fit the worker's GPUs  [override_c64, override_c8]

        2 files, 3 recipes: 0 errors, 2 warnings, 0 notes
        """)
    said = infx("recipe", "check", "good.yaml", "bad.yaml")
    assert (said.code, said.out) == (0, expected)
    assert infx("recipe", "check", ".", "--strict").code == 1


def test_a_key_of_the_binder_is_an_error(files: Path, infx: Infx) -> None:
    (files / "owned.yaml").write_text(
        GOOD.replace("  engine: sglang\n", "  engine: sglang\n  model: {precision: fp8}\n")
    )
    said = infx("recipe", "check", "owned.yaml", "--format", "github")
    first, last = said.out.splitlines()
    assert said.code == 1
    assert first.startswith("::error title=infx structure owned.yaml%3A5::model.precision is not")
    assert last.endswith("::1 file, 1 recipe: 1 error, 0 warnings, 0 notes")


def test_flags_are_errors_at_the_version_of_the_schema(files: Path, infx: Infx) -> None:
    (files / "flag.yaml").write_text(GOOD.replace("max-running-requests", "max-runing-requests"))
    image = "lmsysorg/sglang:v0.5.23"
    said = infx("recipe", "check", "flag.yaml", "--image", image, "--format", "json")
    (finding,) = json.loads(said.out)["findings"]
    assert said.code == 1
    assert finding["id"] == "engine-schema"
    assert finding["severity"] == "error"
    assert finding["where"] == "flag.yaml:11"
    assert finding["what"].startswith("max-runing-requests: unknown flag")
    assert finding["remedy"] == "did you mean max-running-requests?"
    assert infx("recipe", "check", "flag.yaml").code == 0, "no image: it may be right"


def test_what_cannot_be_checked_is_said(files: Path, infx: Infx) -> None:
    (files / "atom.yaml").write_text(GOOD.replace("engine: sglang", "engine: atom"))
    said = infx("recipe", "check", "atom.yaml")
    assert said.out == dedent("""\
        not checked: no schema for atom

        1 file, 1 recipe: 0 errors, 0 warnings, 0 notes
        """)


ODD = {
    "engine: sglnag": "no schema for sglnag (did you mean sglang?)",
    "environment: {A: '1'}": "the recipe names no engine",
}


@pytest.mark.parametrize(("engine", "said"), ODD.items())
def test_an_engine_that_nobody_knows(files: Path, infx: Infx, engine: str, said: str) -> None:
    (files / "odd.yaml").write_text(GOOD.replace("engine: sglang", engine))
    assert infx("recipe", "check", "odd.yaml").out.startswith(f"not checked: {said}\n")


def test_a_concurrency_that_no_variant_serves(infx: Infx) -> None:
    said = infx("recipe", "check", "good.yaml", "--concurrency", "8", "64")
    assert said.code == 1
    assert "--concurrency: override_c8: CONC is 8" in said.out


def test_every_file_is_looked_at(files: Path, infx: Infx) -> None:
    (files / "broken.yaml").write_text("base: [\n")
    (files / "zip.yaml").write_text("base: {}\nzip_override_a: {x: [1, 2], y: [1, 2, 3]}\n")
    said = infx("recipe", "check", "broken.yaml", "gone.yaml", "zip.yaml", "good.yaml")
    found = said.out.splitlines()
    assert said.code == 1
    assert [line for line in found if line and not line.startswith(" ")] == [
        "broken.yaml",
        "gone.yaml",
        "zip.yaml",
        "4 files, 1 recipe: 3 errors, 0 warnings, 0 notes",
    ]


def test_other_files_of_a_folder_are_no_recipes(files: Path, infx: Infx) -> None:
    """A catalog's folder has masters, runners and the blocks of lanes beside its recipes."""
    catalog = files / "catalog"
    for name in ("toy-master.yaml", "runners.yaml", "ci-priority.yaml", "perf-changelog.yaml",
                 "srt-recipes/agentic-single.yaml"):  # fmt: skip
        (catalog / name).parent.mkdir(parents=True, exist_ok=True)
        (catalog / name).write_text("{}\n")
    (catalog / "srt-recipes" / "good.yaml").write_text(GOOD)
    said = infx("recipe", "check", "catalog")
    assert (said.code, said.out) == (0, "1 file, 1 recipe: 0 errors, 0 warnings, 0 notes\n")


def test_a_file_behind_a_flag_that_takes_several_values(infx: Infx) -> None:
    assert infx("recipe", "check", "--concurrency", 8, "good.yaml") == refused(
        2, "--concurrency: 'good.yaml' is no number; name files before the flag"
    )


def test_nothing_named(files: Path, infx: Infx) -> None:
    name = "name FILE, FILE:SELECTOR or a folder, or a catalog: --config-files F..."
    assert infx("recipe", "check") == refused(
        2,
        "no recipe is named, and there is no *-master.yaml in ., configs, catalog, "
        f"inferencex-e2e/configs; {name}",
    )
    (files / "empty").mkdir()
    assert infx("recipe", "check", "empty") == refused(
        2, f"no folder that is named has a recipe; {name}"
    )


def _catalog(folder: Path, *, concurrencies: str, tp: int = 4) -> tuple[str, ...]:
    """Write a catalog of one row over `srt-recipes/toy.yaml`, and return its flags."""
    (folder / "runners.yaml").write_text(
        dedent("""\
            labels: {h200: [h200-a_0], 'cluster:h200-a': [h200-a_0]}
            hardware: {'cluster:h200-a': {gpus-per-node: 8, available-cpu-dram-mib: 1000000}}
            """)
    )
    (folder / "toy-master.yaml").write_text(
        dedent(f"""\
            toy-fp4-h200-sglang-agentic-dspark:
              {{image: 'lmsysorg/sglang:v0.5.23', model: acme/Toy, model-prefix: dsv41flash,
               runner: 'cluster:h200-a', precision: fp4, framework: sglang, multinode: false,
               scenarios: {{agentic-coding: [{{dram-utilization: 0.5, search-space: [
                 {{tp: {tp}, ep: 1, spec-decoding: draft_model, srt-recipe: toy.yaml,
                 kv-offloading: dram, kv-offload-backend: {{name: hicache}},
                 conc-list: {concurrencies}}}]}}]}}}}
            """)
    )
    return ("--config-files", "toy-master.yaml", "--runner-config", "runners.yaml")


CATALOGED = dedent("""\
    base:
      schema: 2
      name: toy
      engine: sglang
      resources: {gpu_type: h200, gpus_per_node: 8}
      roles:
        agg:
          nodes: 1
          workers: 1
          gpus: 4
          args:
            tensor-parallel-size: 4
            enable-hierarchical-cache: true
            max-running-requests: 16
            speculative-algorithm: DSPARK
            speculative-dspark-block-size: 6
    override_c8:
      benchmark: {env: {CONC: '8'}}
    override_c16:
      roles: {agg: {args: {speculative-dspark-block-size: 5}}}
      benchmark: {env: {CONC: '16'}}
    """)


def test_points_of_a_catalog(files: Path, infx: Infx) -> None:
    (files / "srt-recipes").mkdir()
    (files / "srt-recipes" / "toy.yaml").write_text(CATALOGED)
    flags = _catalog(files, concurrencies="[8]")
    said = infx("recipe", "check", *flags)
    assert said.code == 0
    assert said.out == dedent("""\
        srt-recipes/toy.yaml
          16  warning  draft-length-outside-golden  dspark drafts 6 tokens, the golden lengths are \
5; draft one of these lengths, or measure its acceptance length  [override_c8]
          20  warning  unused-variant               no point uses override_c16; add its \
concurrency to the row of the master configuration, or remove it  [override_c16]

        1 file, 2 recipes: 0 errors, 2 warnings, 0 notes
        """)


def test_the_catalog_that_is_found_here(files: Path, infx: Infx) -> None:
    """Named or found, a catalog says the same; the file that no row names is not looked at."""
    (files / "srt-recipes").mkdir()
    (files / "srt-recipes" / "toy.yaml").write_text(CATALOGED)
    flags = _catalog(files, concurrencies="[8, 16]")
    assert infx("recipe", "check") == infx("recipe", "check", *flags)
    (files / "toy-master.yaml").write_text((files / "toy-master.yaml").read_text().replace(
        " srt-recipe: toy.yaml,", ""))  # fmt: skip
    assert infx("recipe", "check") == refused(
        2,
        "no row names a recipe; "
        "name FILE, FILE:SELECTOR or a folder, or a catalog: --config-files F...",
    )


def test_the_block_of_a_lane_lies_under_the_recipes_of_its_rows(files: Path, infx: Infx) -> None:
    folder = files / "srt-recipes"
    folder.mkdir()
    (folder / "toy.yaml").write_text(CATALOGED)
    block = "benchmark:\n  type: custom\n  env: {CACHE: '@dram.total-gbs'}\n"
    (folder / "agentic-single.yaml").write_text(block)
    said = infx("recipe", "check", *_catalog(files, concurrencies="[8, 16]"))
    (line,) = [line for line in said.out.splitlines() if "  error  " in line]
    assert said.code == 1
    assert " ".join(line.split()) == (
        "srt-recipes/agentic-single.yaml:3 error structure benchmark.env.CACHE: @dram.total-gbs "
        "is not defined; did you mean @dram.total-gb? [override_c16, override_c8]"
    )
    assert infx("recipe", "check", "srt-recipes/toy.yaml").code == 0, "alone, it has no lane"


def test_a_row_that_contradicts_its_recipe(files: Path, infx: Infx) -> None:
    (files / "srt-recipes").mkdir()
    (files / "srt-recipes" / "toy.yaml").write_text(CATALOGED)
    flags = _catalog(files, concurrencies="[16, 32]", tp=8)
    said = infx("recipe", "check", *flags, "--format", "json")
    errors = [one["what"] for one in json.loads(said.out)["findings"] if one["severity"] == "error"]
    assert said.code == 1
    key = "toy-fp4-h200-sglang-agentic-dspark"
    assert f"{key}: override_c8: CONC is 8" in errors
    assert any(one.startswith(f"{key}: no variant fits concurrency 32") for one in errors)
    assert (
        f"{key}: override_c16: roles.agg has 4 GPUs a worker, the row has 8 (toy-master.yaml:1)"
        in errors
    )


@pytest.mark.parametrize(("tokens", "warned"), [(131072, True), (262144, False)])
def test_the_longest_request_of_an_agentic_corpus(
    files: Path, infx: Infx, tokens: int, warned: bool
) -> None:
    """Models outside the list of long contexts get the corpus that is cut at 256,000 tokens."""
    (files / "srt-recipes").mkdir()
    stated = f"max-running-requests: 16\n        context-length: {tokens}"
    recipe = CATALOGED.replace("max-running-requests: 16", stated)
    (files / "srt-recipes" / "toy.yaml").write_text(recipe)
    said = infx("recipe", "check", *_catalog(files, concurrencies="[8, 16]"))
    found = f"context-length of agg is {tokens}, the longest request needs 256000"
    assert (found in said.out) is warned


def test_recipes_that_rows_of_october_name_are_there(files: Path, infx: Infx) -> None:
    """The one of an evaluation too; rows of August may name files that stand inside an image."""
    flags = _catalog(files, concurrencies="[8, 16]")
    (files / "srt-recipes").mkdir()
    (files / "srt-recipes" / "toy.yaml").write_text(CATALOGED)
    master = files / "toy-master.yaml"
    named = "srt-recipe: toy.yaml, eval-srt-recipe: tiy.yaml"
    master.write_text(master.read_text().replace("srt-recipe: toy.yaml", named))
    assert "1 recipe that rows name is in no root: tiy.yaml" in infx("recipe", "check", *flags).out
    (files / "runners.yaml").write_text(RUNNERS)
    said = infx("recipe", "check", *flags)
    assert said.code == 1
    assert said.out.splitlines()[-4:-2] == [
        "toy-master.yaml",
        "  1  error  structure  there is no recipe tiy.yaml; did you mean toy.yaml?",
    ]
