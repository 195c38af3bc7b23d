"""Which files of a repository say what is run, by their paths in a snapshot."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from infx.errors import InputError, Problem
from infx.store.catalog import FOLDERS, MASTERS, RUNNERS
from infx.store.recipes import LANES, ROOTS, SHARED, spellings

MASTER = MASTERS.removeprefix("*")


@dataclass(frozen=True, slots=True)
class Sources:
    """Master files, the runner file, folders of recipes, and the folders from which paths count.

    `home` is the folder of the masters: shared blocks of recipes stand in its `srt-recipes`.
    """

    masters: tuple[str, ...]
    runners: str
    roots: tuple[str, ...]
    home: str

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path whose content matters; folders stand for all that is under them."""
        return (*self.masters, self.runners, *self.roots, *self.shared.values())

    @property
    def shared(self) -> dict[str, str]:
        """The file of each lane's shared block."""
        return {lane: _join(self.home, SHARED, f"{lane}.yaml") for lane in LANES}

    def recipe(self, name: str, files: Collection[str]) -> str | None:
        """Return the file that a row calls its recipe, None where no folder has it."""
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            return None
        under = (_join(root, str(one)) for root in self.roots for one in spellings(path))
        return next((file for file in under if file in files), None)


def find_sources(
    files: Iterable[str],
    start: str,
    *,
    masters: Sequence[str] = (),
    runners: str | None = None,
    roots: Sequence[str] = (),
) -> Sources:
    """Return the files that are named, and look in `files` for those that are not.

    `start` is the folder from which `FOLDERS` are searched. Raises InputError where nothing is
    found, or a named file is missing.
    """
    known = frozenset(files)
    found = tuple(masters) or _masters(known, start)
    if not found:
        what = f"no {MASTERS} in {', '.join(FOLDERS)}"
        raise InputError(Problem(what, start or ".", "name them: --config-files --runner-config"))
    home = str(PurePosixPath(found[0]).parent)
    home = "" if home == "." else home
    runner_file = runners or _join(home, RUNNERS)
    missing = [path for path in (*found, runner_file) if path not in known]
    if missing:
        remedy = "commit it, or look at the work tree with --worktree"
        raise InputError(
            *(Problem("neither side has such a file", path, remedy) for path in missing)
        )
    return Sources(found, runner_file, tuple(roots) or _roots(known, home), home)


def _masters(files: frozenset[str], start: str) -> tuple[str, ...]:
    for folder in FOLDERS:
        home = _join(start, folder)
        prefix = f"{home}/" if home else ""
        found = sorted(
            path
            for path in files
            if path.endswith(MASTER) and path.startswith(prefix) and "/" not in path[len(prefix) :]
        )
        if found:
            return tuple(found)
    return ()


def _roots(files: frozenset[str], home: str) -> tuple[str, ...]:
    candidates = (_join(folder, root) for folder in _upward(home) for root in ROOTS)
    return tuple(
        dict.fromkeys(
            root for root in candidates if any(path.startswith(f"{root}/") for path in files)
        )
    )


def _upward(home: str) -> tuple[str, ...]:
    """Return a folder, its parent, and the parent of that."""
    parts = PurePosixPath(home).parts
    return tuple("/".join(parts[: len(parts) - up]) for up in range(min(2, len(parts)) + 1))


def _join(*parts: str) -> str:
    """Join parts of a path inside the repository; `..` goes up, and nothing leaves the root."""
    words: list[str] = []
    for word in "/".join(parts).split("/"):
        if word == "..":
            del words[-1:]
        elif word not in ("", "."):
            words.append(word)
    return "/".join(words)
