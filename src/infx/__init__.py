"""infx: continuous benchmarking of LLM inference servers.

`infx.bench(...)` measures an endpoint, `infx.open_run(...)` reads what was measured.
Both are imported at their first use, so that the command line starts fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infx.flows.api import bench
    from infx.flows.runs import open_run

__all__ = ["bench", "open_run"]

_HOMES = {"bench": "infx.flows.api", "open_run": "infx.flows.runs"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the protocol of module attributes
    if name not in _HOMES:
        raise AttributeError(f"infx has no attribute {name}")
    return getattr(import_module(_HOMES[name]), name)
