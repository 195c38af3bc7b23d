"""`infx quickstart` refuses what it cannot serve; `tests/flows` measure the real engine."""

import pytest

from infx.cli.cache import cache_folder
from transcript import only_run, refused


def test_weights_that_are_not_there(infx, tmp_path):
    assert infx("quickstart", "--weights", "none.gguf") == refused(
        2, "none.gguf: no such file; name a GGUF file with --weights"
    )
    assert infx("quickstart", "--weights", ".") == refused(
        2, ".: no such file; name a GGUF file with --weights"
    )
    assert not (tmp_path / "runs").exists()


@pytest.mark.engine
def test_a_file_that_is_no_model_ends_with_the_servers_own_words(infx, tmp_path):
    pytest.importorskip("xllamacpp", reason="needs infx[quickstart]")
    (tmp_path / "junk.gguf").write_bytes(b"\0" * 5000)
    said = infx("quickstart", "--weights", "junk.gguf")
    assert (said.code, said.out) == (3, "")
    assert said.err.splitlines()[:2] == [
        "starting llama.cpp with junk.gguf, 8 slots", "bundle runs/RUN",
    ]  # fmt: skip
    (line,) = said.verdict
    assert line == (
        "infx: runs/RUN/server/llamacpp.log: llamacpp died while starting (exit code 3); "
        "its log ends with:"
    )
    assert "invalid magic" in said.err
    assert infx("runs", "verify", "latest").code == 0
    assert '"failed"' in (only_run(tmp_path / "runs") / "manifest.json").read_text()


def test_the_cache_is_where_the_user_keeps_caches(monkeypatch, tmp_path):
    assert cache_folder({"XDG_CACHE_HOME": "/caches"}).as_posix() == "/caches/infx"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder({}) == tmp_path / ".cache" / "infx"
