"""Environments of their own for the tools that are measured, made the first time they are asked."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

INSTALL_LIMIT_S = 1800
PREFERRED = "python3.12"
"""Some of the tools need it, and all of them take it."""


class Skipped(Exception):
    """Why a client cannot be measured here."""


@dataclass(frozen=True)
class Tool:
    """A package of the registry, with its version.

    With `needs` it is installed without what its metadata asks for, and these beside it: serving
    engines ask for much that their clients do not import, and for what is not published. `also` is
    another name under which it looks for its own metadata.
    """

    package: str
    needs: tuple[str, ...] = ()
    also: str | None = None


def environment(tool: Tool | None, cache: Path, interpreter: str | None = None) -> str:
    """Return the Python of a tool's environment, our own for None; raise Skipped.

    `interpreter` makes a new environment, by default 3.12 where it runs, else our own.
    """
    if tool is None:
        return sys.executable
    folder = cache / tool.package.replace("==", "-")
    python, done = folder / "bin" / "python", folder / "installed"
    if not done.exists():
        print(f"installing {tool.package} into {folder}", file=sys.stderr)
        _done(
            [interpreter or _interpreter(), "-m", "venv", "--clear", str(folder)], "no environment"
        )
        install = [str(python), "-m", "pip", "install", "--quiet"]
        alone = ["--no-deps"] if tool.needs else []
        _done([*install, *alone, tool.package], "does not install")
        if tool.needs:
            _done([*install, *tool.needs], "what it needs does not install")
        if tool.also is not None:
            _name_again(folder, tool.package, tool.also)
        done.touch()
    return str(python)


def _name_again(folder: Path, package: str, name: str) -> None:
    """Let an installed package be found under another name too."""
    own, version = package.split("==")
    written = own.replace("-", "_")
    (info,) = folder.glob(f"lib/*/site-packages/{written}-{version}.dist-info")
    other = shutil.copytree(info, info.with_name(f"{name}-{version}.dist-info"))
    metadata = other / "METADATA"
    metadata.write_text(metadata.read_text().replace(f"Name: {own}\n", f"Name: {name}\n", 1))


def _interpreter() -> str:
    found = shutil.which(PREFERRED)
    if found and not subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode:
        return found
    return sys.executable


def _done(argv: list[str], otherwise: str) -> None:
    try:
        made = subprocess.run(
            argv, capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise Skipped(f"{otherwise} within {INSTALL_LIMIT_S} s") from None
    if made.returncode:
        said = made.stderr.strip().splitlines() or ["it said nothing"]
        raise Skipped(f"{otherwise}: {said[-1][:200]}")


def tokenizer(folder: Path) -> Path:
    """Write a tokenizer of whole words that transformers loads, and return its folder."""
    path = folder / "tokenizer"
    path.mkdir(parents=True, exist_ok=True)
    words = ["[UNK]", "[BOS]", "[EOS]", *(f"word{n}" for n in range(4000))]
    model = {
        "type": "WordLevel", "unk_token": "[UNK]",
        "vocab": {word: number for number, word in enumerate(words)},
    }  # fmt: skip
    parts: dict[str, object] = {
        "version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": None, "model": model,
    }  # fmt: skip
    (path / "tokenizer.json").write_text(json.dumps(parts))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]", "bos_token": "[BOS]",
        "eos_token": "[EOS]", "model_max_length": 1_000_000,
        "chat_template": "{% for m in messages %}{{ m['content'] }} {% endfor %}",
    }  # fmt: skip
    (path / "tokenizer_config.json").write_text(json.dumps(settings))
    return path
