"""A share of memory is not between 0 and 1.

What: looks at the settings that are shares: of a GPU's memory (`mem-fraction-static`,
`gpu-memory-utilization`, `free_gpu_memory_fraction`), of host memory
(`hicache-host-memory-fraction`), of sliding-window against full KV tokens
(`swa-full-tokens-ratio`).

Why: a percentage where a fraction is meant, or a missing point, only fails after the weights are
loaded; all of a GPU leaves nothing for activations.

Fails: `mem-fraction-static: 85`; `gpu-memory-utilization: 1.0`.

Passes: 0.85; 1 for the shares that may be whole.

Fix: write the share as a fraction.
"""

from collections.abc import Iterator

from infx.errors import Problem
from infx.recipes.binding import Binding
from infx.recipes.lint import Context
from infx.recipes.settings import role_settings, roles_of, stated, where

BELOW_ONE = (
    "mem-fraction-static",
    "gpu-memory-utilization",
    "kv_cache_config.free_gpu_memory_fraction",
)
UP_TO_ONE = ("hicache-host-memory-fraction", "swa-full-tokens-ratio")


def check(binding: Binding, context: Context) -> Iterator[Problem]:
    """Yield a problem for each stated share outside its range."""
    for name in roles_of(binding):
        settings = role_settings(binding, name)
        for share in BELOW_ONE + UP_TO_ONE:
            setting = stated(settings, share)
            value = None if setting is None else _number(setting.value)
            if setting is None or value is None:
                continue
            if value <= 0 or value > 1 or (value == 1 and share in BELOW_ONE):
                yield Problem(
                    f"{setting.spelling} of {name} is {setting.value}",
                    where(binding, setting.path),
                    f"write a fraction below 1, such as {value / 100:g}"
                    if 1 < value < 100
                    else "write a fraction between 0 and 1",
                )


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None
