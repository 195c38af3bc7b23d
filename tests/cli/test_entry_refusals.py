"""Each rule of an entry's own fields and of a row's, as `infx matrix generate` refuses it.

An id begins with the section of the public pipeline's rules: 1.1 entries, 1.2 rows, and of 1.3 how
a row names its recipe.
"""

from pathlib import Path

import pytest

from judged import HEAD, agentic, several, single, spread
from transcript import refused

MASTER = "toy-master.yaml"
FIXED = "toy.scenarios.fixed-seq-len.0.search-space.0"
AGENTIC = "toy.scenarios.agentic-coding.0.search-space.0"
ROLE = "num-worker: 1, tp: 4, ep: 4, dp-attn: true"
PAIR = f"prefill: {{{ROLE}}}, decode: {{{ROLE}}}"
ONE = "tp: 4, conc-list: [4]"
DRAM = "kv-offloading: dram, kv-offload-backend: {name: hicache}"


def on(line: int, place: str, what: str) -> str:
    return f"{MASTER}:{line}: {place}{what}"


OWN = {
    name: f".{name}: this belongs to one node, and multinode is true on line 8; "
    "state it for each role"
    for name in ("tp", "pp", "dcp-size", "pcp-size", "ep", "dp-attn")
}
LLMD = several(
    f"{PAIR.replace('dp-attn: true}', 'dp-attn: true, additional-settings: [A]}', 1)}, "
    "conc-list: [4]"
)

ROWS = {
    **{
        f"1.2-{name}-belongs-to-one-node": (
            spread(f"{PAIR}, {name}: {value}, conc-list: [4]"), [on(13, AGENTIC, OWN[name])],
        )
        for name, value in (("tp", 4), ("pp", 1), ("dcp-size", 1), ("pcp-size", 1), ("ep", 1),
                            ("dp-attn", "false"))
    },
    "1.2-tp-of-one-node": (
        single("conc-list: [4]"),
        [on(12, FIXED, ": tp is missing; add tp, or set multinode: true")],
    ),
    "1.2-no-concurrency": (
        single("tp: 4"),
        [on(12, FIXED, ": no concurrency is stated; add conc-list, or conc-start and conc-end")],
    ),
    "1.2-a-range-without-an-end": (
        single("tp: 4, conc-start: 4"),
        [on(12, FIXED, ".conc-start: the range has no conc-end; add conc-end")],
    ),
    "1.2-a-range-without-a-start": (
        single("tp: 4, conc-end: 4"),
        [on(12, FIXED, ".conc-end: the range has no conc-start; add conc-start")],
    ),
    "1.2-a-range-that-runs-backwards": (
        single("tp: 4, conc-start: 8, conc-end: 4"),
        [on(12, FIXED, ".conc-start: 8 is above conc-end 4 on line 12; swap the two")],
    ),
    "1.2-a-list-and-a-range": (
        single(f"{ONE}, conc-start: 4, conc-end: 8"),
        [on(12, FIXED, f".{name}: the concurrencies are a list on line 12 already; "
                       "keep the list or the range") for name in ("conc-start", "conc-end")],
    ),
    "1.2-concurrencies-are-above-0": (
        single("tp: 4, conc-list: [4, 0]"),
        [on(12, FIXED, ".conc-list.1: input should be greater than 0, found 0")],
    ),
    "1.2-an-unknown-draft": (
        single(f"{ONE}, spec-decoding: eagle"),
        [on(12, FIXED, ".spec-decoding: input should be 'none', 'mtp' or 'draft_model', "
                       "found 'eagle'")],
    ),
    "1.2-a-setting-without-a-value": (
        LLMD,
        [on(13, FIXED, ".prefill.additional-settings.0: string should match pattern "
                       "'^[A-Za-z_][A-Za-z0-9_]*=', found 'A'")],
    ),
    "1.2-one-node-says-where-kv-goes": (
        agentic("tp: 4, conc-list: [1]"),
        [on(12, AGENTIC, ": kv-offloading is missing; say none, or where KV blocks go")],
    ),
    "1.2-a-backend-for-no-offload": (
        agentic("tp: 4, kv-offloading: none, kv-offload-backend: {name: hicache}, conc-list: [1]"),
        [on(12, AGENTIC, ".kv-offload-backend: a backend is named, and nothing is offloaded; "
                         "remove it, or set kv-offloading")],
    ),
    "1.2-an-offload-without-a-backend": (
        agentic("tp: 4, kv-offloading: nvme, conc-list: [1]"),
        [on(12, AGENTIC, ".kv-offloading: KV blocks are offloaded without a backend; "
                         "add kv-offload-backend")],
    ),
    "1.2-nvme-over-several-nodes": (
        spread(f"{PAIR}, {DRAM.replace('dram', 'nvme')}, conc-list: [1]"),
        [on(13, AGENTIC, ".kv-offloading: only one node can offload to NVMe, and multinode is "
                         "true on line 8; offload to dram")],
    ),
    "1.2-a-tier-named-twice": (
        agentic(f"tp: 4, {DRAM.replace('dram', '[nvme, nvme]')}, conc-list: [1]"),
        [on(12, AGENTIC, ".kv-offloading: a tier stands twice; name each once")],
    ),
}  # fmt: skip

