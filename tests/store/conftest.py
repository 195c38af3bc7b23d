"""Files written for one test."""

from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file and return its path, relative so that messages are short."""
    monkeypatch.chdir(tmp_path)

    def put(name, content):
        path = Path(name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put
