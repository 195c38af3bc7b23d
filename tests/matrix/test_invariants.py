"""Each rule of a whole entry, by what it says when it is broken."""

import pytest

from judged import HEAD, agentic, judged, several, single
from refusals import refusal

ROLE = "num-worker: 1, tp: 4, ep: 4, dp-attn: true"
ROUTER = "router: {name: r, version: v1}"
ROW = "conc-list: [4], tp: 4"
PAIR = f"conc-list: [4], prefill: {{{ROLE}}}, decode: {{{ROLE}}}"
PLACE = "toy.scenarios.fixed-seq-len.0.search-space.0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{HEAD}  runner: h200\n  multinode: false\n  scenarios: {{fixed-seq-len: []}}\n",
            "a.yaml:9: toy.scenarios: there is no scenario; add fixed-seq-len or agentic-coding",
        ),
        (
            single(ROW, more="  disagg: true\n  kv-p2p-transfer: nixl\n").replace("nixl\n", "x\n"),
            (
                "a.yaml:13: toy.disagg: prefill and decode are apart, and multinode is false on "
                "line 8; set multinode: true\n"
                "a.yaml:14: toy.kv-p2p-transfer: nothing is transferred within a node, and "
                "multinode is false on line 8; remove it"
            ),
        ),
        (
            agentic("conc-list: [1], tp: 4, kv-offloading: none", runner="h200"),
            (
                "a.yaml:7: toy.runner: agentic-coding on line 10 needs one physical fleet, "
                "and h200 is a family; name a label that begins with cluster:"
            ),
        ),
        (
            single(ROW).replace("isl: 8192,", "isl: 1024, require-power: true,"),
            (
                "a.yaml:11: toy.scenarios.fixed-seq-len.0.require-power: "
                "power cannot be required at 1024/1024; require it at 8192/1024"
            ),
        ),
        (
            single(f"{ROW}, {ROUTER}", more=f"  {ROUTER}"),
            (
                f"a.yaml:12: {PLACE}.router: the entry says it on line 13 for all rows; "
                "keep one of the two"
            ),
        ),
        (
            several(f"{PAIR}, kv-p2p-transfer: mooncake"),
            (
                f"a.yaml:13: {PLACE}.kv-p2p-transfer: the entry says it on line 14 for all rows; "
                "keep one of the two"
            ),
        ),
        (
            several(PAIR, more=""),
            (
                f"a.yaml:13: {PLACE}: nothing moves KV blocks from prefill to decode, "
                "and disagg is true on line 9; add kv-p2p-transfer to the entry or to every row"
            ),
        ),
        (
            single(ROW, more="  srt-recipe-dir: toy/sglang/h200\n"),
            (
                f"a.yaml:12: {PLACE}: srt-recipe is missing, and the entry has srt-recipe-dir on "
                "line 13; add srt-recipe: FILE or FILE:SELECTOR"
            ),
        ),
        (
            several(
                f"srt-recipe: a.yaml, conc-list: [4], decode: {{{ROLE}}}, "
                f"prefill: {{{ROLE}, additional-settings: [A=1, CONFIG_FILE=recipes/x.yaml]}}"
            ),
            (
                f"a.yaml:13: {PLACE}.prefill.additional-settings.1: the recipe is srt-recipe on "
                "line 13; remove CONFIG_FILE"
            ),
        ),
    ],
)
def test_an_entry(text, message):
    assert refusal(lambda: judged(text)) == message


def test_a_row_may_say_what_the_entry_leaves_open():
    row = f"{PAIR}, kv-p2p-transfer: nixl, router: {{name: dynamo-router, version: 1.5.0}}"
    (entry,) = judged(several(row, more="")).keys.values()
    assert entry.scenarios.fixed_seq_len[0].search_space[0].router.version == "1.5.0"


def test_llm_d_keeps_its_config_file_beside_a_recipe():
    row = (
        f"srt-recipe: a.yaml, conc-list: [4], decode: {{{ROLE}}}, "
        f"prefill: {{{ROLE}, additional-settings: [CONFIG_FILE=x.yaml]}}"
    )
    assert judged(several(row).replace("framework: sglang", "framework: llmd-vllm")).keys


def test_a_version_is_not_an_image():
    text = single(ROW, more="  router: {name: r, version: 'image:org/router:v1'}\n")
    assert refusal(lambda: judged(text)) == (
        "a.yaml:13: toy.router.version: a component's version is its release or "
        "commit, not an image, found 'image:org/router:v1'"
    )
