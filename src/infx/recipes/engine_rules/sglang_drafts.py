"""SGLang: what a draft model gets that no setting of its own states."""

from pydantic import JsonValue

from infx.recipes.engine_rules.rule import Rule, Source

NAME = "SGLang"
VERSION = "0.5.23"

_BLOCK: tuple[JsonValue, ...] = ("DFLASH", "DSPARK")
_EAGLE: tuple[JsonValue, ...] = ("EAGLE", "EAGLE3", "NEXTN", "STANDALONE")
DRAFTED = _BLOCK + _EAGLE
"""Algorithms that draft with a model."""


def read_in(file: str, symbol: str) -> Source:
    """Name a place of the package that a rule was read in."""
    return Source(NAME, VERSION, f"srt/{file}", symbol)


SPECULATIVE = "arg_groups/speculative_hook.py"
_DFLASH = read_in(SPECULATIVE, "_handle_dflash")
_DSPARK = read_in(SPECULATIVE, "_handle_dspark")
_KV = read_in("mem_cache/kv_cache_dtype.py", "configure_kv_cache_dtype")
_SPEC_FIELDS = read_in("arg_groups/fields/spec.py", "Spec")

_DRAFT = (
    Rule(
        setting="speculative-draft-attention-backend",
        same_as="attention-backend",
        when={"speculative-algorithm": ("DFLASH",)},
        certain=False,
        because="the target's backend where the draft's layers allow it, otherwise fa4 or "
        "flashinfer: the image and the draft decide",
        source=read_in(SPECULATIVE, "_resolve_dflash_draft_attention_backend"),
    ),
    Rule(
        setting="speculative-draft-attention-backend",
        same_as="attention-backend",
        when={"speculative-algorithm": DRAFTED},
        because="the draft uses the target's backend",
        source=read_in("model_executor/model_runner.py", "resolve_draft_attention_backend"),
    ),
    Rule(
        setting="speculative-moe-runner-backend",
        value="flashinfer_trtllm",
        when={
            "speculative-algorithm": DRAFTED,
            "moe-runner-backend": ("flashinfer_megamoe",),
        },
        because="draft layers are not quantized, which flashinfer_megamoe needs",
        source=read_in("arg_groups/overrides.py", "_speculative_moe_runner_default"),
    ),
    Rule(
        setting="speculative-moe-runner-backend",
        same_as="moe-runner-backend",
        when={"speculative-algorithm": DRAFTED},
        because="the draft uses the target's MoE runner",
        source=read_in("arg_groups/overrides.py", "_speculative_moe_runner_default"),
    ),
    Rule(
        setting="speculative-moe-a2a-backend",
        value="none",
        when={"speculative-algorithm": DRAFTED, "moe-a2a-backend": ("flashinfer_megamoe",)},
        because="draft layers are not quantized, which flashinfer_megamoe needs",
        source=_SPEC_FIELDS,
    ),
    Rule(
        setting="speculative-moe-a2a-backend",
        same_as="moe-a2a-backend",
        when={"speculative-algorithm": DRAFTED},
        because="the draft uses the target's all-to-all",
        source=_SPEC_FIELDS,
    ),
    Rule(
        setting="speculative-draft-load-format",
        same_as="load-format",
        when={"speculative-algorithm": DRAFTED},
        because="the draft is loaded as the target is",
        source=_SPEC_FIELDS,
    ),
    Rule(
        setting="speculative-draft-model-path",
        same_as="model-path",
        when={"speculative-algorithm": ("DSPARK", "EAGLE", "NEXTN")},
        certain=False,
        because="the draft inside the target's checkpoint, where it has one",
        source=_DSPARK,
    ),
    Rule(
        setting="speculative-num-steps",
        value=1,
        when={"speculative-algorithm": _BLOCK},
        forced=True,
        because="a block draft is one step",
        source=_DFLASH,
    ),
    Rule(
        setting="speculative-eagle-topk",
        value=1,
        when={"speculative-algorithm": _BLOCK},
        forced=True,
        because="a block draft is one chain",
        source=_DFLASH,
    ),
    Rule(
        setting="speculative-num-draft-tokens",
        same_as="speculative-dspark-block-size",
        plus=1,
        when={"speculative-algorithm": ("DSPARK",)},
        because="the verified window is the block and one token",
        source=_DSPARK,
    ),
    Rule(
        setting="speculative-num-draft-tokens",
        same_as="speculative-dflash-block-size",
        when={"speculative-algorithm": ("DFLASH",)},
        certain=False,
        because="the block size, which without a flag stands in the draft's configuration",
        source=_DFLASH,
    ),
    Rule(
        setting="speculative-num-draft-tokens",
        same_as="speculative-num-steps",
        plus=1,
        when={"speculative-algorithm": _EAGLE, "speculative-eagle-topk": (1,)},
        forced=True,
        because="one chain of drafts is verified with one token more than it has steps",
        source=read_in(SPECULATIVE, "_handle_eagle_family"),
    ),
)

_PRECISION = (
    Rule(
        setting="dtype",
        value="bfloat16",
        certain=False,
        because="auto takes the checkpoint's own type, which is bfloat16 for current models",
        source=read_in("arg_groups/fields/model.py", "dtype"),
    ),
    Rule(
        setting="kv-cache-dtype",
        value="auto",
        certain=False,
        because="auto is fp8_e4m3 where the checkpoint names FP8 for its KV cache, else its dtype",
        source=_KV,
    ),
    Rule(
        setting="quantization",
        value="auto",
        certain=False,
        because="the checkpoint's own quantization",
        source=read_in("arg_groups/fields/model.py", "quantization"),
    ),
    Rule(
        setting="speculative-draft-model-quantization",
        same_as="quantization",
        when={"speculative-algorithm": DRAFTED},
        because="a draft without a quantization of its own gets the target's; unquant opts out",
        source=read_in("arg_groups/serving_hook.py", "handle_missing_default_values"),
    ),
    Rule(
        setting="speculative-draft-kv-cache-dtype",
        same_as="dtype",
        when={
            "speculative-algorithm": ("DFLASH",),
            "speculative-draft-attention-backend": ("fa4",),
        },
        forced=True,
        because="fa4 cannot read quantized KV: a DFlash draft gets the compute dtype, "
        "whatever was asked",
        source=_KV,
    ),
    Rule(
        setting="speculative-draft-kv-cache-dtype",
        same_as="kv-cache-dtype",
        when={"speculative-algorithm": DRAFTED},
        because="a draft without a KV dtype of its own inherits the target's",
        source=_SPEC_FIELDS,
    ),
)

DRAFT_RULES = _DRAFT + _PRECISION
