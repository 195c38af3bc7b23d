import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import gitted
import toy_repository
from judged import AUGUST
from named_recipes import FILE, RECIPE, RUNNERS
from transcript import Infx, Transcript


@pytest.fixture
def repo(tmp_path: Path) -> gitted.Repo:
    """A repository with a small catalog, on a branch that has changed nothing yet."""
    return toy_repository.repository(tmp_path)


@pytest.fixture
def generate(infx: Infx, tmp_path: Path) -> Callable[..., Transcript]:
    """Generate the matrix of master texts, which stand in toy-master.yaml and z-master.yaml."""

    def run(*masters: str, runners: str = AUGUST) -> Transcript:
        for letter, text in zip(("toy", "z"), masters, strict=False):
            (tmp_path / f"{letter}-master.yaml").write_text(text)
        (tmp_path / "runners.yaml").write_text(runners)
        return infx("matrix", "generate")

    return run


@pytest.fixture
def rows(generate: Callable[..., Transcript], tmp_path: Path) -> Callable[..., Transcript]:
    """Generate the matrix of a master whose rows name recipes/toy.yaml; `block` is of its lane."""
    (tmp_path / "recipes").mkdir()

    def run(master: str, text: str, *, block: str | None = None) -> Transcript:
        (tmp_path / RECIPE).write_text(text)
        if block is not None:
            (tmp_path / "srt-recipes").mkdir()
            (tmp_path / "srt-recipes" / "agentic-single.yaml").write_text(block)
        return generate(master, runners=RUNNERS)

    return run


@pytest.fixture
def show(infx: Infx, tmp_path: Path) -> Callable[..., Transcript]:
    """Show a recipe strictly, as its own checks and our own catalog read it."""

    def run(text: str, selector: str = "", *flags: object) -> Transcript:
        (tmp_path / FILE).write_text(text)
        return infx("recipe", "show", FILE + (f":{selector}" if selector else ""), "--strict",
                    *flags)  # fmt: skip

    return run


MORE = ("conc-list: [4, 8]", "conc-list: [4, 8, 16]")
"""Changes one key of the toy catalog: it gains a point."""


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that tests copy: to make one costs more than to judge it."""
    return toy_repository.repository(tmp_path_factory.mktemp("toy")).root


@pytest.fixture
def judge(template: Path, tmp_path: Path, infx: Infx) -> Callable[..., Transcript]:
    """Check a changelog, and edits of the master, in the work tree of the toy repository."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)

    def run(
        log: str | bytes, *words: object, edits: tuple[tuple[str, str], ...] = (MORE,)
    ) -> Transcript:
        data = log.encode() if isinstance(log, str) else log
        (tmp_path / "perf-changelog.yaml").write_bytes(data)
        (tmp_path / "configs" / "toy-master.yaml").write_text(toy_repository.master(*edits))
        return infx("changelog", "check", "--base", "main", "--worktree", *words)

    return run
