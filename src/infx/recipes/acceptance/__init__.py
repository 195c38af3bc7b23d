"""Golden acceptance: which curve a recipe is held to, and how an engine is made to keep it.

A module of an engine defines `ENVIRONMENT`, the variables by which the engine simulates acceptance,
and four functions of a role: `read` says how it speculates, `force` what makes it accept a given
length, `release` what makes it verify for real, and `stated` which lengths it has itself.
"""

ENGINES = {
    "sglang": "infx.recipes.acceptance.sglang",
    "vllm": "infx.recipes.acceptance.vllm",
    "trtllm": "infx.recipes.acceptance.trtllm",
    "atom": "infx.recipes.acceptance.atom",
    "tilert": "infx.recipes.acceptance.tilert",
}
"""Engine of a role -> module name."""
