"""A change to the public catalog: hundreds of recipes, of which a few are touched."""

import os
import shutil
from datetime import date
from pathlib import Path

import pytest

import gitted
from factual import judgements
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given

BANNED = "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE"


@pytest.fixture
def public(tmp_path):
    data = os.environ.get("INFX_REFERENCE_DATA")
    if not data:
        pytest.skip("INFX_REFERENCE_DATA is not set")
    for name in ("configs", "srt-recipes"):
        shutil.copytree(Path(data) / name, tmp_path / name)
    repo = gitted.repository(tmp_path)
    repo.git("checkout", "-q", "-b", "change")
    return repo


def test_inherited_variables_are_found_in_recipes_that_change_elsewhere(public):
    masters = "".join(
        path.read_text("utf-8") for path in (public.root / "configs").glob("*-master.yaml")
    )
    recipes = sorted((public.root / "srt-recipes").rglob("*.yaml"))
    with_it = (path for path in recipes if BANNED in path.read_text("utf-8"))
    path = next(
        path
        for path in with_it
        if path.name in masters and "mem-fraction-static: 0.8" in path.read_text("utf-8")
    )
    text = path.read_text("utf-8").replace("mem-fraction-static: 0.8", "mem-fraction-static: 0.7")
    name = str(path.relative_to(public.root))
    public.commit({name: text})
    given = Given(ask=Ask(base="main", folder=public.root), day=date(2026, 10, 19), measured="HEAD")
    found = collect(given, gitted.ENVIRONMENT).submission
    assert found.configs
    assert {one.change for one in found.configs} == {"recipe"}
    banned = {(use.name, use.cite.path) for one in found.recipes for use in one.banned}
    assert (BANNED, name) in banned
    assert {one.file for one in found.recipes} >= {name}
    assert judgements(found) == []
