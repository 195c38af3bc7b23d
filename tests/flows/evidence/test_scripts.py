"""Launch scripts as facts: entries without a recipe, and what points rest on."""

from datetime import date
from hashlib import sha256

import pytest

import gitted
import toy_repository as toy
from factual import judgements
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given

SINGLE = "benchmarks/single_node"
SCRIPT = f"{SINGLE}/fixed_seq_len/toy_fp8_h200_sglang.sh"
LIBRARY = "benchmarks/benchmark_lib.sh"
LAUNCH = """\
#!/usr/bin/env bash
source "$(dirname "$0")/../../benchmark_lib.sh"
export SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE=1
SERVER=(
    python3 -m sglang.launch_server
    --model-path "$MODEL"
    --tp "$TP"
    --max-running-requests $((2 * CONC))
)
"${SERVER[@]}" $EXTRA &
wait_ready
"""
KEY = "toy-fp8-h200-sglang"
GROWN = toy.master(("conc-list: [4, 8]", "conc-list: [4, 8, 16]"))


@pytest.fixture
def repo(tmp_path):
    files = {**toy.FILES, SCRIPT: LAUNCH, LIBRARY: "wait_ready() {\n  python3 tools/ask.py\n}\n"}
    files["tools/ask.py"] = "import tools.wire\n"
    files["tools/wire.py"] = "pass\n"
    made = gitted.repository(tmp_path, files)
    made.git("checkout", "-q", "-b", "change")
    return made


def facts(repo):
    given = Given(ask=Ask(base="main", folder=repo.root), day=date(2026, 10, 19))
    return collect(given, gitted.ENVIRONMENT).submission


def test_a_script_is_the_recipe_of_an_entry_that_names_none(repo):
    repo.commit({"configs/toy-master.yaml": GROWN})
    found = facts(repo)
    (one,) = found.recipes
    assert (one.config, one.file, one.concurrencies) == (KEY, SCRIPT, (4, 8, 16))
    agg = one.roles["agg"]
    assert agg.engine == "sglang"
    assert {name: setting.value for name, setting in agg.args.items()} == {
        "model-path": "acme/Toy", "tp-size": 4, "max-running-requests": "$((2 * CONC))",
    }  # fmt: skip
    assert (agg.args["tp-size"].cite.where, agg.args["tp-size"].layer) == (f"{SCRIPT}:7", "script")
    assert {(open_.name, open_.cite.line) for open_ in one.unsettled} == {
        ("max-running-requests", 8), ("arguments", 10),
    }  # fmt: skip
    (banned,) = one.banned
    assert (banned.value, banned.cite.where) == ("1", f"{SCRIPT}:3")
    assert judgements(found) == []


def test_its_effects_are_those_of_the_script_and_all_that_it_sources(repo):
    text = "wait_ready() {\n  sed -i s/a/b/ /sgl-workspace/sglang/a.py\n}\n"
    repo.commit({"configs/toy-master.yaml": GROWN, LIBRARY: text})
    (patches,) = facts(repo).patches
    (effect,) = patches.report.effects
    assert (effect.file, effect.line, effect.place) == (LIBRARY, 2, "engine")
    assert effect.via == (f"{SCRIPT}:11",)
    assert patches.new is True


def test_a_closure_goes_through_functions_scripts_and_imports(repo):
    repo.commit({"configs/toy-master.yaml": GROWN, "tools/wire.py": "x = 1\n"})
    found = {(one.side, one.concurrencies): one for one in facts(repo).closures}
    assert set(found) == {("base", (4, 8)), ("head", (4, 8, 16))}
    base = found["base", (4, 8)]
    assert [(one.path, one.via) for one in base.files] == [
        (LIBRARY, SCRIPT),
        (SCRIPT, f"the row of {KEY}"),
        ("tools/ask.py", SCRIPT),
        ("tools/wire.py", "tools/ask.py"),
    ]
    changed = [one for one in base.files if one.base != one.head]
    assert [one.path for one in changed] == ["tools/wire.py"]
    assert changed[0].base == sha256(b"pass\n").hexdigest()
    assert base.doubts == ()


def test_a_missing_file_is_a_doubt_only_where_a_changed_one_may_be_it(repo):
    text = LAUNCH.replace("wait_ready\n", 'bash "$HOOKS/after.sh"\n')
    repo.git("checkout", "-q", "main")
    repo.commit({SCRIPT: text})
    repo.git("checkout", "-q", "-B", "change")
    grown = {"configs/toy-master.yaml": GROWN}
    repo.commit({**grown, "other/unrelated.sh": "true\n"})
    (base,) = [one for one in facts(repo).closures if one.side == "base"]
    assert [gap.kind for gap in base.gaps] == ["absent"]
    assert base.doubts == ()
    repo.commit({"hooks/after.sh": "true\n"})
    (base,) = [one for one in facts(repo).closures if one.side == "base"]
    assert [one.changed for one in base.doubts] == [("hooks/after.sh",)]


def test_scripts_that_source_each_other_end(repo):
    repo.git("checkout", "-q", "main")
    repo.commit({LIBRARY: f'source "$ROOT/{SCRIPT}"\n'})
    repo.git("checkout", "-q", "-B", "change")
    repo.commit({"configs/toy-master.yaml": GROWN})
    (base,) = [one for one in facts(repo).closures if one.side == "base"]
    assert {one.path for one in base.files} == {SCRIPT, LIBRARY}


def test_an_entry_that_no_script_is_known_to_launch_says_so(repo):
    repo.git("rm", "-q", SCRIPT)
    repo.commit({"configs/toy-master.yaml": GROWN})
    found = facts(repo)
    assert (found.recipes, found.patches) == ((), ())
    gaps = {one.side: one.gaps for one in found.closures}
    assert gaps["base"] == ()
    (gap,) = gaps["head"]
    assert gap.what == f"no recipe that binds and no script is known that launches {KEY}"
    assert gap.file == "configs/toy-master.yaml"


def test_a_script_alone_reaches_the_entries_that_rest_on_it(repo):
    repo.commit({LIBRARY: "wait_ready() {\n  sed -i s/a/b/ /sgl-workspace/sglang/a.py\n}\n"})
    found = facts(repo)
    assert [(one.key, one.change) for one in found.configs] == [(KEY, "script")]
    assert (found.points, found.recipes) == ((), ())
    (patches,) = found.patches
    assert (patches.config, patches.new) == (KEY, True)
    assert [effect.place for effect in patches.report.effects] == ["engine"]
    (base,) = [one for one in found.closures if one.side == "base"]
    assert [one.path for one in base.files if one.base != one.head] == [LIBRARY]
    assert judgements(found) == []


def test_a_script_that_nothing_rests_on_reaches_nothing(repo):
    repo.commit({"tools/other.sh": "sed -i s/a/b/ /sgl-workspace/sglang/a.py\n"})
    assert facts(repo).configs == ()
