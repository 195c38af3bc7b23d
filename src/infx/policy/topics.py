"""What descriptions call the parts of a launch, and the settings that each of these words means."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

IMAGE = "image"

_WORDS = {
    "draft-tokens": r"token count|number of draft tokens|draft (?:tokens|lengths?)",
    "draft": r"drafts?(?:\s+(?:models?|checkpoints?|heads?))?(?!\s+(?:tokens|length|att|kv))",
    "model": r"(?:models?|checkpoints?)(?!\.)",
    IMAGE: r"images?",
    "topology": r"topolog(?:y|ies)|parallelism|(?:TP|EP|PP|DP)-?[0-9]{1,4}",
    "cache": r"hicache(?:\s+size)?|kv[- ]offload(?:ing)?",
    "quantization": r"quanti[sz]ation",
    "recipe": r"recipes?",
}
"""Topics by the words that name them in prose; the first that fits takes its words."""

_READ = {
    name: re.compile(rf"(?<![\w-])(?:{words})\b", re.IGNORECASE) for name, words in _WORDS.items()
}

_SETTINGS: dict[str, tuple[str, ...]] = {
    "draft-tokens": (
        *("speculative-num-*", "speculative-eagle-topk", "speculative-dspark-block-size"),
        *("*num-speculative-tokens", "*max-draft-len", "num-mtp"),
    ),
    "draft": (
        *("speculative-draft-model-*", "speculative-algorithm", "draft-model", "method"),
        *("speculative-config.model", "speculative-config.revision", "speculative-config.method"),
    ),
    "model": ("model", "model-path", "model.path", "identity.model.*", "revision", "row.model"),
    IMAGE: (IMAGE, "model.container", "identity.container.image", "row.image"),
    "topology": (
        *("*tp-size", "*ep-size", "*pp-size", "*dp-size", "*dcp-size", "tp", "ep", "pp", "dp"),
        *("tensor-parallel-size", "expert-parallel-size", "pipeline-parallel-size"),
        *("data-parallel-size", "moe-expert-parallel-size", "enable-expert-parallel"),
        *("enable-dp-attention", "roles.*.nodes", "roles.*.workers", "roles.*.gpus", "row.tp"),
        *("row.ep", "row.pp", "row.pcp-size", "row.dcp-size", "row.dp-attn", "row.disagg"),
        *("row.prefill.*", "row.decode.*", "resources.*"),
    ),
    "cache": ("hicache-*", "enable-hierarchical-cache", "row.kv-*", "row.total-cpu-dram-gb"),
    "quantization": ("quantization", "speculative-draft-model-quantization", "row.precision"),
    "recipe": ("*",),
}
"""The settings of a topic, as patterns of names; whatever else is named is a setting itself."""


def named(text: str) -> Iterator[str]:
    """Yield the topics that a piece of prose names, in the order of its words, each once."""
    taken: list[tuple[int, int, str]] = []
    for topic, pattern in _READ.items():
        for match in pattern.finditer(text):
            if all(match.end() <= start or end <= match.start() for start, end, _ in taken):
                taken.append((match.start(), match.end(), topic))
    yield from dict.fromkeys(topic for _, _, topic in sorted(taken))


def means(topic: str, setting: str) -> bool:
    """Say whether a word of a claim, a topic or a setting's own name, means a setting.

    >>> [means(one, "hicache-size") for one in ("cache", "--hicache_size", "draft")]
    [True, True, False]
    """
    name = _plain(setting)
    return any(fnmatchcase(name, one) for one in _SETTINGS.get(topic, (_plain(topic),)))


def _plain(name: str) -> str:
    return name.strip("`").lstrip("-").replace("_", "-").lower()
