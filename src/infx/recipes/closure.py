"""The files of a repository that a run rests on: those it names, and what those run in turn."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from infx.model.setting_registry import PackageRegistry
from infx.model.shell_effects import Gap
from infx.recipes.binding import Binding, Origin
from infx.recipes.shell.targets import is_of_image
from infx.recipes.shell_effects import analyse

_MOUNTED = ("/infmax-workspace/", "/workspace/")
"""Where containers see the work tree."""

_SCRIPT = re.compile(r"\.(?:sh|bash|py)$")
_DATA = re.compile(r"\.(?:sh|bash|py|json|ya?ml|jinja2?|txt|csv|toml|patch|diff)$")
_BETWEEN = re.compile(r"[^\w./+-]+")
_COMMENT = re.compile(r"(?m)^[ \t]*#.*$")

MAX_CHARACTERS = 256 * 1024
"""Characters of one script that are read."""

MAX_FILES = 500
"""Files of one closure; beyond them nobody says what else there is."""


@dataclass(frozen=True, slots=True)
class Closure:
    """The paths that are rested on, each with what names it, and what nobody could read."""

    files: Mapping[str, str]
    gaps: tuple[Gap, ...]


@dataclass(slots=True)
class Closures:
    """Closures of one commit: `paths` are all its files, `texts` those of scripts by path."""

    paths: Iterable[str]
    texts: Mapping[str, str]
    packages: PackageRegistry
    _by_name: dict[str, list[str]] = field(default_factory=dict)
    _read: dict[str, tuple[dict[str, None], tuple[Gap, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in self.paths:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def of(self, binding: Binding) -> Closure:
        """Return the closure of a bound recipe, without the recipe itself: its digest has that."""
        own = binding.file.rpartition(":")[2]  # a base's file has its commit before it
        roots: dict[str, str] = {}
        gaps: list[Gap] = []
        for origin, word in _words(binding):
            found = [path for path in self.named(word) if path != own]
            roots.update((path, origin.where) for path in found if path not in roots)
            if not found and _SCRIPT.search(word) and not is_of_image(word):
                what = f"the text of {word} is not given"
                place = {"file": origin.file, "line": origin.line, "path": word}
                gaps.append(Gap.model_validate({"kind": "absent", "what": what, **place}))
        return self.reached(roots, gaps)

    def reached(self, roots: Mapping[str, str], gaps: Iterable[Gap] = ()) -> Closure:
        """Return the closure of files, given with the places that name them."""
        files = dict(roots)
        told = dict.fromkeys(gaps)
        queue = list(roots)
        while queue:
            path = queue.pop(0)
            inner, missing = self._inside(path)
            told.update(dict.fromkeys(missing))
            fresh = [one for one in inner if one not in files]
            if len(files) + len(fresh) > MAX_FILES:
                what = f"more than {MAX_FILES} files are rested on"
                told[Gap(kind="limit", file=path, line=1, what=what)] = None
                break
            files.update((one, path) for one in fresh)
            queue += fresh
        return Closure(files, tuple(told))

    def named(self, word: str) -> tuple[str, ...]:
        """Return the files that a word names: by their path, by an end of it, or by their name."""
        for start in _MOUNTED:
            word = word.removeprefix(start)
        word = word.removeprefix("./").lstrip("/")
        same = self._by_name.get(word.rpartition("/")[2], [])
        if "/" not in word:
            return tuple(same)
        return tuple(one for one in same if _ends(one, word) or _ends(word, one))

    def _inside(self, path: str) -> tuple[dict[str, None], tuple[Gap, ...]]:
        """Return what a file runs, sources, imports or names, and what of it is missing."""
        if path not in self._read:
            self._read[path] = ({}, ())
            if _SCRIPT.search(path) and path in self.texts:
                self._read[path] = self._script(path, self.texts[path])
        return self._read[path]

    def _script(self, path: str, text: str) -> tuple[dict[str, None], tuple[Gap, ...]]:
        if len(text) > MAX_CHARACTERS:
            what = f"longer than {MAX_CHARACTERS} characters"
            return {}, (Gap(kind="limit", file=path, line=1, what=what),)
        found: dict[str, None] = {}
        gaps: tuple[Gap, ...] = ()
        if path.endswith(".py"):
            try:
                modules = list(_imports(ast.parse(text), path))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                gaps = (Gap(kind="syntax", file=path, line=1, what="not Python that parses"),)
                modules = []
            for module in modules:
                found.update(dict.fromkeys(self._module(module)))
        else:
            report = analyse(path, self.texts, self.packages)
            found.update(dict.fromkeys(one for one in report.sha256 if one in self.texts))
            gaps = report.gaps
        words = dict.fromkeys(_BETWEEN.split(_COMMENT.sub("", text)))
        for token in (word for word in words if _DATA.search(word)):
            named = self.named(token)
            # A bare name that several folders have is somebody's own file more often than theirs.
            found.update(dict.fromkeys(named if len(named) == 1 or "/" in token else ()))
        found.pop(path, None)
        return found, gaps

    def _module(self, name: str) -> tuple[str, ...]:
        start = name.replace(".", "/")
        found = (*self.named(f"{start}.py"), *self.named(f"{start}/__init__.py"))
        return tuple(one for one in found if _ends(one, f"{start}.py") or "__init__" in one)


def _words(binding: Binding) -> Iterator[tuple[Origin, str]]:
    """Yield the words of all texts of a recipe, each with the line that states it."""
    for path, origins in binding.origins.items():
        value: object = binding.tree
        for key in path:
            value = value[key]  # type: ignore[index]  # a path of this very tree
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                for word in text.replace(";", " ").replace("=", " ").split():
                    yield origins[0], word.strip("\"'")


def _imports(tree: ast.Module, path: str) -> Iterator[str]:
    """Yield the modules that a Python text imports, relative ones from its folder on."""
    folder = path.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = folder[: len(folder) - node.level + 1] if node.level else []
            start = ".".join([*home, *([node.module] if node.module else [])])
            yield start
            yield from (f"{start}.{one.name}" for one in node.names if one.name != "*")


def _ends(path: str, tail: str) -> bool:
    return path == tail or path.endswith(f"/{tail}")
