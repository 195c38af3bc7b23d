"""`runs/<run-id>/`: the layout of a run bundle, and the one writer of it.

While a run is written it holds a lock on its `.lock`, so that nobody recovers a run that is alive;
the lock falls with the process, however it dies.
"""

import fcntl
import json
import os
import re
import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from infx.clock import NS
from infx.errors import InputError, MachineError, Problem
from infx.model.bundle import Manifest, PointFile, RunState
from infx.model.value import Value
from infx.store.files import make_folder, refused, sha256_of, write_whole
from infx.store.frames import pack
from infx.store.journal_parts import parts_of

if TYPE_CHECKING:
    from infx.model.result import PointSummary

MANIFEST = "manifest.json"
LOCK = ".lock"
POINTS = "points"
SERVER = "server"
POINT = "point.json"
SUMMARY = "summary.json"
OBSERVED = "observed.json"
REQUESTS = "requests.jsonl.zst"
SAMPLES = "samples.jsonl.zst"
PLAN = "plan.bin"

FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What may name a run's folder or a point's."""


def new_run_id(wall_ns: int) -> str:
    """Name a run by the second it began (UTC) and six random hex digits: sortable, collision-free.

    >>> new_run_id(1_800_000_000 * NS)[:17]
    '20270115T080000Z-'
    """
    began = datetime.fromtimestamp(wall_ns // NS, UTC)
    return f"{began:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def create(root: Path, manifest: Manifest) -> "BundleWriter":
    """Make `root/<run>` with its manifest in state `running`, and return its writer.

    Raises InputError when the run exists or its id is no folder name, MachineError when the machine
    refuses; nothing is left behind then.
    """
    if not FOLDER_NAME.fullmatch(manifest.run):
        remedy = "use letters, digits, dots, hyphens and underscores"
        raise InputError(Problem(f"{manifest.run!r} cannot name a run", str(root), remedy))
    make_folder(root)
    path = root / manifest.run
    try:
        path.mkdir()
    except FileExistsError:
        raise InputError(Problem("the run exists already", str(path), "choose another")) from None
    except OSError as error:
        raise refused(path, "make the run's folder", error) from error
    try:
        make_folder(path / POINTS)
        return BundleWriter(path, manifest, Lock(path))
    except MachineError:
        shutil.rmtree(path, ignore_errors=True)
        raise


class Lock:
    """The right to write in a run's folder: held until `release`, or until the process ends.

    Raises InputError when somebody else holds it, MachineError when the machine refuses.
    """

    def __init__(self, run: Path) -> None:
        self._path = run / LOCK
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise refused(self._path, "lock the run", error) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._descriptor)
            raise InputError(
                Problem("the run is still going", str(run), "wait for it, or end its process")
            ) from None
        except OSError as error:
            os.close(self._descriptor)
            raise refused(self._path, "lock the run", error) from error

    def release(self) -> None:
        """Give the right up, and remove the file that stood for it."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def is_alive(run: Path) -> bool:
    """Tell whether a process holds the run's lock now."""
    try:
        descriptor = os.open(run / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


class BundleWriter:
    """The one writer of a bundle. Every method raises MachineError when the machine refuses.

    All JSON files are replaced whole, so a bundle can be read, and recovered, at any moment.
    """

    def __init__(self, path: Path, manifest: Manifest, lock: Lock) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = lock
        self._write_manifest(state="running")

    def _write_manifest(self, **changes: object) -> None:
        self.manifest = self.manifest.model_copy(update=changes)
        write_value(self.path / MANIFEST, self.manifest)

    def begin_point(self, point: PointFile) -> Path:
        """Make the point's folder with its `point.json`, list it, and return the folder.

        The plan goes to `PLAN` in it, the journal to `REQUESTS`. Raises ValueError for a second
        beginning.
        """
        if point.directory in self.manifest.points:
            raise ValueError(f"point {point.directory} has begun already")
        folder = point_folder(self.path, point)
        make_folder(folder)
        write_value(folder / POINT, point)
        self._write_manifest(points=(*self.manifest.points, point.directory))
        return folder

    def end_point(self, point: PointFile, summary: "PointSummary") -> None:
        """Write what is known of the point at its end: `point.json` again, and its summary."""
        if point.directory not in self.manifest.points:
            raise ValueError(f"point {point.directory} has not begun")
        folder = point_folder(self.path, point)
        write_value(folder / POINT, point)
        write_value(folder / SUMMARY, summary)

    def add_file(self, relative: str, data: bytes) -> Path:
        """Write any other file of the bundle whole, for instance `server/server.log`."""
        inside = PurePosixPath(relative)
        if inside.is_absolute() or ".." in inside.parts or relative in (MANIFEST, LOCK):
            raise ValueError(f"{relative} is no place for a file of the bundle")
        path = self.path / inside
        make_folder(path.parent)
        write_whole(path, data)
        return path

    def pack_file(self, relative: str) -> Path:
        """Replace a file of the bundle by its zstd form, `NAME.zst`, in frames like a journal's."""
        path = self.path / relative
        packed = path.with_name(f"{path.name}.zst")
        content = path.read_bytes()
        write_whole(packed, pack(content) if content else b"")
        path.unlink()
        return packed

    def close(self, state: RunState, ended: str, failure: str | None = None) -> Manifest:
        """End the run: write its final manifest with the sha256 of every file, free the lock.

        When the machine refuses, or a journal's parts could not be merged, the old manifest stays,
        and the run can be recovered later.
        """
        for name in self.manifest.points:
            for part in parts_of(self.path / POINTS / name / REQUESTS):
                what = "this part of the journal is not merged"
                remedy = "finish the run with: infx runs recover"
                raise MachineError(Problem(what, str(part), remedy))
        files = {name: sha256_of(self.path / name) for name in files_of(self.path)}
        self._write_manifest(state=state, ended=ended, failure=failure, files=files)
        self._lock.release()
        return self.manifest


def point_folder(run: Path, point: PointFile) -> Path:
    """Return where a point's files are."""
    return run / POINTS / point.directory


def files_of(run: Path) -> list[str]:
    """Return every file under a run's folder but its manifest and lock, relative, sorted."""
    found = [
        (Path(folder) / name).relative_to(run).as_posix()
        for folder, folders, names in os.walk(run)
        for name in (*names, *(link for link in folders if (Path(folder) / link).is_symlink()))
    ]
    return sorted(set(found) - {MANIFEST, LOCK})


def write_value(path: Path, value: Value) -> None:
    """Write a value as JSON: indented, keys sorted, whole or not at all; raises MachineError."""
    text = json.dumps(
        value.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False
    )
    write_whole(path, f"{text}\n".encode())
