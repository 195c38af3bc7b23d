"""Rows of October that name a recipe: what `infx matrix generate` refuses before anything runs.

An id begins with the section of the public pipeline's rules: 1.3 is generation, 1.8 how one variant
is found for a point.
"""

import pytest

from judged import agentic, single
from named_recipes import (
    AGENTIC,
    BASE,
    FIT,
    FLEET,
    GROUPS,
    MASTER,
    ONE,
    PLAIN,
    POINT,
    RECIPE,
    REMEDY,
    bound,
    recipe,
    server,
)
from transcript import refused

ROW = "tp: 8, kv-offloading: none, conc-list: [4, 20], srt-recipe: toy.yaml"


def row(old: str = "", new: str = "") -> str:
    """Return an entry with one agentic row on line 12, with a piece of the row replaced."""
    assert old in ROW
    return agentic(ROW.replace(old, new) if old else ROW, runner=FLEET)


def unfit(*reasons: tuple[int, str], at: int = 4, point: str = POINT):
    """Return why no variant fits a point, by the lines of the recipe."""
    head = f"{RECIPE}: no variant fits concurrency {at}, {point}; {FIT}"
    return [head, *(f"{RECIPE}:{line}: {what}" for line, what in reasons)]


SERVER = "        tensor-parallel-size: 8\n"

FILES = {
    "1.3-a-missing-file": (
        row("toy.yaml", "tiy.yaml"), BASE + GROUPS,
        [f"{MASTER}:12: there is no recipe tiy.yaml; did you mean toy.yaml?"],
    ),
    "1.3-a-missing-variant": (
        row("toy.yaml", "'toy.yaml:override_c8'"), BASE + GROUPS,
        [f"{MASTER}:12: {AGENTIC}.srt-recipe: toy.yaml:override_c8 names no variant; {REMEDY}",
         f"{RECIPE}:1: no variant is named override_c8; did you mean override_c4?"],
    ),
    "1.3-a-selector-of-a-plain-file": (
        row("toy.yaml", "'toy.yaml:override_c4'"), PLAIN,
        [f"{MASTER}:12: {AGENTIC}.srt-recipe: toy.yaml:override_c4 names no variant; {REMEDY}",
         (f"{RECIPE}:1: the selector override_c4 names no variant: the file is no bundle; "
         "leave the selector out")],
    ),
    "1.3-a-missing-recipe-of-the-evaluation": (
        row("srt-recipe: toy.yaml", "srt-recipe: toy.yaml, eval-srt-recipe: toy-eval.yaml"),
        BASE + GROUPS,
        [f"{MASTER}:12: there is no recipe toy-eval.yaml; did you mean toy.yaml?"],
    ),
    "1.3-an-undefined-fabric": (
        row(), recipe(SERVER, f"{SERVER}      env: {{HCA: '@fabric.nccl-ib-hcb'}}\n"),
        bound(f"{RECIPE}:13: roles.agg.env.HCA: @fabric.nccl-ib-hcb is not defined; "
              "did you mean @fabric.nccl-ib-hca?"),
    ),
    "1.3-an-undefined-size": (
        row(), recipe(SERVER, f"{SERVER}        hicache-size: '@dram.per-gpu-gbs'\n"),
        bound(f"{RECIPE}:13: roles.agg.args.hicache-size: @dram.per-gpu-gbs is not defined; "
              "did you mean @dram.per-gpu-gb?"),
    ),
    "1.3-a-size-without-a-budget": (
        row(), recipe(SERVER, f"{SERVER}        hicache-size: '@dram.per-gpu-gb'\n"),
        bound(f"{RECIPE}:13: roles.agg.args.hicache-size: @dram.per-gpu-gb is not defined: the "
              "row has no DRAM budget; set kv-offloading: dram there"),
    ),
}  # fmt: skip

