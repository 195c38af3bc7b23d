"""Wheels are read in place, and nothing in them is believed."""

import zipfile
from pathlib import Path

import pytest

from infx.errors import InputError
from infx.store import wheel as module
from infx.store.wheel import Wheel

METADATA = "Metadata-Version: 2.4\nName: Some_Engine\nVersion: 1.2.post3\n\nVersion: 9\n"


def _write(path: Path, members: dict[str, bytes], *, metadata: str | None = METADATA) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        if metadata is not None:
            info = zipfile.ZipInfo("some_engine-1.2.dist-info/METADATA", (2026, 10, 7, 1, 2, 4))
            archive.writestr(info, metadata)
    return path


def _refusal(path: Path) -> str:
    with pytest.raises(InputError) as raised:
        Wheel(path)
    return str(raised.value)


def _member_refusal(path: Path, name: str) -> str:
    with Wheel(path) as wheel, pytest.raises(InputError) as raised:
        _ = wheel[name]
    return str(raised.value)


def test_python_files_are_texts_by_their_path(tmp_path):
    path = _write(tmp_path / "a.whl", {"x/y.py": b"a = 1\n", "x/z.so": b"\0", "x/bad.py": b"\xff"})
    with Wheel(path) as wheel:
        assert (wheel.name, wheel.version, wheel.date) == ("some-engine", "1.2.post3", "2026-10-07")
        assert list(wheel) == ["x/y.py", "x/bad.py"]
        assert wheel["x/y.py"] == "a = 1\n"
        assert wheel["x/bad.py"] == "�"
        assert "x/z.so" not in wheel


def test_no_file_no_archive_and_no_wheel(tmp_path):
    assert _refusal(tmp_path / "none.whl").endswith(
        "the wheel cannot be read: No such file or directory; check the path"
    )
    text = tmp_path / "text.whl"
    text.write_text("no archive")
    assert "not a wheel: File is not a zip file" in _refusal(text)
    assert "it has no METADATA" in _refusal(_write(tmp_path / "b.whl", {}, metadata=None))


@pytest.mark.parametrize("name", ["../x.py", "/etc/x.py", "a/../../x.py", "a\\..\\x.py"])
def test_a_name_that_leads_out_is_refused(tmp_path, name):
    assert "leads out of the wheel" in _refusal(_write(tmp_path / "a.whl", {name: b""}))


def test_a_member_may_not_be_larger_than_the_cap(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_MEMBER_BYTES", 1000)
    path = _write(tmp_path / "a.whl", {"bomb.py": b" " * 100_000})
    assert "bomb.py is larger than 1000 bytes" in _member_refusal(path, "bomb.py")


def test_all_members_together_may_not_be_larger_than_the_cap(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_TOTAL_BYTES", 150 + len(METADATA))
    path = _write(tmp_path / "a.whl", {"a.py": b"a" * 100, "b.py": b"b" * 100})
    with Wheel(path) as wheel:
        assert len(wheel["a.py"]) == 100
        with pytest.raises(InputError, match=r"b\.py is larger than 50 bytes"):
            _ = wheel["b.py"]


def test_too_many_members_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_MEMBERS", 2)
    path = _write(tmp_path / "a.whl", {"a.py": b"", "b.py": b""})
    assert "the wheel has 3 files, more than 2" in _refusal(path)


def test_a_damaged_member_is_refused(tmp_path):
    path = _write(tmp_path / "a.whl", {"a.py": b"print('whole')" * 50})
    data = bytearray(path.read_bytes())
    data[45] ^= 0xFF
    path.write_bytes(data)
    assert "a.py cannot be read" in _member_refusal(path, "a.py")
