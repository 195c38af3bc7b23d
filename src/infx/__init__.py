"""infx: continuous benchmarking of LLM inference servers.

`infx.bench(...)` measures an endpoint, `infx.replay(...)` replays recorded agent sessions against
one, `infx.open_run(...)` reads what was measured, and `infx.compare(...)` holds two runs together.
They are imported at their first use, so that the command line starts fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infx.flows.api import bench, compare, replay
    from infx.flows.runs import open_run

__version__ = "0.1.0"
__all__ = ["bench", "compare", "open_run", "replay"]

_API = "infx.flows.api"
_HOMES = {"bench": _API, "compare": _API, "open_run": "infx.flows.runs", "replay": _API}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the protocol of module attributes
    if name not in _HOMES:
        raise AttributeError(f"infx has no attribute {name}")
    return getattr(import_module(_HOMES[name]), name)
