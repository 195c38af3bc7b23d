"""llama.cpp: how its server is started, and what its start log says it runs."""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from infx.errors import InputError, Problem, nearest
from infx.model.launch import Endpoint, LaunchPlan, ProcessPlan
from infx.model.recipe import BoundRecipe

NAME = "llamacpp"

INTEGERS = frozenset(
    {
        "parallel", "ctx-size", "batch-size", "ubatch-size", "threads", "threads-batch",
        "threads-http", "predict", "cache-reuse", "cache-ram", "ctx-checkpoints", "verbosity",
    }
)  # fmt: skip
"""Flags that take a whole number."""

SWITCHES = frozenset(
    {
        "cont-batching", "cache-prompt", "kv-unified", "swa-full", "context-shift", "jinja",
        "metrics", "slots", "warmup",
    }
)  # fmt: skip
"""Flags that are true or false; `no-NAME: true` is another spelling of `NAME: false`."""

_CACHE_TYPES = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")
CHOICES = {
    "cache-type-k": _CACHE_TYPES,
    "cache-type-v": _CACHE_TYPES,
    "flash-attn": ("auto", "on", "off"),
}
"""Flags that take one of some words."""

LAUNCHER_FLAGS = {
    "model": "state the file as site.paths.weights",
    "host": "a local server listens on 127.0.0.1",
    "port": "the launcher takes a free one",
    "alias": "the server is named by the recipe's model",
}
"""Flags that `plan` sets itself, and what to do instead of stating them."""

DEFAULTS: dict[str, JsonValue] = {"metrics": True, "verbosity": 4}
"""What `plan` asks for unless the recipe does: only at verbosity 4 the log names the cache types.

It costs some twenty log lines a request, and no text of prompts or answers.
"""

_FACTS = (
    (r"infx\.servers\.llamacpp: xllamacpp (?P<xllamacpp>\S+)", str),
    (r"build_info: (?P<build>\S+)", str),
    (
        r"system_info: n_threads = (?P<threads>\d+) \(n_threads_batch = (?P<threads_batch>\d+)\)",
        int,
    ),
    (r"system_info: .*? \| (?P<cpu_features>\S.*?)[ |]*$", str),
    (r"load_model: loading model '(?P<model_path>.*)'", str),
    (r"print_info: file type\s+= (?P<quantisation>\S+)", str),
    (r"load_mode = (?P<load_mode>\w+)\)", str),
    (r"llama_context: n_ctx\s+= (?P<n_ctx>\d+)", int),
    (r"llama_context: n_batch\s+= (?P<n_batch>\d+)", int),
    (r"llama_context: n_ubatch\s+= (?P<n_ubatch>\d+)", int),
    (r"llama_context: flash_attn\s+= (?P<flash_attn>enabled|disabled)", str),
    (r"resolve_fused_ops: Flash Attention (?P<flash_attn>enabled|disabled)", str),
    (r" K \((?P<cache_type_k>\w+)\):.* V \((?P<cache_type_v>\w+)\):", str),
    (r"llama_kv_cache: size =\s+(?P<kv_cache_mib>[\d.]+) MiB", float),
    (r"prompt cache is enabled, size limit: (?P<prompt_cache_mib>\d+) MiB", int),
    (r"n_slots = (?P<n_slots>\d+), n_ctx_slot = (?P<n_ctx_slot>\d+)", int),
    (r"n_slots = .*, kv_unified = '(?P<kv_unified>\w+)'", lambda word: word == "true"),
    (r"listening on (?P<listening>http\S+)", str),
)


