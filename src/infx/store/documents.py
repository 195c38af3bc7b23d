"""Strict YAML and JSON files to located documents, and documents to values.

Every problem names `file:line`, and all problems of a file are reported together.
"""

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from infx.errors import InputError, Problem
from infx.model.document import Document
from infx.model.validation import validate
from infx.store.json_syntax import read as json_syntax
from infx.store.json_syntax import read_loose as loose_json_syntax
from infx.store.tree import Tree

__all__ = ["MAX_BYTES", "parse_loose_json", "parse_yaml", "read_json", "read_yaml", "validate"]

MAX_BYTES = 16 * 1024 * 1024

_Syntax = Callable[[str, Tree], None]


def read_yaml(path: Path, *, last_wins: bool = False) -> Document:
    """Read one YAML 1.2 document; merge keys (`<<`) are resolved, mapping keys are text.

    Raises InputError with every problem: unreadable, over 16 MiB, not UTF-8, not YAML, repeated
    keys, unknown tags, non-finite numbers, too many aliases, too deep, too many values.
    With `last_wins` repeated keys are warnings of the document and the last one counts: some public
    recipes have them, and their own loader reads them so.
    """
    return parse_yaml(_bytes(path), str(path), last_wins=last_wins)


def parse_yaml(data: bytes, file: str, *, last_wins: bool = False) -> Document:
    """Read YAML that is at hand already, by the rules of `read_yaml`; `file` names it."""
    # Imported here: a run reads only JSON, and must not wait for a YAML parser at its start.
    from infx.store.yaml_syntax import read

    return _document(data, file, read, last_wins=last_wins)


def read_json(path: Path) -> Document:
    """Read one JSON value; raises InputError with every problem, by the rules of `read_yaml`."""
    return _document(_bytes(path), str(path), json_syntax)


def parse_loose_json(data: bytes, file: str) -> Document:
    """Read JSON of a program that writes `NaN` and `Infinity`: they become text, never numbers.

    Raises InputError with every other problem, by the rules of `read_yaml`; `file` names it.
    """
    return _document(data, file, loose_json_syntax)


def _document(data: bytes, file: str, syntax: _Syntax, *, last_wins: bool = False) -> Document:
    tree = Tree(file, last_wins=last_wins)
    syntax(_text(data, file), tree)
    value, place = tree.result()
    return Document(file, value, place, tuple(tree.warnings))


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(
            Problem(f"the file cannot be read: {error.strerror}", str(path), _beside(path))
        ) from error


def _beside(path: Path) -> str:
    """Name the file that was meant, if one of its kind beside it has nearly the name."""
    if path.exists() or not path.suffix:
        return "check the path"
    stems = sorted(one.stem for one in path.parent.glob(f"*{path.suffix}"))
    close = get_close_matches(path.stem, stems, n=1)
    return f"did you mean {close[0]}{path.suffix}?" if close else "check the path"


def _text(data: bytes, file: str) -> str:
    if len(data) > MAX_BYTES:
        what = f"the file is larger than {MAX_BYTES} bytes"
        raise InputError(Problem(what, file, "split the file"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            Problem("the text is not UTF-8", f"{file}:{line}", "save the file as UTF-8")
        ) from error