ENTRIES = {
    "1.1-a-pattern-for-a-key": (
        single(ONE).replace("toy:", "toy-*:"),
        [f"{MASTER}:1: the key toy-* has a character of patterns; rename it"],
    ),
    "1.1-a-file-that-is-no-mapping": (
        "- toy\n",
        [(f"{MASTER}:1: a master configuration maps keys to entries; "
         "begin each entry with its key")],
    ),
    "1.1-an-unknown-key": (
        single(ONE).replace("precision:", "precison:"),
        [f"{MASTER}:1: toy: the key precision is missing; add precision",
         f"{MASTER}:5: toy.precison: unknown key; did you mean precision?"],
    ),
    "1.1-no-scenario": (
        f"{HEAD}  runner: h200\n  multinode: false\n  scenarios: {{}}\n",
        [f"{MASTER}:9: toy.scenarios: there is no scenario; add fixed-seq-len or agentic-coding"],
    ),
    "1.1-a-router-without-a-version": (
        single(ONE, more="  router: {name: r}\n"),
        [f"{MASTER}:13: toy.router: the key version is missing; add version"],
    ),
    "1.1-an-image-for-a-version": (
        single(ONE, more="  router: {name: r, version: 'image:org/router:v1'}\n"),
        [(f"{MASTER}:13: toy.router.version: a component's version is its release or commit, not "
         "an image, found 'image:org/router:v1'")],
    ),
    "1.1-multinode-is-a-boolean": (
        single(ONE).replace("multinode: false", "multinode: 'false'"),
        [f"{MASTER}:8: toy.multinode: input should be a valid boolean, found 'false'"],
    ),
    "1.1-power-at-other-lengths": (
        single(ONE).replace("isl: 8192,", "isl: 1024, require-power: true,"),
        [(f"{MASTER}:11: toy.scenarios.fixed-seq-len.0.require-power: power cannot be required at "
         "1024/1024; require it at 8192/1024")],
    ),
    "1.1-a-share-of-dram-above-1": (
        agentic(f"tp: 4, {DRAM}, conc-list: [1]", scenario="dram-utilization: 1.5,"),
        [(f"{MASTER}:11: toy.scenarios.agentic-coding.0.dram-utilization: input should be less "
         "than or equal to 1, found 1.5")],
    ),
}  # fmt: skip

ADD = "add srt-recipe: FILE or FILE:SELECTOR"
FROM_FILE = several(
    f"RECIPE conc-list: [4], decode: {{{ROLE}}}, "
    f"prefill: {{{ROLE}, additional-settings: [A=1, CONFIG_FILE=recipes/x.yaml]}}"
)

RECIPES = {
    "1.3-a-row-without-a-recipe-below-a-directory": (
        single("tp: 4, conc-list: [4]", more="  srt-recipe-dir: toy/h200\n"),
        [on(12, FIXED, ": srt-recipe is missing, and the entry has srt-recipe-dir on line 13; "
                       f"{ADD}")],
    ),
    "1.3-a-row-without-a-recipe-beside-another": (
        single("tp: 4, conc-list: [4], srt-recipe: toy.yaml}, {tp: 2, conc-list: [4]"),
        [on(12, f"{FIXED[:-1]}1", ": srt-recipe is missing, and another row of the scenario has "
                                  f"it on line 12; {ADD}")],
    ),
    "1.3-a-config-file-beside-the-recipe": (
        FROM_FILE.replace("RECIPE", "srt-recipe: a.yaml,"),
        [on(13, FIXED, ".prefill.additional-settings.1: the recipe is srt-recipe on line 13; "
                       "remove CONFIG_FILE")],
    ),
    "1.3-a-config-file-instead-of-the-recipe": (
        FROM_FILE.replace("RECIPE", "") + "  srt-recipe-dir: toy\n",
        [on(13, FIXED, ": srt-recipe is missing, and the entry has srt-recipe-dir on line 15; "
                       f"{ADD}"),
         on(13, FIXED, ".prefill.additional-settings.1: CONFIG_FILE names no recipe of an entry "
                       "with srt-recipe; name it as srt-recipe")],
    ),
}  # fmt: skip

CASES = {**ROWS, **ENTRIES, **RECIPES}


@pytest.mark.parametrize("case", CASES)
def test_what_breaks_a_rule_is_refused(generate, case):
    master, lines = CASES[case]
    assert generate(master) == refused(2, "\ninfx: ".join(lines))


def test_llm_d_is_launched_from_a_config_file(generate):
    text = FROM_FILE.replace("RECIPE", "srt-recipe: a.yaml,")
    assert generate(text.replace("framework: sglang", "framework: llmd-vllm")).code == 0


def test_the_same_key_in_two_files(generate):
    assert generate(single(ONE), "\n" + single(ONE)) == refused(
        2, f"z-master.yaml:2: the key toy stands here and at {MASTER}:1; rename one of the two"
    )


def test_files_that_are_not_there(infx):
    said = infx("matrix", "generate", "--config-files", "no.yaml", "--runner-config", "r.yaml")
    missing = "the file cannot be read: No such file or directory; check the path"
    assert said == refused(2, f"no.yaml: {missing}\ninfx: r.yaml: {missing}")
    Path(MASTER).write_text(single(ONE))
    assert infx("matrix", "generate") == refused(
        2, f"{MASTER}: there is no runners.yaml beside it; name it: --runner-config F"
    )