def plan(recipe: BoundRecipe, *, port: int, python: str) -> LaunchPlan:
    """Return how `python` starts the server of this recipe on a port of this host.

    Equal recipes give equal argv: flags are sorted by name. A flag that is null is left out.
    Raises InputError with every problem: unknown flags, wrong values, no weights, no model name,
    and what this engine is not told yet (speculation, parallel degrees, disaggregation).
    """
    problems = list(_problems(recipe))
    if problems:
        raise InputError(*problems)
    flags = {**DEFAULTS, **_spelled(recipe.flags)}
    words = [python, "-m", "infx.servers.llamacpp", "--model", recipe.site.paths["weights"]]
    words += ["--alias", str(recipe.model), "--host", "127.0.0.1", "--port", str(port)]
    for name in sorted(flags):
        words += _words(name, flags[name])
    process = ProcessPlan(name=NAME, argv=tuple(words), environment=recipe.environment)
    limit_s = recipe.site.health_limit_s
    return LaunchPlan(
        engine=NAME,
        processes=(process,),
        endpoint=Endpoint(url=f"http://127.0.0.1:{port}", model=recipe.model),
        metrics_path="/metrics" if flags["metrics"] else None,
        ready_limit_s=600.0 if limit_s is None else float(limit_s),
    )


def observe(log: str) -> dict[str, JsonValue]:
    """Return what the start log says that the server runs.

    Each fact is `{"value", "line", "text"}`: the last line before the server listened that states
    it, counted from 1. A fact that the log does not state is not there. Units stand in the names.
    """
    facts: dict[str, JsonValue] = {}
    for number, line in enumerate(log.splitlines(), start=1):
        for pattern, convert in _FACTS:
            match = re.search(pattern, line)
            for name, text in match.groupdict().items() if match else ():
                facts[name] = {"value": convert(text), "line": number, "text": line}
        if "listening" in facts:
            break
    return facts


def _problems(recipe: BoundRecipe) -> Iterator[Problem]:
    place = f"recipe {recipe.name}"
    if "weights" not in recipe.site.paths:
        yield Problem("no weights", place, "state the GGUF file as site.paths.weights")
    if not recipe.model:
        yield Problem("no model name", place, "state it as model")
    if recipe.draft is not None or recipe.speculative not in (None, "none"):
        yield Problem(
            "llamacpp is not told to speculate yet", place, "leave out draft, speculative"
        )
    for degree, size in (recipe.topology or {}).items():
        if size > 1:
            yield Problem(
                f"llamacpp runs as one process, not {degree} {size}", place, "leave it out"
            )
    if recipe.disaggregated:
        yield Problem("llamacpp serves no disaggregated roles", place, "leave it out")
    for name, value in recipe.flags.items():
        yield from _flag_problems(name, value, f"{place}, flag {name}")
        positive = name.removeprefix("no-")
        if positive != name and positive in recipe.flags:
            yield Problem(f"stated together with {positive}", f"{place}, flag {name}", "keep one")


def _flag_problems(name: str, value: JsonValue, where: str) -> Iterator[Problem]:
    known = INTEGERS | SWITCHES | CHOICES.keys()
    if name in LAUNCHER_FLAGS:
        yield Problem("set by the launcher", where, LAUNCHER_FLAGS[name])
    elif name not in known and name.removeprefix("no-") not in SWITCHES:
        yield Problem("unknown flag", where, nearest(name, sorted(known)))
    elif value is None:
        return
    elif name in INTEGERS:
        if not isinstance(value, int) or isinstance(value, bool):
            yield Problem(f"expected a whole number, got {value!r}", where)
    elif name in CHOICES:
        if value not in CHOICES[name]:
            advice = nearest(str(value), CHOICES[name])
            yield Problem(f"{value!r} is not a choice", where, advice)
    elif not isinstance(value, bool):
        yield Problem(f"expected true or false, got {value!r}", where)


def _spelled(flags: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the stated flags under their positive names; null takes a default away too."""
    spelled: dict[str, JsonValue] = {}
    for name, value in flags.items():
        positive = name.removeprefix("no-")
        spelled[positive] = not value if positive != name and value is not None else value
    return spelled


def _words(name: str, value: JsonValue) -> list[str]:
    if value is None:
        return []
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    return [f"--{name}", str(value)]
