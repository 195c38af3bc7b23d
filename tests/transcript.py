"""A command line as a transcript: what it said on both streams, and its exit code."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from infx.cli.main import main

CONSOLE = str(Path(sys.executable).with_name("infx"))
"""The installed command, for tests that need a process of its own."""

_RUN = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}")


@dataclass(frozen=True)
class Transcript:
    """What a command said; every run id is written as RUN."""

    code: int
    out: str
    err: str

    @property
    def verdict(self) -> list[str]:
        """The lines of stderr that say what is wrong."""
        return [line for line in self.err.splitlines() if line.startswith("infx: ")]


def refused(code: int, line: str) -> Transcript:
    """Return the transcript of a command that does nothing but say what is wrong."""
    return Transcript(code, "", f"infx: {line}\n")


Infx = Callable[..., Transcript]


@pytest.fixture
def infx(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Infx:
    """Run a command line in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Transcript:
        argv = list(map(str, words))
        monkeypatch.setattr(sys, "argv", ["infx", *argv])
        code = main(argv)
        said = capsys.readouterr()
        return Transcript(code, anonymous(said.out), anonymous(said.err))

    return run


def anonymous(text: str) -> str:
    return _RUN.sub("RUN", text)


def only_run(folder: Path) -> Path:
    """Return the one run bundle under `folder`."""
    (run,) = (path.parent for path in folder.glob("*/manifest.json"))
    return run
