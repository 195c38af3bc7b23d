"""What an engine does with settings that a recipe leaves open or states in vain; one file each.

A rule file has `NAME` and `VERSION` of the engine it was read in, `SPELLINGS` (what an older or
shorter name stands for) and `RULES`, in the order in which they are tried. Engines that are not
listed have no rules: nobody may say what they do.
"""

ENGINE_RULES = {
    "sglang": "infx.recipes.engine_rules.sglang",
    "vllm": "infx.recipes.engine_rules.vllm",
    "trtllm": "infx.recipes.engine_rules.trtllm",
}
