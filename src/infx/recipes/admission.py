"""How many requests a role decodes at once, and how many of them its CUDA graphs cover."""

from dataclasses import dataclass

from pydantic import JsonValue

from infx.recipes.binding import Binding
from infx.recipes.effects import effective, rules_of
from infx.recipes.settings import Setting, Settings, count, is_on, role_settings, stated
from infx.recipes.topology import RoleFacts, facts, whole

_LIMITS = {
    "sglang": "max-running-requests",
    "vllm": "max-num-seqs",
    "atom": "max-num-seqs",
    "trtllm": "max_batch_size",
}


@dataclass(frozen=True, slots=True)
class Server:
    """The workers of one role, and what they state on their command line."""

    name: str
    engine: str | None
    role: RoleFacts
    settings: Settings

    @property
    def ranks(self) -> int:
        """The schedulers over all workers: data-parallel ranks, each with a batch of its own."""
        return ranks_of(self.role, self.engine) * (self.role.workers or 1)

    def share(self, concurrency: int) -> int:
        """Return the requests of one rank when `concurrency` of them are spread evenly."""
        return -(-concurrency // self.ranks)


@dataclass(frozen=True, slots=True)
class Limit:
    """A number that one rank keeps to, and the setting that says so (None: the engine's rule)."""

    per_rank: int
    name: str
    setting: Setting | None = None


def serving(binding: Binding, *names: str) -> Server | None:
    """Return the first of these roles that the recipe has."""
    known = facts(binding.tree)
    name = next((name for name in names if name in known.roles), None)
    if name is None:
        return None
    return Server(name, known.engine, known.roles[name], role_settings(binding, name))


def decoder(binding: Binding) -> Server | None:
    """Return the role that generates, None for a recipe without one."""
    return serving(binding, "decode", "agg")


def ranks_of(role: RoleFacts, engine: str | None) -> int:
    """Count the data-parallel ranks of one worker; TensorRT-LLM has one a GPU of its TP group."""
    if engine == "trtllm":
        return (role.tp or 1) if role.dp_attention else 1
    return role.dp or 1


def admitted(server: Server) -> Limit | None:
    """Return how many requests one rank runs at once; None when that is not stated.

    SGLang's number is the worker's, and attention data parallelism divides it; the other engines
    state it for one rank.
    """
    name = _LIMITS.get(server.engine or "")
    if name is None:
        return None
    setting = stated(server.settings, name)
    limit = _limit(server, name, setting)
    if limit is None:
        return None
    if server.engine == "sglang" and server.role.dp_attention:
        limit //= server.role.dp or 1
    return Limit(limit, setting.spelling if setting else name, setting)


def _limit(server: Server, name: str, setting: Setting | None) -> int | None:
    if setting is not None:
        return whole(setting.value)
    ruled = effective(name, server.settings, rules=rules_of(server.engine), facts={})
    return whole(ruled.value) if ruled is not None and ruled.certain else None


def graphs(server: Server) -> Limit | None:
    """Return how many requests of one rank the stated CUDA graphs cover.

    None where graphs are off, or where their sizes are left to the engine.
    """
    if server.engine == "sglang":
        return _sglang_graphs(server.settings)
    if server.engine == "vllm":
        return _vllm_graphs(server)
    if server.engine == "trtllm":
        return _largest(
            server.settings, "cuda_graph_config.max_batch_size", "cuda_graph_config.batch_sizes"
        )
    return None


def _sglang_graphs(settings: Settings) -> Limit | None:
    if is_on(settings, "disable-cuda-graph", "disable-decode-cuda-graph"):
        return None
    return _largest(settings, "cuda-graph-bs-decode", "cuda-graph-max-bs-decode")


def _vllm_graphs(server: Server) -> Limit | None:
    """Return vLLM's sizes in requests: it counts tokens, and a draft adds its own to each."""
    settings = server.settings
    mode = stated(settings, "compilation-config.cudagraph_mode")
    if is_on(settings, "enforce-eager") or (mode and str(mode.value).upper() == "NONE"):
        return None
    found = _largest(settings, "cudagraph-capture-sizes", "max-cudagraph-capture-size")
    if found is None:
        return None
    tokens = 1 + (count(settings, "speculative-config.num_speculative_tokens") or 0)
    return Limit(found.per_rank // tokens, found.name, found.setting)


def _largest(settings: Settings, *names: str) -> Limit | None:
    setting = stated(settings, *names)
    size = None if setting is None else _top(setting.value)
    return None if setting is None or size is None else Limit(size, setting.spelling, setting)


def _top(value: JsonValue) -> int | None:
    if not isinstance(value, list):
        return whole(value)
    sizes = [size for one in value if (size := whole(one)) is not None]
    return max(sizes, default=None)