CHOICE = {
    "1.8-no-variant": (
        row("[4, 20]", "[8]"), BASE + GROUPS,
        bound(*unfit((16, "override_c20: CONC is 20"), (14, "override_c4: CONC is 4"), at=8),
              at="8"),
    ),
    "1.8-several-variants": (
        row(), recipe("'20'", "'4'"),
        [*bound(f"{RECIPE}: 2 variants fit concurrency 4, {POINT}; name one: FILE:SELECTOR",
                f"{RECIPE}:16: override_c20 fits: benchmark.env.CONC is 4",
                f"{RECIPE}:14: override_c4 fits: benchmark.env.CONC is 4", at="4"),
         *bound(*unfit((16, "override_c20: CONC is 4"), (14, "override_c4: CONC is 4"), at=20),
                at="20")],
    ),
    "1.8-another-offload-than-the-row": (
        row("[4, 20]", "[4]"), recipe("{CONC: '4'}", "{CONC: '4', KV_OFFLOADING: dram}"),
        bound(*unfit((16, "override_c20: CONC is 20"),
                     (14, "override_c4: KV_OFFLOADING is dram")), at="4"),
    ),
    "1.8-an-open-variant-beside-one-that-fits": (
        row("[4, 20]", "[4]"), recipe("override_c20:\n  benchmark: {env: {CONC: '20'}}",
                                      "override_any:\n  roles: {agg: {args: {a: 1}}}"),
        bound(f"{RECIPE}: 2 variants fit concurrency 4, {POINT}; name one: FILE:SELECTOR",
              f"{RECIPE}:15: override_any fits: it states no concurrency",
              f"{RECIPE}:14: override_c4 fits: benchmark.env.CONC is 4", at="4"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES | CHOICE)
def test_a_row_without_its_recipe_is_refused(rows, case):
    master, text, lines = (FILES | CHOICE)[case]
    assert rows(master, text) == refused(2, "\ninfx: ".join(lines))


def test_a_cluster_that_defines_no_fabric(rows):
    text = server(a="'@fabric.nccl-ib-hca'")
    assert rows(agentic(ONE, runner="cluster:plain"), text) == refused(
        2,
        "\ninfx: ".join(
            bound(
                f"{RECIPE}:12: roles.agg.args.a: @fabric.nccl-ib-hca is not defined; "
                "the cluster defines no fabric names",
                at="4",
            )
        ),
    )


def test_the_block_of_the_lane_is_bound_too(rows):
    said = rows(row(), BASE + GROUPS, block="benchmark:\n  env: {A: '@dram.total'}\n")
    assert said == refused(
        2,
        "\ninfx: ".join(
            bound(
                "srt-recipes/agentic-single.yaml:2: benchmark.env.A: @dram.total is not defined; "
                "did you mean @dram.total-gb?"
            )
        ),
    )


def test_every_row_and_every_reason_is_told_at_once(rows):
    """A missing file and a variant that does not fit stand in two rows; each breaks two rules."""
    lost = ONE.replace("toy.yaml", "tiy.yaml")
    said = rows(
        agentic(f"{lost}}},\n        {{{ONE.replace('[4]', '[8]')}", runner=FLEET),
        recipe("engine: sglang", "engine: vllm", PLAIN).replace("nodes: 1", "nodes: 2"),
    )
    assert said.verdict == [
        f"infx: {MASTER}:12: there is no recipe tiy.yaml; did you mean toy.yaml?",
        (
            f"infx: {MASTER}:13: {AGENTIC[:-1]}1.srt-recipe: toy.yaml cannot be bound at "
            f"concurrency 8; {REMEDY}"
        ),
        f"infx: {RECIPE}: the recipe does not fit concurrency 8, {POINT}; {FIT}",
        f"infx: {RECIPE}:3: the recipe: the engine is vllm, the row has sglang ({MASTER}:13)",
        (
            f"infx: {RECIPE}:7: the recipe: roles.agg has 2 nodes, a row on one node has 1 "
            f"({MASTER}:13)"
        ),
    ]


def test_what_is_not_asked_for_is_not_bound_and_august_binds_nothing(rows, infx):
    assert rows(row("[4, 20]", "[4, 8]"), BASE + GROUPS).code == 2
    assert infx("matrix", "generate", "--conc", 4).code == 0
    assert infx("matrix", "generate", "--edition", "2026-08").code == 0


def test_rows_that_fit_pass(rows):
    said = rows(row(), BASE + GROUPS, block="benchmark: {type: custom, command: x}\n")
    assert (said.code, said.err) == (0, "")
    draft = "tp: 8, spec-decoding: draft_model, conc-list: [4], srt-recipe: toy.yaml"
    text = server(speculative_algorithm="DFLASH", speculative_num_draft_tokens=8)
    assert rows(single(draft, runner=FLEET), text).code == 0
