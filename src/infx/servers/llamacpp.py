"""llama.cpp's HTTP server, from the xllamacpp wheel, behind the flags of llama-server.

`python -m infx.servers.llamacpp --model FILE --port N` serves until it gets SIGTERM or SIGINT.
Flags have the names and meanings of llama-server; a flag that is not given leaves xllamacpp's own
default (one slot, the model's context, f16 caches). It reads no environment.
Exit 2: bad flags, no such model, xllamacpp missing. Exit 3: llama.cpp would not start.
"""

import importlib.metadata
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

INTEGERS = {
    "parallel": ("n_parallel", 1, "slots: requests that are decoded at the same time"),
    "ctx-size": ("n_ctx", 0, "tokens of context over all slots; 0 takes the model's"),
    "batch-size": ("n_batch", 1, "logical maximum batch"),
    "ubatch-size": ("n_ubatch", 1, "physical maximum batch"),
    "threads": ("cpuparams.n_threads", -1, "threads for generation"),
    "threads-batch": (
        "cpuparams_batch.n_threads",
        -1,
        "threads for prompts (default: as --threads)",
    ),
    "threads-http": ("n_threads_http", -1, "threads for HTTP"),
    "predict": ("n_predict", -1, "cap of tokens a request; -1 is none"),
    "cache-reuse": ("n_cache_reuse", 0, "smallest chunk to reuse by shifting; 0 is off"),
    "cache-ram": ("cache_ram_mib", -1, "MiB of memory for prompts of idle slots; 0 is off"),
    "ctx-checkpoints": ("n_ctx_checkpoints", 0, "context checkpoints a slot"),
    "verbosity": ("verbosity", 0, "3 info, 4 also what the model and caches are"),
}
"""Flag -> setting of CommonParams, smallest value, help. -1 leaves the choice to llama.cpp."""

SWITCHES = {
    "cont-batching": ("cont_batching", "let requests join a running batch"),
    "cache-prompt": ("cache_prompt", "reuse the slot's prompt prefix"),
    "kv-unified": ("kv_unified", "one KV buffer shared by all slots"),
    "swa-full": ("swa_full", "full-size cache for sliding-window layers"),
    "context-shift": ("ctx_shift", "shift the context of endless generation"),
    "jinja": ("use_jinja", "use the model's own chat template"),
    "metrics": ("endpoint_metrics", "serve /metrics"),
    "slots": ("endpoint_slots", "serve /slots"),
    "warmup": ("warmup", "run once before the first request"),
}
"""Flag, which also has a `--no-` form -> setting of CommonParams and its help."""

CACHE_TYPES = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")
FLASH_ATTENTION = {"auto": "AUTO", "on": "ENABLED", "off": "DISABLED"}


def parser() -> ArgumentParser:
    """Return the parser of all flags."""
    flags = ArgumentParser(
        prog="python -m infx.servers.llamacpp",
        description="Serve a GGUF model with llama.cpp, until SIGTERM.",
        allow_abbrev=False,
    )
    flags.add_argument("--model", required=True, type=Path, metavar="FILE", help="GGUF file")
    flags.add_argument("--alias", metavar="NAME", help="name that /v1/models lists")
    flags.add_argument("--host", default="127.0.0.1", help="address to listen on")
    flags.add_argument(
        "--port", required=True, type=_integer(1, 65535), help="TCP port to listen on"
    )
    for name, (setting, least, text) in INTEGERS.items():
        number = _integer(least)
        flags.add_argument(f"--{name}", dest=setting, type=number, metavar="N", help=text)
    for name, (setting, text) in SWITCHES.items():
        action = BooleanOptionalAction
        flags.add_argument(f"--{name}", dest=setting, action=action, default=None, help=text)
    for name in ("cache-type-k", "cache-type-v"):
        flags.add_argument(f"--{name}", choices=CACHE_TYPES, help="type of the KV cache")
    flags.add_argument("--flash-attn", choices=tuple(FLASH_ATTENTION), help="flash attention")
    return flags


def main(arguments: Sequence[str]) -> int:
    """Serve until a signal ends the process; return an exit code when that never began."""
    talk = sys.stderr.write
    options = parser().parse_args(arguments)
    if not options.model.is_file():
        talk(f"{options.model}: no such model file; give a GGUF file with --model\n")
        return 2
    try:
        import xllamacpp
    except ImportError as error:
        talk(f"xllamacpp cannot be imported ({error}); pip install 'infx[quickstart]'\n")
        return 2
    version = importlib.metadata.version("xllamacpp")
    talk(f"infx.servers.llamacpp: xllamacpp {version}\n")
    # llama.cpp loads and serves in C++, where a Python handler would not run: the default action
    # ends the process at once, in any state. The server has no stop and keeps nothing on disk.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    settings = configure(options)
    try:
        server = xllamacpp.Server(settings)
    except RuntimeError as error:
        # Its own lines come from another thread, so they stand before or after this one.
        talk(f"llama.cpp did not start, its lines around this one say why ({error})\n")
        return 3
    talk(f"infx.servers.llamacpp: ready at {server.listening_address}\n")
    while True:
        signal.pause()


def configure(options: Namespace) -> object:
    """Return the xllamacpp.CommonParams that `options` ask for."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    for setting, value in _plain(options).items():
        owner, _, name = setting.rpartition(".")
        setattr(getattr(settings, owner) if owner else settings, name, value)
    for name in ("cache_type_k", "cache_type_v"):
        asked = getattr(options, name)
        if asked is not None:
            setattr(settings, name, xllamacpp.ggml_type[f"GGML_TYPE_{asked.upper()}"])
    if options.flash_attn is not None:
        mode = f"LLAMA_FLASH_ATTN_TYPE_{FLASH_ATTENTION[options.flash_attn]}"
        settings.flash_attn_type = xllamacpp.llama_flash_attn_type[mode]
    return settings


def _plain(options: Namespace) -> dict[str, object]:
    """Return the settings whose values need no type of llama.cpp, by their path."""
    settings: dict[str, object] = {
        "model.path": str(options.model),
        "hostnames": [options.host],
        "port": options.port,
    }
    if options.alias:
        settings["model_alias"] = {options.alias}
    names = [row[0] for row in INTEGERS.values()] + [row[0] for row in SWITCHES.values()]
    for setting in names:
        value = getattr(options, setting)
        if value is not None:
            settings[setting] = value
    if "cpuparams.n_threads" in settings:
        settings.setdefault("cpuparams_batch.n_threads", settings["cpuparams.n_threads"])
    return settings


def _integer(least: int, most: int = 2**31 - 1) -> Callable[[str], int]:
    def convert(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise ArgumentTypeError(f"{number} is not between {least} and {most}")
        return number

    # argparse names the type by this word when `int` refuses the text.
    convert.__name__ = "whole number"
    return convert


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
