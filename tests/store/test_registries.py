"""The shipped registries load, say where they are from, and refuse facts without a reason."""

from datetime import date

import pytest

from infx.errors import InputError
from infx.model.model_registry import ModelRegistry
from infx.model.policy_set import PolicyRegistry
from infx.model.registry import HardwareRegistry, PageRegistry, Thresholds, rows
from infx.model.setting_registry import DraftPrecisionRegistry, ThinkingRegistry
from infx.recipes.acceptance.curves import read_curve
from infx.recipes.engine_rules import sglang, vllm
from infx.store.golden import golden_documents
from infx.store.registries import FILES, registry

SOURCES = "sources: {page: {what: a page, read: '2026-11-30'}}\n"


@pytest.mark.parametrize("kind", FILES, ids=lambda kind: kind.__name__)
def test_every_row_names_a_source_with_a_day(kind):
    found = registry(kind)
    used = {row.source for row in rows(found)}
    assert used == set(found.sources), "a source that no row names"
    assert all(source.read >= date(2026, 1, 1) for source in found.sources.values())


def written(tmp_path, kind, text):
    (tmp_path / FILES[kind]).write_text(SOURCES + text, encoding="utf-8")
    return lambda: registry(kind, tmp_path)


GPU = "hardware: [{sku: x, name: X, vendor: v, standing: new, gpus-per-node: 8, memory-gb: %s}]\n"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("null, source: page", "`unknown` says why facts are null, and only then: see memory-gb"),
        ("8, unknown: {memory-gb: why}, source: page", "see memory-gb"),
        ("null, unknown: {sku: why}, source: page", "see memory-gb, sku"),
        ("8, source: other", "no source other"),
        ("8", "the key source is missing"),
    ],
)
def test_a_null_has_a_reason_and_a_row_a_source(tmp_path, row, said):
    with pytest.raises(InputError, match=said):
        written(tmp_path, HardwareRegistry, GPU % row)()


def test_a_threshold_file_that_cannot_be_read_is_no_empty_one(tmp_path):
    with pytest.raises(InputError, match=r"thresholds.yaml: the file cannot be read"):
        registry(Thresholds, tmp_path)


@pytest.mark.parametrize("floor", ["nan", "'NaN'", "'1.01'", "'-0.1'", "true"])
def test_a_floor_is_a_share(tmp_path, floor):
    row = f"tasks: [{{name: t, floor: {floor}, samples: 1, source: page}}]\nmodels: []\n"
    with pytest.raises(InputError, match="floor"):
        written(tmp_path, Thresholds, row)()


def test_the_public_sets_have_the_public_checks():
    found = registry(PolicyRegistry)
    number = {one.id: one.number for one in found.checks}
    sets = {one.id: one for one in found.sets}
    assert [number[name] for name in sets["2026-09"].checks] == list(range(13))
    assert [number[name] for name in sets["2026-10"].checks] == list(range(18))
    assert {number[name] for name in sets["2026-10"].advisory} == {4, 14, 15}
    assert sets["2026-09"].advisory == ()
    own = [name for name in sets["infx-1"].checks if number[name] is None]
    assert own == ["curve-gap", "client-certified", "workload-as-declared", "outputs-not-garbage"]
    assert [one.id for one in found.checks if one.inferred] == [
        "overview-page",
        "metrics-published",
    ]


def test_defaults_are_those_of_the_versions_whose_rules_were_read():
    found = {one.engine: one.version for one in registry(DraftPrecisionRegistry).defaults}
    assert found == {"sglang": sglang.VERSION, "vllm": vllm.VERSION}


def test_pages_and_models_speak_of_what_is_registered():
    known = {one.prefix for one in registry(ModelRegistry).models}
    skus = {one.sku for one in registry(HardwareRegistry).hardware}
    for page in registry(PageRegistry).pages:
        assert page.prefix in known
        assert set(page.hardware or ()) <= skus
    assert {one.prefix for one in registry(Thresholds).models} <= known


def test_runs_are_held_to_a_mode_that_every_curve_has():
    curves = [read_curve(name, document) for name, document in golden_documents()]
    modes = registry(ThinkingRegistry).modes
    known = {one.id for one in registry(ModelRegistry).scenarios}
    assert {one.scenario for one in modes} == {"agentic-coding"} <= known
    for one in modes:
        assert all(one.mode in curve.cells for curve in curves)
