"""Runs in a child where vLLM is installed: builds its parser, and writes its flags as JSON."""

import json
from collections.abc import Callable
from importlib import import_module, metadata
from typing import Any, TextIO

from infx.recipes.live_parser import arguments

FRONTENDS = ("vllm.entrypoints.launchers.cli_args", "vllm.entrypoints.openai.cli_args")
PARSERS = ("vllm.utils.argparse_utils", "vllm.utils")


def main(output: TextIO) -> None:
    """Write `{"version", "flags"}` as the last line; raises ImportError without vLLM."""
    blank = _first(PARSERS, "FlexibleArgumentParser")()
    parser = _first(FRONTENDS, "make_arg_parser")(blank)
    flags = {one.name: one.flag().model_dump_json() for one in arguments(parser)}
    output.write(f"\n{json.dumps({'version': metadata.version('vllm'), 'flags': flags})}\n")


def _first(modules: tuple[str, ...], name: str) -> Callable[..., Any]:
    """Return what the first module that there is calls `name`."""
    for module in modules:
        try:
            found: Callable[..., Any] = getattr(import_module(module), name)
        except (ImportError, AttributeError):
            continue
        return found
    raise ImportError(f"no {name} in {', '.join(modules)}")
