"""What a checkpoint says of itself: its configuration, its quantization, what its tensors are."""

import re

from pydantic import Field, JsonValue

from infx.model.value import Value

_DRAFT = re.compile(r"(?:^|\.)(?:mtp|nextn|eagle|draft|dspark|dflash)[\w-]*(?:\.|$)", re.IGNORECASE)
_LAYER = re.compile(r"(?:^|\.)layers\.(\d+)\.")


class Checkpoint(Value):
    """The metadata of one checkpoint, without a weight of it.

    `configuration` is its `config.json`, `quantization` the part of it or of a file beside it that
    says how tensors were quantized, null where neither does. `tensors` and `draft_tensors` map a
    stored type, as safetensors names it, to the number of stored elements; those of a draft inside
    the checkpoint count in both. They are empty where no file of tensors was read.
    """

    repository: str | None = None
    revision: str | None = None
    configuration: dict[str, JsonValue]
    quantization: dict[str, JsonValue] | None = None
    tensors: dict[str, int] = Field(default_factory=dict)
    draft_tensors: dict[str, int] = Field(default_factory=dict)


def layers_of(configuration: dict[str, JsonValue]) -> int | None:
    """Return how many layers the target has, None where the configuration does not say."""
    for holder in (configuration, configuration.get("text_config")):
        if isinstance(holder, dict):
            count = holder.get("num_hidden_layers")
            if isinstance(count, int) and not isinstance(count, bool):
                return count
    return None


def is_draft_tensor(name: str, layers: int | None) -> bool:
    """Say whether a tensor belongs to a draft inside a checkpoint.

    It does by its name, or by a layer behind the target's last one.

    >>> is_draft_tensor("mtp.layers.0.fc.weight", 61), is_draft_tensor("model.layers.60.q", 61)
    (True, False)
    >>> is_draft_tensor("model.layers.61.eh_proj.weight", 61)
    True
    """
    if _DRAFT.search(name):
        return True
    layer = _LAYER.search(name)
    return layer is not None and layers is not None and int(layer[1]) >= layers
