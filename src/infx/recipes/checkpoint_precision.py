"""In which precision a checkpoint stores its weights, or those of the draft inside it."""

from collections.abc import Mapping

from pydantic import JsonValue

from infx.model.checkpoint import Checkpoint
from infx.model.draft import Part
from infx.model.precision import Precision

PLAIN: Mapping[str, Precision] = {"BF16": "bf16", "F16": "fp16", "F32": "fp32"}
_FP8 = ("F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ")
_PACKED = {"U8": 2, "I8": 2, "F4": 1, "F4_E2M1": 1, "I32": 8}
"""Stored types that hold several values in an element, where the algorithm has four bits."""

_ALGORITHMS: tuple[tuple[str, Precision], ...] = (
    ("nvfp4", "nvfp4"),
    ("mxfp4", "mxfp4"),
    ("w4a16", "int4"),
    ("awq", "int4"),
    ("gptq", "int4"),
    ("int4", "int4"),
    ("mxfp8", "mxfp8"),
    ("fp8", "fp8"),
    ("int8", "int8"),
)
_NAMES = ("quant_algo", "quant_method", "format", "fmt", "weight_dtype")


def stored(checkpoint: Checkpoint | None, *, inside: bool) -> Part:
    """Return the precision of most of the stored values.

    Of the draft's own tensors where it is `inside` the target's checkpoint, else of all.
    """
    if checkpoint is None:
        return Part(precision=None, how="unknown", because="its checkpoint was not read")
    tensors = checkpoint.draft_tensors if inside else checkpoint.tensors
    if not tensors:
        what = "no tensor of a draft was found in it" if inside else "its tensors were not read"
        return _declared(checkpoint, inside=inside, what=what)
    four_bits = _four_bits(checkpoint)
    values = {
        kind: count * (_PACKED[kind] if kind in _PACKED and four_bits else 1)
        for kind, count in tensors.items()
    }
    kind = max(values, key=lambda one: (values[one], one))
    precision = _precision(kind, checkpoint)
    share = values[kind] / sum(values.values())
    because = f"{share:.1%} of its values are stored as {kind}"
    if precision is None:
        because += ", and no quantization says what that is"
        return Part(precision=None, how="unknown", because=because)
    return Part(precision=precision, how="checkpoint", because=because)


def kv_cache(checkpoint: Checkpoint | None) -> Part:
    """Return what `auto` makes of a KV cache: what the checkpoint names for it, else its type."""
    if checkpoint is None:
        return Part(precision=None, how="unknown", because="auto, and no checkpoint was read")
    words = _values(checkpoint.quantization, ("kv_cache_quant_algo", "kv_cache_dtype"))
    named = [str(word).lower() for word in words]
    if any("fp8" in word for word in named):
        because = f"auto: its checkpoint names {words[0]} for it"
        return Part(precision="fp8", how="checkpoint", because=because)
    if named:
        return Part(precision=None, how="unknown", because=f"auto: its checkpoint names {words[0]}")
    for holder in (checkpoint.configuration, checkpoint.configuration.get("text_config")):
        for name in ("dtype", "torch_dtype"):
            word = str(holder.get(name)) if isinstance(holder, dict) else ""
            if word.removeprefix("torch.") in _WORDS:
                because = f"auto: its checkpoint's {name} is {word}"
                precision = _WORDS[word.removeprefix("torch.")]
                return Part(precision=precision, how="checkpoint", because=because)
    return Part(precision=None, how="unknown", because="auto, and its checkpoint names no type")


def algorithm(checkpoint: Checkpoint) -> Precision | None:
    """Return what the quantization of a checkpoint is by its own words, None for none."""
    words = [str(one).lower() for one in _values(checkpoint.quantization, _NAMES)]
    for mark, precision in _ALGORITHMS:
        if any(mark in word.replace("-", "").replace("_", "") for word in words):
            return precision
    return None


def _declared(checkpoint: Checkpoint, *, inside: bool, what: str) -> Part:
    """Return what the configuration declares, where no tensors tell and nothing is quantized."""
    if checkpoint.quantization is None and not inside:
        for name in ("dtype", "torch_dtype"):
            word = str(checkpoint.configuration.get(name, "")).removeprefix("torch.")
            precision = _WORDS.get(word)
            if precision is not None:
                because = f"its configuration says {name} {word} and no quantization"
                return Part(precision=precision, how="checkpoint", because=because)
    return Part(precision=None, how="unknown", because=what)


_WORDS: Mapping[str, Precision] = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}


def _precision(kind: str, checkpoint: Checkpoint) -> Precision | None:
    if kind in PLAIN:
        return PLAIN[kind]
    found = algorithm(checkpoint)
    if kind in _FP8:
        return "mxfp8" if found == "mxfp8" else "fp8"
    return found if kind in _PACKED else None


def _four_bits(checkpoint: Checkpoint) -> bool:
    return algorithm(checkpoint) in ("nvfp4", "mxfp4", "int4")


def _values(value: JsonValue, names: tuple[str, ...]) -> list[JsonValue]:
    """Return all values under these names, at any depth."""
    if isinstance(value, dict):
        own = [value[name] for name in names if isinstance(value.get(name), str)]
        return own + [one for part in value.values() for one in _values(part, names)]
    if isinstance(value, list):
        return [one for part in value for one in _values(part, names)]
    return []
