"""A recipe that contradicts its row on one node, as `infx matrix generate` refuses it.

Each id names what both state; the section of the public pipeline's rules is 1.8.
"""

import pytest

from judged import agentic, single
from named_recipes import (
    AT,
    FIT,
    FLEET,
    ONE,
    PLAIN,
    POINT,
    RECIPE,
    SHORT,
    bound,
    client,
    recipe,
    server,
)
from transcript import refused

AGREEMENT = {
    "1.8-another-engine": (ONE, recipe("engine: sglang", "engine: vllm", PLAIN), 3,
                           "the engine is vllm, the row has sglang"),
    "1.8-another-tp": (ONE, recipe("parallel-size: 8", "parallel-size: 4", PLAIN), 10,
                       "the flags have TP 4, the row has 8"),
    "1.8-no-tp": (ONE, recipe("tensor-parallel-size: 8", "a: 1", PLAIN), 10,
                  "the flags have TP 1, the row has 8"),
    "1.8-another-dp": (ONE, server(dp_size=2), 10,
                       "the flags have DP 2, the row's attention runs in 1"),
    "1.8-another-ep": (ONE, server(ep_size=8), 6, "roles.agg has EP 8, the row has 1"),
    "1.8-no-ep": (ONE.replace("tp: 8", "tp: 8, ep: 8"), PLAIN, 10,
                  "no flag spreads experts, the row has EP 8"),
    "1.8-another-number-of-gpus": (ONE, recipe("gpus: 8\n", "gpus: 4\n", PLAIN), 6,
                                   "roles.agg has 4 GPUs a worker, the row has 8"),
    "1.8-two-nodes": (ONE, recipe("nodes: 1", "nodes: 2", PLAIN), 7,
                      "roles.agg has 2 nodes, a row on one node has 1"),
    "1.8-two-workers": (ONE, recipe("workers: 1", "workers: 2", PLAIN), 8,
                        "roles.agg has 2 workers, a row on one node has 1"),
    "1.8-pipeline-stages": (ONE, server(pp_size=2), 10,
                            "PP is 2, the row has 1, and one node runs with 1"),
    "1.8-pipeline-stages-of-the-row": (ONE.replace("tp: 8", "tp: 4, pp: 2"),
                                       recipe("parallel-size: 8", "parallel-size: 4", PLAIN), 10,
                                       "PP is 1, the row has 2, and one node runs with 1"),
    "1.8-prefill-context-parallelism": (ONE, server(pcp_size=2), 10,
                                        "PCP is 2, the row has 1, and one node runs with 1"),
    "1.8-decode-context-parallelism": (ONE.replace("tp: 8", "tp: 8, dcp-size: 2"),
                                       server(dcp_size=2), 10,
                                       ("DCP is 2, the row has 2, and only vllm and atom have it "
                                       "on one node")),
    "1.8-no-draft": (ONE.replace("tp: 8", "tp: 8, spec-decoding: draft_model"), PLAIN, 10,
                     "nothing drafts, the row has spec-decoding draft_model"),
    "1.8-a-draft-that-the-row-lacks": (ONE, server(speculative_algorithm="EAGLE"), 10,
                                       "eagle drafts, the row has spec-decoding none"),
    "1.8-an-unknown-draft": (ONE.replace("tp: 8", "tp: 8, spec-decoding: mtp"),
                             server(speculative_algorithm="NGRAM"), 10,
                             ("no row knows drafts by ngram (known are eagle, eagle3, nextn, mtp, "
                             "dspark, dflash, dflash2)")),
    "1.8-another-benchmark": (ONE, client("type: sa-bench"), 12,
                              "benchmark.type is sa-bench, a row has custom"),
    "1.8-the-client-of-fixed-lengths": (ONE, client("command: bash /b/srt_fixed_sequence.sh"), 12,
                                        ("the client srt_fixed_sequence.sh asks fixed lengths, the "
                                        "row is agentic-coding")),
}  # fmt: skip


@pytest.mark.parametrize("case", AGREEMENT)
def test_a_recipe_that_contradicts_its_row_is_refused(rows, case):
    asked, text, line, what = AGREEMENT[case]
    said = rows(agentic(asked, runner=FLEET), text)
    head, subject, *reasons = said.err.splitlines()
    assert (said.code, said.out) == (2, "")
    assert head == f"infx: {bound(at='4')[0]}"
    assert subject.startswith(f"infx: {RECIPE}: the recipe does not fit concurrency 4, ")
    assert reasons == [f"infx: {RECIPE}:{line}: the recipe: {what} {AT}"]


def test_a_row_on_one_node_has_the_role_agg_alone(rows):
    text = PLAIN.replace("  agg:\n", "  decode:\n")
    assert rows(agentic(ONE, runner=FLEET), text) == refused(
        2,
        "\ninfx: ".join(
            bound(
                f"{RECIPE}: the recipe does not fit concurrency 4, {POINT}; {FIT}",
                f"{RECIPE}:1: the recipe: there is no role agg (roles: decode)",
                f"{RECIPE}:6: the recipe: the row has no role decode {AT}",
                at="4",
            )
        ),
    )


def test_the_client_of_agent_sessions_for_fixed_lengths(rows):
    said = rows(single(SHORT, runner=FLEET), client("command: bash /b/srt_agentic.sh"))
    assert said.verdict[-1] == (
        f"infx: {RECIPE}:12: the recipe: the client srt_agentic.sh replays agent sessions, "
        f"the row is fixed-seq-len {AT}"
    )
