"""`infx evidence collect` as a transcript; what it gathers has tests of its own."""

import submitted
from transcript import Infx, infx

__all__ = ["infx"]


def test_the_folder_is_printed_and_can_be_shown_and_judged(infx: Infx, tmp_path) -> None:
    repo = submitted.smaller_cache(tmp_path / "repo")
    asked = ("--base", "main", "--repository", str(repo.root), "--out", str(tmp_path / "out"))
    said = infx("evidence", "collect", *asked)
    assert (said.code, said.err) == (0, "")
    folder = said.out.strip()
    assert len(folder.rpartition("/")[2]) == 64
    shown = infx("evidence", "show", folder).out
    assert "configs        1\n" in shown
    assert "measured not known" in shown
    assert infx("verify", folder).code == 1


def test_what_could_not_be_read_is_said(infx: Infx, tmp_path) -> None:
    repo = submitted.repository(tmp_path / "repo")
    repo.commit(submitted.edited("nvidia-master.yaml", ("[1, 2, 4, 6", "[1, 2, 3, 4, 6")))
    asked = ("--base", "main", "--repository", str(repo.root), "--out", str(tmp_path / "out"))
    said = infx("evidence", "collect", *asked)
    assert said.code == 0
    assert "no variant fits concurrency 3" in said.verdict[0]


def test_every_bad_word_is_named(infx: Infx, tmp_path) -> None:
    repo = submitted.smaller_cache(tmp_path / "repo")
    asked = ("--base", "main", "--repository", str(repo.root), "--out", str(tmp_path / "out"))
    said = infx("evidence", "collect", *asked, "--checkpoint", "a", "b=", "--artifacts", "1=no")
    assert (said.code, said.out) == (2, "")
    assert "infx: no: there is no such folder or archive; check the path" in said.verdict
    assert len(said.verdict) == 3


def test_a_checkpoint_comes_from_the_hub_or_it_is_said_what_to_place(infx: Infx, tmp_path) -> None:
    repo = submitted.smaller_cache(tmp_path / "repo")
    asked = ("--base", "main", "--repository", str(repo.root), "--out", str(tmp_path / "out"))
    nowhere = ("--checkpoint", "acme/Toy", "--hub", "http://127.0.0.1:9")
    said = infx("evidence", "collect", *asked, *nowhere)
    assert (said.code, said.out) == (3, "")
    assert "http://127.0.0.1:9/api/models/acme/Toy/revision/main" in said.verdict[0]
    assert "give it as --checkpoint acme/Toy@COMMIT=FOLDER" in said.verdict[0]
    said = infx("evidence", "collect", *asked, *nowhere, "--hub-token-env", "NO_SUCH_TOKEN")
    assert (said.code, said.verdict[0]) == (
        2, "infx: --hub-token-env: the variable NO_SUCH_TOKEN is not set; export it",
    )  # fmt: skip
