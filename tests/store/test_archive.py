"""Archives of strangers: only what is harmless is read, and all that is not is named."""

import stat
import struct
from contextlib import suppress
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from infx.errors import InputError
from infx.store.archive import Limits, read_zip
from refusals import refusal

NAMES = ("rows.json",)


def packed(path: Path, *entries: tuple[str | ZipInfo, bytes], method: int = ZIP_DEFLATED) -> Path:
    with ZipFile(path, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def entry(name: str, mode: int = 0) -> ZipInfo:
    found = ZipInfo("x")
    found.filename = name
    found.external_attr = mode << 16
    return found


@pytest.fixture
def zip_(tmp_path):
    return tmp_path / "artifact.zip"


def test_wanted_files_are_read_and_others_are_not(zip_):
    packed(zip_, ("run/", b""), ("run/rows.json", b"[1]"), ("rows.json", b"[2]"), ("x.log", b"x"))
    assert read_zip(zip_, NAMES) == {"run/rows.json": b"[1]", "rows.json": b"[2]"}


HOSTILE = {
    "/etc/passwd": "is an absolute path",
    "C:/rows.json": "is an absolute path",
    "../rows.json": "leads out of the archive",
    "a/../../rows.json": "leads out of the archive",
    "a//rows.json": "leads out of the archive",
    "./rows.json": "leads out of the archive",
    "a\\..\\rows.json": "has characters",
    "a\nrows.json": "has characters",
    "\u202erows.json": "has characters",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_lead_elsewhere_are_refused(zip_, name):
    packed(zip_, (entry(name), b"[]"), ("rows.json", b"[]"))
    assert HOSTILE[name] in refusal(lambda: read_zip(zip_, NAMES))


@pytest.mark.parametrize(
    "kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK]
)
def test_links_and_devices_are_refused(zip_, kind):
    packed(zip_, (entry("rows.json", kind | 0o777), b"/etc/passwd"))
    assert "is a link or a device" in refusal(lambda: read_zip(zip_, NAMES))


def test_a_name_with_a_nul_is_refused(zip_):
    packed(zip_, ("rows.json?.txt", b"[]"))
    zip_.write_bytes(zip_.read_bytes().replace(b"rows.json?", b"rows.json\0"))
    assert "has characters" in refusal(lambda: read_zip(zip_, NAMES))


def test_an_entry_that_stands_twice_is_refused(zip_):
    with pytest.warns(UserWarning, match="Duplicate"):
        packed(zip_, ("rows.json", b"[1]"), ("rows.json", b"[2]"))
    assert "stands twice" in refusal(lambda: read_zip(zip_, NAMES))
    packed(zip_, ("rows.json", b"[1]"), ("ROWS.json", b"[2]"))
    assert "stands twice" in refusal(lambda: read_zip(zip_, NAMES))


def test_too_many_and_too_large_are_refused(zip_):
    packed(zip_, *((f"{number}", b"x" * 10) for number in range(5)), method=ZIP_STORED)
    for limits, said in (
        (Limits(entries=4), "5 entries, more than 4"),
        (Limits(entry_bytes=9), "has 10 bytes, more than 9"),
        (Limits(total_bytes=49), "50 bytes together, more than 49"),
        (Limits(archive_bytes=9), "more than 9"),
    ):
        assert said in refusal(lambda limits=limits: read_zip(zip_, NAMES, limits))
    assert read_zip(zip_, NAMES, Limits(entries=5, entry_bytes=10, total_bytes=50)) == {}


def test_what_unpacks_to_a_mountain_is_refused(zip_):
    packed(zip_, ("rows.json", b"0" * 10_000_000))
    assert "unpacks" in refusal(lambda: read_zip(zip_, NAMES))


def test_a_size_that_lies_is_found_out(zip_):
    packed(zip_, ("rows.json", b"[1, 2, 3, 4]"), method=ZIP_STORED)
    data = bytearray(zip_.read_bytes())
    central = data.rindex(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 4)
    zip_.write_bytes(data)
    assert "the archive is damaged" in refusal(lambda: read_zip(zip_, NAMES))


def test_entries_that_share_their_bytes_are_refused(zip_):
    packed(zip_, ("aaa", b"x" * 100), ("rows.json", b"y" * 100), method=ZIP_STORED)
    data = bytearray(zip_.read_bytes())
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = struct.pack("<I", 10)
    zip_.write_bytes(data)
    assert "overlaps" in refusal(lambda: read_zip(zip_, NAMES))


def test_other_methods_and_encryption_are_refused(zip_):
    packed(zip_, ("rows.json", b"[]"), method=ZIP_BZIP2)
    assert "a method that is not read here" in refusal(lambda: read_zip(zip_, NAMES))
    packed(zip_, ("rows.json", b"[]"))
    data = bytearray(zip_.read_bytes())
    central = data.rindex(b"PK\x01\x02")
    data[central + 8] |= 1
    zip_.write_bytes(data)
    assert "is encrypted" in refusal(lambda: read_zip(zip_, NAMES))


def test_every_fault_is_named_at_once(zip_):
    packed(zip_, (entry("/a"), b""), (entry("../b"), b""))
    assert len(refusal(lambda: read_zip(zip_, NAMES)).splitlines()) == 3  # `/a` has an empty part


@pytest.mark.parametrize("cut", [0, 1, 10, 40, 60, -1, -10])
def test_a_damaged_archive_is_refused(zip_, cut):
    packed(zip_, ("rows.json", b"[1, 2, 3]" * 10))
    zip_.write_bytes(zip_.read_bytes()[:cut])
    assert "damaged" in refusal(lambda: read_zip(zip_, NAMES))
    assert "cannot be read" in refusal(lambda: read_zip(zip_.with_name("none.zip"), NAMES))


def test_flipped_bytes_never_break_the_reader(zip_):
    whole = packed(zip_, ("rows.json", b"[1, 2, 3]" * 10)).read_bytes()
    for place in range(len(whole)):
        for flip in (0x01, 0x80, 0xFF):
            data = bytearray(whole)
            data[place] ^= flip
            zip_.write_bytes(data)
            with suppress(InputError):
                read_zip(zip_, NAMES)
