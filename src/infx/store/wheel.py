"""The source text of a wheel, read in place: nothing of it is unpacked or run."""

import zipfile
from collections.abc import Iterator, Mapping
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath
from types import TracebackType

from infx.errors import InputError, Problem

MAX_MEMBERS = 100_000
MAX_MEMBER_BYTES = 8 * 1024 * 1024
MAX_TOTAL_BYTES = 512 * 1024 * 1024
"""Bytes of text that one wheel may give altogether."""

_REMEDY = "give a wheel as `pip download --no-deps NAME` writes it"


class Wheel(Mapping[str, str]):
    """The Python files of a wheel by their path in it; a text is decompressed when it is asked for.

    `name` and `version` are what its metadata says, `date` the day (ISO 8601) it was built.
    """

    def __init__(self, path: Path) -> None:
        """Open a wheel; raises InputError when it is none, or names files outside itself."""
        self._path = path
        self._left = MAX_TOTAL_BYTES
        try:
            self._archive = zipfile.ZipFile(path)
            self._members = _members(self._archive, path)
            self._metadata = self._metadata_member()
        except OSError as error:
            what = f"the wheel cannot be read: {error.strerror or error}"
            raise InputError(Problem(what, str(path), "check the path")) from error
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise InputError(Problem(f"not a wheel: {error}", str(path), _REMEDY)) from error
        headers = HeaderParser().parsestr(self._text(self._metadata))
        self.name: str = str(headers.get("Name", "")).lower().replace("_", "-")
        self.version: str = str(headers.get("Version", ""))
        year, month, day, *_ = self._metadata.date_time
        self.date = f"{year:04}-{month:02}-{day:02}"

    def __enter__(self) -> "Wheel":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._archive.close()

    def __getitem__(self, name: str) -> str:
        return self._text(self._members[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def _metadata_member(self) -> zipfile.ZipInfo:
        for member in self._archive.infolist():
            path = PurePosixPath(member.filename)
            if path.name == "METADATA" and path.parts[0].endswith(".dist-info"):
                return member
        raise InputError(Problem("not a wheel: it has no METADATA", str(self._path), _REMEDY))

    def _text(self, member: zipfile.ZipInfo) -> str:
        """Read one member, whose stated size is not believed."""
        limit = min(MAX_MEMBER_BYTES, self._left)
        try:
            with self._archive.open(member) as content:
                data = content.read(limit + 1)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
            what = f"{member.filename} cannot be read: {error}"
            raise InputError(Problem(what, str(self._path), _REMEDY)) from error
        if len(data) > limit:
            what = f"{member.filename} is larger than {limit} bytes"
            raise InputError(Problem(what, str(self._path), _REMEDY))
        self._left -= len(data)
        return data.decode(errors="replace")


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    """Return the Python members by name; raises InputError for names that lead out of the wheel."""
    infos = archive.infolist()
    if len(infos) > MAX_MEMBERS:
        what = f"the wheel has {len(infos)} files, more than {MAX_MEMBERS}"
        raise InputError(Problem(what, str(path), _REMEDY))
    outside = [one.filename for one in infos if _leads_out(one.filename)]
    if outside:
        raise InputError(
            *(Problem(f"{name!r} leads out of the wheel", str(path), _REMEDY) for name in outside)
        )
    return {one.filename: one for one in infos if one.filename.endswith(".py")}


def _leads_out(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/"))
    return parts.is_absolute() or ".." in parts.parts
