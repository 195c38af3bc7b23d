"""What a Python text changes: files that it writes, modules that it alters, commands it runs."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from infx.model.shell_effects import EffectKind
from infx.recipes.shell.found import Found
from infx.recipes.shell.python_values import PythonValues, called
from infx.recipes.shell.targets import Targets
from infx.recipes.shell.values import unresolved

MAX_CHARACTERS = 128 * 1024
"""Characters of one Python text that are read."""

_ON_OBJECT: dict[str, EffectKind] = {
    "write_text": "write",
    "write_bytes": "write",
    "touch": "write",
    "unlink": "remove",
    "symlink_to": "link",
    "hardlink_to": "link",
    "rename": "copy",
}
"""Methods of a path, by what they do to it (`rename` to its argument)."""

_BY_NAME: dict[str, tuple[EffectKind, int]] = {
    "shutil.copy": ("copy", 1),
    "shutil.copy2": ("copy", 1),
    "shutil.copyfile": ("copy", 1),
    "shutil.copytree": ("copy", 1),
    "shutil.move": ("copy", 1),
    "shutil.rmtree": ("remove", 0),
    "shutil.unpack_archive": ("extract", 1),
    "os.rename": ("copy", 1),
    "os.replace": ("copy", 1),
    "os.remove": ("remove", 0),
    "os.unlink": ("remove", 0),
    "os.truncate": ("write", 0),
    "os.symlink": ("link", 1),
    "os.link": ("link", 1),
    "os.open": ("write", 0),
    "urllib.request.urlretrieve": ("download", 1),
    "torch.save": ("write", 1),
}
"""Functions, and which argument they change."""

_STARTS = frozenset({"run", "call", "check_call", "check_output", "Popen", "system", "popen"})
_OPENS = frozenset({"open", "io.open", "codecs.open", "builtins.open", "os.fdopen"})


@dataclass(frozen=True, slots=True)
class Run:
    """A command that a Python text starts: as words, or as a shell's text."""

    words: tuple[str, ...]
    is_shell: bool


@dataclass(frozen=True, slots=True)
class Unknown:
    """What nobody can say before it runs: `dynamic`, `syntax` or `limit`, in words."""

    kind: str
    what: str


def effects(
    source: str,
    arguments: tuple[str, ...],
    look_up: Callable[[str], tuple[str, ...] | None],
    targets: Targets,
) -> Iterator[tuple[int, Found | Run | Unknown]]:
    """Yield what a Python text changes, each with its line from 1, in the order of the lines."""
    if len(source) > MAX_CHARACTERS:
        yield 1, Unknown("limit", f"Python longer than {MAX_CHARACTERS} characters")
        return
    try:
        tree = ast.parse(source)
        values = PythonValues(tree, arguments, look_up)
        nodes = sorted(
            (node for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Assign)),
            key=lambda node: (node.lineno, node.col_offset),
        )
        found = [
            (node.lineno, one)
            for node in nodes
            for one in (
                _call(node, values, targets)
                if isinstance(node, ast.Call)
                else _set(node, values, targets)
            )
        ]
    except (SyntaxError, ValueError) as error:
        line = error.lineno if isinstance(error, SyntaxError) and error.lineno else 1
        yield line, Unknown("syntax", "not Python that parses")
    except (RecursionError, MemoryError):
        yield 1, Unknown("limit", "Python nests too deep")
    else:
        yield from found


def _call(
    node: ast.Call, values: PythonValues, targets: Targets
) -> Iterator[Found | Run | Unknown]:
    name, full = called(node), _full_name(node.func, values)
    if full in _BY_NAME:
        kind, at = _BY_NAME[full]
        sources = tuple(values.of(node.args[0])) if at and node.args else ()
        for target in _argument(node, at, values):
            yield Found(kind, target, sources)
    elif full in _OPENS or (name == "open" and isinstance(node.func, ast.Attribute)):
        yield from _open(node, values)
    elif name in _ON_OBJECT and isinstance(node.func, ast.Attribute):
        is_of_argument = name == "rename"
        owner = _argument(node, 0, values) if is_of_argument else values.of(node.func.value)
        yield from (Found(_ON_OBJECT[name], target) for target in owner)
    elif name == "extractall":
        yield from (Found("extract", target) for target in _argument(node, 0, values, missing="."))
    elif full == "fileinput.input" and any(one.arg == "inplace" for one in node.keywords):
        yield from (Found("edit", target) for target in _argument(node, 0, values))
    elif name in _STARTS and full.partition(".")[0] in ("subprocess", "os"):
        yield _run(node, full, values)
    elif full in ("exec", "eval", "runpy.run_path") and not _is_constant(node):
        yield Unknown("dynamic", f"{full} of what is made when it runs")
    elif full == "setattr" and node.args:
        for target in values.of(node.args[0]):
            if targets.is_engine(target) or targets.is_module(values.module(node.args[0])):
                yield Found("inject", ast.unparse(node.args[0]), place="engine")


def _set(node: ast.Assign, values: PythonValues, targets: Targets) -> Iterator[Found]:
    """Yield attributes of an engine's modules that an assignment replaces."""
    for target in node.targets:
        module = values.module(target) if isinstance(target, ast.Attribute) else ""
        if targets.is_module(module):
            yield Found("inject", ast.unparse(target), place="engine")


def _open(node: ast.Call, values: PythonValues) -> Iterator[Found]:
    is_method = isinstance(node.func, ast.Attribute) and not values.module(node.func.value)
    at = 0 if is_method else 1
    keyword = next((one.value for one in node.keywords if one.arg == "mode"), None)
    given = node.args[at] if len(node.args) > at else keyword
    modes = values.of(given) if given is not None else ("r",)
    if not any(set(mode) & set("wax+") for mode in modes):
        return
    if is_method:
        assert isinstance(node.func, ast.Attribute)
        targets = values.of(node.func.value)
    else:
        targets = _argument(node, 0, values)
    for target in targets:
        yield Found("write", target)


def _run(node: ast.Call, full: str, values: PythonValues) -> Run | Unknown:
    given = node.args[0] if node.args else None
    given = given or next((one.value for one in node.keywords if one.arg == "args"), None)
    if isinstance(given, ast.List | ast.Tuple):
        words = tuple(values.of(one)[0] for one in given.elts if not isinstance(one, ast.Starred))
        return Run(words, is_shell=False)
    if given is None:
        return Unknown("dynamic", f"{full} without a command")
    return Run(values.of(given)[:1], is_shell=True)


def _argument(
    node: ast.Call, at: int, values: PythonValues, *, missing: str | None = None
) -> tuple[str, ...]:
    if len(node.args) > at:
        return values.of(node.args[at])
    named = [one.value for one in node.keywords if one.arg in ("dst", "path", "file", "filename")]
    if named:
        return values.of(named[0])
    return (missing if missing is not None else unresolved("argument"),)


def _full_name(node: ast.expr, values: PythonValues) -> str:
    """Return the dotted name of what is called, seen through imports."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([values.modules.get(node.id, node.id), *reversed(parts)])


def _is_constant(node: ast.Call) -> bool:
    return bool(node.args) and isinstance(node.args[0], ast.Constant)
