"""Folders of evidence: written once under the digest of what is in them, never changed after.

`evidence.json` has the facts and the digest of every raw file; its own SHA-256 is the folder's
digest and name. Facts alone, without raw files, may also be one JSON file.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp

from pydantic import TypeAdapter

from infx.errors import InputError, Problem
from infx.model.document import Document, Key
from infx.model.evidence import FORMAT, Evidence, EvidenceFile, RawFile
from infx.model.submission import Submission
from infx.model.validation import checked
from infx.store.documents import read_json, validate
from infx.store.files import TEMPORARY, refused

INDEX = "evidence.json"


def write(root: Path, submission: Submission, files: Mapping[str, bytes | Path]) -> Path:
    """Write facts and raw files (by their paths in the folder), and return the new folder.

    The folder is there whole or not at all; one of the same content is left as it is. The digest
    that the facts name is not kept: reading gives it. Raises InputError for a path that no folder
    of evidence may have, MachineError where the machine refuses.
    """
    bad = [Problem(why, path) for path in files for why in _path_faults(path)]
    if bad:
        raise InputError(*bad)
    try:
        root.mkdir(parents=True, exist_ok=True)
        draft = Path(mkdtemp(prefix=".evidence-", suffix=TEMPORARY, dir=root))
        try:
            index = {path: _put(draft / path, what) for path, what in sorted(files.items())}
            data = _index(submission, index)
            _put(draft / INDEX, data)
            folder = root / hashlib.sha256(data).hexdigest()
            if not folder.exists():
                draft.chmod(0o755)
                draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise refused(root, "write the evidence", error) from None
    return folder


def read(path: Path) -> Evidence:
    """Return the evidence of a folder, or of a JSON file that holds a submission's facts.

    A folder must be exactly what its index says. Raises InputError with every problem.
    """
    if not path.is_dir():
        return Evidence(submission=_submission(read_json(path), _digest(path)))
    document = read_json(path / INDEX)
    index = validate(document, EvidenceFile)
    digest = _digest(path / INDEX)
    problems = [*_name_faults(path, digest), *_file_faults(path, index.files, document)]
    if "evidence" in index.facts:
        where = document.where("facts", "evidence")
        problems.append(Problem("facts cannot have their own digest", where, "remove it"))
    if problems:
        raise InputError(*problems)
    return Evidence(submission=_submission(document, digest, "facts"), files=index.files)


def _submission(document: Document, digest: str, *path: Key) -> Submission:
    """Return the facts at a path of a document; facts of a lone file may name their evidence."""
    facts = document.value
    for key in path:
        facts = facts[key] if isinstance(facts, dict) and isinstance(key, str) else None
    if isinstance(facts, dict):
        facts = {"evidence": digest, **facts}
    return checked(document, facts, TypeAdapter(Submission), path)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _index(submission: Submission, files: Mapping[str, RawFile]) -> bytes:
    """Return the bytes of the index: the same facts and files always give the same bytes."""
    whole = {
        "format": FORMAT,
        "facts": submission.model_dump(mode="json", exclude={"evidence"}, exclude_defaults=True),
        "files": {path: one.model_dump() for path, one in files.items()},
    }
    text = json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def _put(path: Path, what: bytes | Path) -> RawFile:
    """Write a raw file, readable and no more, and return what the index says of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(what, Path):
        shutil.copyfile(what, path)
    else:
        path.write_bytes(what)
    path.chmod(0o444)
    return _raw(path)


def _raw(path: Path) -> RawFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return RawFile(sha256=digest, bytes=file.tell())


def _path_faults(path: str) -> Iterator[str]:
    """Yield why a path may not be that of a raw file: it stays in the folder, on every system."""
    parts = path.split("/")
    if path.casefold() == INDEX:
        yield "is the index of the folder"
    if not path or any(part in ("", ".", "..") for part in parts):
        yield "is no path of names from the folder"
    if any(char in path for char in '\\:\x00"<>|?*') or not path.isprintable():
        yield "has characters that no name of a file may have everywhere"


def _name_faults(path: Path, digest: str) -> Iterator[Problem]:
    name = path.resolve().name
    if len(name) == len(digest) and set(name) <= set("0123456789abcdef") and name != digest:
        yield Problem(
            f"is named after a digest that it does not have; it has {digest}",
            str(path),
            "it was changed after it was written: gather the evidence again",
        )


def _file_faults(
    folder: Path, files: Mapping[str, RawFile], document: Document
) -> Iterator[Problem]:
    for path in files:
        yield from (Problem(why, document.where("files", path)) for why in _path_faults(path))
    folded: dict[str, str] = {}
    for path in files:
        twin = folded.setdefault(path.casefold(), path)
        if twin != path:
            yield Problem(f"{path} and {twin} are one file on some systems", document.file)
    there = dict(_walk(folder))
    for path, said in files.items():
        found = there.pop(path, None)
        if found is None:
            yield Problem("the file is missing", str(folder / path), "gather the evidence again")
        elif isinstance(found, Problem):
            yield found
        elif _raw(found) != said:
            what = "the file is not the one of the index"
            yield Problem(what, str(folder / path), "gather the evidence again")
    index = there.pop(INDEX, None)
    if isinstance(index, Problem):
        yield index
    for path in sorted(there):
        yield Problem("the index does not know this file", str(folder / path), "remove it")


def _walk(folder: Path) -> Iterator[tuple[str, Path | Problem]]:
    """Yield every file below a folder by its path; links and devices are problems."""
    for path in sorted(folder.rglob("*")):
        name = PurePosixPath(path.relative_to(folder)).as_posix()
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            yield name, Problem("is a link or a device, not a file", str(path), "remove it")
        elif path.is_file():
            yield name, path
