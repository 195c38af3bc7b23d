"""The catalog of this repository holds under every check that infx has.

Expected numbers are worked out by hand, from the files and the rules.
"""

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from gitted import repository
from infx.errors import InputError
from infx.flows.acceptance import plan_recipe
from infx.flows.catalog import load_catalog
from infx.flows.editor_schemas import schemas
from infx.flows.matrix import matrix, rows_json
from infx.flows.quickstart import LANES, WORKLOAD, quickstart_recipe
from infx.flows.recipe_check import Asked, check_recipes
from infx.flows.recipe_uses import uses
from infx.matrix.options import Options
from infx.matrix.points import points
from infx.matrix.priority import Occasion, score
from infx.model.priority import CiPriority
from infx.model.sweep import AgenticMultiRow, AgenticSingleRow, FixedSingleRow
from infx.recipes.acceptance.plan import Conditions
from infx.recipes.bind import bind
from infx.store.documents import read_yaml, validate
from project_text import ROOT
from transcript import Infx

HOME = ROOT / "catalog"
MASTERS = [HOME / "laptop-master.yaml", HOME / "nvidia-master.yaml"]
MUSE = HOME / "recipes" / "musespark" / "gb200" / "agentic.yaml"
MUSE_CONCURRENCIES = (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
MUSE_POINT = Conditions(model_prefix="musespark", thinking="thinking_on")
MUSE_KEY = "musespark-fp4-gb200-sglang-agentic-dflash"
DSV4 = "dsv4-fp4-gb200-dynamo-sglang-agentic-dspark"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in the root of the repository, as its users do."""
    monkeypatch.chdir(ROOT)
    return ROOT


def rows(**asked):
    return matrix(None, None, Options(**asked)).rows


def test_what_is_run(here):
    found: dict[str, list[int]] = {}
    for point in points(rows()):
        found.setdefault(point.config_key, []).append(point.concurrency)
    assert found == {
        "smollm2-q4-cpu-llamacpp": [1, 2, 4, 8],
        "smollm2-bf16-cpu-vllm": [1, 2, 4, 8],
        "qwen3-8b-fp8-h200-sglang": [4, 8, 16, 32, 64, 128, 256],
        "qwen3-8b-fp8-h200-vllm": [4, 8, 16, 32, 64, 128, 256],
        MUSE_KEY: list(MUSE_CONCURRENCIES),
        f"{DSV4}-agg": [1, 4],
        f"{DSV4}-disagg": [64, 128, 256, 768, 1024, 1280],
    }
    assert sum(map(len, found.values())) == 42
    assert matrix(None, None, Options()).warnings == ()


def test_rows_without_a_topology_have_that_of_their_recipe(here):
    for row in rows(model_prefix=("smollm2", "qwen3-8b")):
        assert isinstance(row, FixedSingleRow)
        assert (row.tp, row.ep, row.pp, row.dp_attn) == (1, 1, 1, False)
    found = {}
    for row in rows(model_prefix=("dsv4",)):
        assert isinstance(row, AgenticMultiRow)
        for concurrency in row.conc:
            found[concurrency] = (
                *(
                    (one.num_worker, one.tp, one.ep, one.dp_attn)
                    for one in (row.prefill, row.decode)
                ),
                row.node_count,
            )
    agg = (1, 8, 1, False)
    dep8, dep16, dep32 = ((1, size, size, True) for size in (8, 16, 32))
    assert found == {
        # TP8 on trays of four: two of them.
        **dict.fromkeys((1, 4), (agg, (0, *agg[1:]), 2)),
        # The trays of prefill and of decode, and one for etcd and NATS.
        **dict.fromkeys((64, 128), (dep8, dep16, 2 + 4 + 1)),
        256: (dep16, dep32, 4 + 8 + 1),
        **dict.fromkeys((768, 1024, 1280), ((2, *dep16[1:]), dep32, 2 * 4 + 8 + 1)),
    }


def test_host_memory_for_caches(here):
    """860,160 MiB are 901.9 GB; 0.8 of them for the four GPUs of a tray are 721.5 GB."""
    agentic = rows(scenario_type=("agentic-coding",))
    assert len(agentic) == 20
    for row in agentic:
        assert isinstance(row, AgenticSingleRow | AgenticMultiRow)
        assert (row.kv_offloading, row.total_cpu_dram_gb) == ("dram", 721)


def test_every_point_binds_to_exactly_one_variant(here):
    found = uses(MASTERS, None, ())
    assert found.missing == {}
    chosen: dict[str, list[str]] = {}
    for path, points_of in found.by_file.items():
        for use in points_of:
            binding = bind(read_yaml(path), selector=use.selector, shared=None, target=use.target)
            assert binding.warnings == ()
            chosen.setdefault(use.key, []).append(binding.variant)
    steps = [f"zip_override_concurrency[{step}]" for step in range(7)]
    assert chosen == {
        "smollm2-q4-cpu-llamacpp": [""] * 4,
        "smollm2-bf16-cpu-vllm": [""] * 4,
        "qwen3-8b-fp8-h200-sglang": steps,
        "qwen3-8b-fp8-h200-vllm": [""] * 7,
        MUSE_KEY: [f"override_c{one}" for one in MUSE_CONCURRENCIES],
        f"{DSV4}-agg": ["override_1_lane", "override_4_lanes"],
        f"{DSV4}-disagg": [
            *["override_1p_dep8_1d_dep16"] * 2,
            "override_1p_dep16_1d_dep32",
            *["override_2p_dep16_1d_dep32"] * 3,
        ],
    }


def test_musespark_between_its_concurrencies_binds_to_nothing(here):
    with pytest.raises(InputError, match="no variant fits concurrency 3"):
        plan_recipe(str(MUSE), MUSE_POINT, concurrency=3)


def test_no_check_has_anything_to_say(here):
    found = check_recipes(Asked(masters=MASTERS))
    assert found.findings == ()
    assert found.unchecked == ("not checked: no schema for dynamo's own flags",)
    # 12 of musespark, 7 of Qwen3-8B under SGLang, 3 + 2 of dsv4, and three plain files.
    assert (found.files, found.bindings) == (7, 27)


@pytest.mark.parametrize(
    ("recipe", "prefix", "concurrency", "length"),
    [
        *((MUSE, "musespark", one, 4.05) for one in MUSE_CONCURRENCIES),
        ("dsv4/gb200/agentic-agg.yaml:override_1_lane", "dsv4", 1, 3.77),
        ("dsv4/gb200/agentic-disagg.yaml:override_1p_dep8_1d_dep16", "dsv4", 64, 3.77),
        ("dsv4/gb200/agentic-disagg.yaml:override_2p_dep16_1d_dep32", "dsv4", 1280, 3.77),
    ],
)
def test_golden_acceptance(recipe, prefix, concurrency, length):
    reference = str(HOME / "recipes" / recipe)
    _, plan = plan_recipe(
        reference, Conditions(model_prefix=prefix, thinking="thinking_on"), concurrency=concurrency
    )
    assert plan.cell is not None
    assert float(plan.cell.al) == length


@pytest.mark.parametrize(
    ("key", "event", "points"),
    [
        ("smollm2-q4-cpu-llamacpp", "", "1.000"),
        ("qwen3-8b-fp8-h200-vllm", "", "1.500"),  # its engine
        (MUSE_KEY, "", "4.000"),  # agentic 1, fp4 0.75, its draft 0.75, its engine 0.5
        (f"{DSV4}-disagg", "push", "7.250"),  # the same, several nodes 1.25, a push 2
    ],
)
def test_priorities_add_up(here, key, event, points):
    policy = validate(read_yaml(HOME / "ci-priority.yaml"), CiPriority)
    occasion = Occasion(namespace="test", event=event)
    for row in json.loads(rows_json(rows(config_keys=(key,)))):
        assert str(score(row, policy, occasion)) == points


@pytest.mark.parametrize("path", sorted(HOME.rglob("*.yaml")), ids=lambda path: path.name)
def test_editors_have_no_complaint_and_find_the_schema(path):
    first = path.read_text().splitlines()[0]
    kinds = {"runners.yaml": "runners", "ci-priority.yaml": "ci-priority"}
    name = "recipe" if "recipes" in path.parts else kinds.get(path.name, "master")
    if path.name == "perf-changelog.yaml":
        name = "changelog"  # an entry begins its first line
    else:
        link = first.removeprefix("# yaml-language-server: $schema=")
        assert (path.parent / link).resolve() == ROOT / "schemas" / f"{name}.schema.json"
    validator = jsonschema.Draft202012Validator(schemas()[name][1])
    assert [error.message for error in validator.iter_errors(read_yaml(path).value)] == []


def test_the_changelog_covers_every_key(infx: Infx, tmp_path: Path):
    repo = repository(tmp_path)
    shutil.copytree(HOME, tmp_path / "catalog")
    repo.commit({})
    said = infx("changelog", "check", "--base", "HEAD~1", "--format", "json")
    assert said.code == 0, said
    found = json.loads(said.out)
    assert (found["entries"], len(found["changed"])) == (4, len(load_catalog().keys))


def test_quickstart_serves_what_the_catalog_says(tmp_path: Path, monkeypatch):
    """The wheel has no catalog, slots follow --concurrency, and threads the host.

    The context of a slot is the workload's: quickstart may ask more than the catalog's points do.
    """
    weights = tmp_path / "weights.gguf"
    weights.write_bytes(b"")
    monkeypatch.setattr("infx.flows.quickstart.facts", lambda: {"usable_cores": 2})
    recipe = quickstart_recipe(weights, lanes=max(LANES))
    document = read_yaml(HOME / "recipes" / "smollm2" / "cpu" / "llamacpp.yaml")
    args = document.value["roles"]["agg"]["args"]
    assert {**recipe.flags, "ctx-size": 4096} == args
    assert args["ctx-size"] // args["parallel"] >= 2 * (WORKLOAD.isl + WORKLOAD.osl)
    monkeypatch.chdir(ROOT)
    served = rows(config_keys=("smollm2-q4-cpu-llamacpp",))
    assert tuple(row.conc for row in served) == LANES
    assert {(row.isl, row.osl) for row in served} == {(WORKLOAD.isl, WORKLOAD.osl)}
