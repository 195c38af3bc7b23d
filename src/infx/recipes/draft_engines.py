"""What each engine calls the settings that bear on a draft's precision."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The settings of one engine, by the names of `settings.canonical`.

    `method` are those of which one says that a role speculates, `modelless` the methods that draft
    without a model. `prefix` begins every setting that speaks of a draft alone, `leads` are others
    that reach it. None is a setting that the engine does not have.
    """

    method: tuple[str, ...]
    modelless: tuple[str, ...] = ()
    draft: tuple[str, ...]
    target: tuple[str, ...]
    quantization: str | None
    target_quantization: str
    kv: str | None
    prefix: str
    leads: tuple[str, ...]


DRAFT_ENGINES: Mapping[str, Names] = MappingProxyType(
    {
        "sglang": Names(
            method=("speculative-algorithm",),
            modelless=("ngram", "none"),
            draft=("speculative-draft-model-path",),
            target=("model-path",),
            quantization="speculative-draft-model-quantization",
            target_quantization="quantization",
            kv="speculative-draft-kv-cache-dtype",
            prefix="speculative-draft-",
            leads=("quantization", "dtype", "kv-cache-dtype", "speculative-algorithm"),
        ),
        "vllm": Names(
            method=("speculative-config.method", "speculative-config.model"),
            modelless=("ngram", "suffix"),
            draft=("speculative-config.model",),
            target=("model",),
            quantization="speculative-config.quantization",
            target_quantization="quantization",
            kv="speculative-config.kv_cache_dtype",
            prefix="speculative-config.",
            leads=("quantization", "dtype", "kv-cache-dtype"),
        ),
        "trtllm": Names(
            method=("speculative_config.decoding_type",),
            modelless=("ngram", "lookahead"),
            draft=(
                "speculative_config.speculative_model",
                "speculative_config.speculative_model_dir",
            ),
            target=("model",),
            quantization=None,
            target_quantization="quant_config.quant_algo",
            kv=None,
            prefix="speculative_config.",
            leads=("kv_cache_config.dtype", "quant_config.quant_algo", "dtype"),
        ),
        "atom": Names(
            method=("method", "speculative-method"),
            draft=("draft-model",),
            target=("model",),
            quantization=None,
            target_quantization="online-quant-config",
            kv=None,
            prefix="speculative-",
            leads=("online-quant-config", "kv-cache-dtype", "dtype"),
        ),
    }
)
"""Engine -> its names. Where `quantization` is None, what a draft gets has to be observed."""
