"""The metadata of a checkpoint from a hub of models: a folder as `store/checkpoint` reads it.

No weight is fetched: of a file of tensors only the head, by a request for a range of bytes. What
was fetched is kept under the commit that it is of, and known again by its sha256.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from pydantic import JsonValue

from infx.errors import InputError, MachineError, Problem
from infx.store.checkpoint import CONFIG, INDEX, MAX_FILES, MAX_HEAD_BYTES, QUANTIZATION
from infx.store.files import make_folder, sha256_of, write_whole
from infx.store.web import AbsentError, Span, read

URL = "https://huggingface.co"
BRANCH = "main"
FETCHED = "fetched.json"
"""Has the sha256 of each file, and is written when all of them are there."""

MAX_LISTING_BYTES = 16 << 20
MAX_FILE_BYTES = 64 << 20
FIRST_BYTES = 128 << 10
"""What is asked of a file of tensors at first: most heads are no longer."""

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_REVISION = re.compile(r"[A-Za-z0-9][\w./-]{0,199}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[\w.-]+\.safetensors", re.ASCII)


@dataclass(frozen=True, slots=True)
class Hub:
    """Where models are: its address, the folder that keeps what was fetched, and a token."""

    cache: Path
    url: str = URL
    token: str | None = field(default=None, repr=False)


def fetch_metadata(
    hub: Hub, repository: str, revision: str | None, on_talk: Callable[[str], None]
) -> tuple[Path, str]:
    """Return a folder with a checkpoint's metadata, and the commit that it is of.

    A revision that is a commit and was fetched before asks nobody. Raises InputError for a name
    that no hub can have, or that this one does not show; MachineError when the hub, the network or
    the disk fails.
    """
    wanted = revision or BRANCH
    known = _REPOSITORY.fullmatch(repository) and _REVISION.fullmatch(wanted)
    if not known or ".." in f"{repository}/{wanted}":
        remedy = "write OWNER/MODEL or OWNER/MODEL@REVISION"
        raise InputError(Problem(f"no hub has {repository}@{wanted}", "--checkpoint", remedy))
    place = hub.cache / "hub" / repository.replace("/", "--")
    if _COMMIT.fullmatch(wanted) and _is_whole(place / wanted):
        return place / wanted, wanted
    try:
        commit, names = _listing(hub, repository, wanted)
        folder = place / commit
        if not _is_whole(folder):
            on_talk(f"fetching the metadata of {repository} at {commit[:12]}")
            _fetch(hub, repository, commit, names, folder)
    except AbsentError as error:
        what = f"the hub shows no {repository} at {wanted}: {error.problems[0].what}"
        remedy = f"check the name, give a token with --hub-token-env, or {_by_hand(repository)}"
        raise InputError(Problem(what, error.problems[0].where, remedy)) from error
    except MachineError as error:
        first = error.problems[0]
        remedy = f"{first.remedy or 'try again'}; or {_by_hand(repository)}"
        raise MachineError(Problem(first.what, first.where, remedy)) from error
    return folder, commit


def _by_hand(repository: str) -> str:
    files = f"{CONFIG}, {QUANTIZATION} where it has one, and its *.safetensors"
    return f"place {files} into a folder, and give it as --checkpoint {repository}@COMMIT=FOLDER"


def _is_whole(folder: Path) -> bool:
    """Say whether a folder has all that was fetched into it, unchanged."""
    try:
        stated = json.loads((folder / FETCHED).read_bytes())
        known = all(sha256_of(folder / name) == digest for name, digest in stated.items())
        return known and CONFIG in stated
    except (OSError, ValueError, AttributeError):
        return False


def _listing(hub: Hub, repository: str, revision: str) -> tuple[str, tuple[str, ...]]:
    """Return the commit of a revision, and the names of its files."""
    url = f"{hub.url}/api/models/{repository}/revision/{quote(revision, safe='')}"
    data = read(url, cap=MAX_LISTING_BYTES, token=hub.token)
    try:
        said: JsonValue = json.loads(data)
    except (ValueError, RecursionError):
        said = None
    commit = said.get("sha") if isinstance(said, dict) else None
    files = said.get("siblings") if isinstance(said, dict) else None
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit) or not isinstance(files, list):
        raise MachineError(Problem("this is no listing of a model", url, "check the hub's address"))
    names = [file.get("rfilename") for file in files if isinstance(file, dict)]
    return commit, tuple(name for name in names if isinstance(name, str))


def _fetch(hub: Hub, repository: str, commit: str, names: tuple[str, ...], folder: Path) -> None:
    make_folder(folder)
    digests: dict[str, str] = {}
    for name, data in _files(hub, f"{hub.url}/{repository}/resolve/{commit}", names):
        write_whole(folder / name, data)
        digests[name] = sha256(data).hexdigest()
    write_whole(folder / FETCHED, json.dumps(digests, indent=1).encode())


def _files(hub: Hub, root: str, names: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for name in (CONFIG, QUANTIZATION, INDEX):
        if name == CONFIG or name in names:
            yield name, read(f"{root}/{name}", cap=MAX_FILE_BYTES, token=hub.token)
    heads = [name for name in names if _NAME.fullmatch(name)]
    if len(heads) > MAX_FILES:
        raise MachineError(Problem(f"it has more than {MAX_FILES} files of tensors", root))
    for name in heads:
        yield name, _head(hub, f"{root}/{name}")


def _head(hub: Hub, url: str) -> bytes:
    """Return the head of a file of tensors: eight bytes with its size, and so many of JSON."""
    data = read(url, cap=FIRST_BYTES, span=Span(0, FIRST_BYTES - 1), token=hub.token)
    whole = 8 + int.from_bytes(data[:8], "little")
    if whole > MAX_HEAD_BYTES or len(data) < 8:
        raise MachineError(Problem("it has no head of safetensors", url, "look at the file"))
    if whole > len(data):
        rest = Span(len(data), whole - 1)
        data += read(url, cap=rest.size, span=rest, token=hub.token)
    return data[:whole]
