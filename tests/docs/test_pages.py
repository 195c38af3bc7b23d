"""What is written by hand stays true: links, names, commands, examples, and size."""

import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from gitted import repository
from infx.cli.app import app
from infx.servers.truth.script import Script
from project_text import GENERATED, ROOT, WRITTEN, fences, name_of, prose
from served import truth_server
from threads import thread
from transcript import Infx

EXAMPLES = [page for page in WRITTEN if any(fence.language == "python" for fence in fences(page))]
RECORDS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
ROOMS = [path.name for path in (ROOT / "src" / "infx").iterdir() if path.is_dir()]


def anchors(page: Path) -> set[str]:
    """Return what a link can name on a page, by GitHub's rule for headings."""
    heads = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", WRITTEN + GENERATED, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_every_source_file_that_is_named_exists(page: Path) -> None:
    """`x.py` is how the text says "any file"."""
    for name in re.findall(r"`([\w/.-]+\.(?:py|toml|txt))`", prose(page)):
        if not name.endswith("/x.py"):
            assert (ROOT / "src" / "infx" / name).exists() or (ROOT / name).exists(), name


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_every_command_line_is_one_that_infx_takes(page: Path) -> None:
    console = [fence.text for fence in fences(page) if fence.language == "console"]
    for line in "\n".join(console).splitlines():
        for command in line.removeprefix("$ ").split(" && "):
            words = shlex.split(command)
            if words[:1] == ["infx"]:
                app.parse_args(words[1:], exit_on_error=False, print_error=False)


def catalog_of_ours(folder: Path) -> None:
    shutil.copytree(ROOT / "catalog", folder / "catalog")
    repository(folder)


def published_reviews(folder: Path) -> None:
    for name in ("thread-000", "thread-003"):
        (folder / f"{name}.json").write_text(thread(name)[1].model_dump_json())


PLACES = {"write-a-recipe.md": catalog_of_ours, "judge-a-submission.md": published_reviews}
"""Pages whose console examples are run, and what lies in the folder where they are."""


@pytest.mark.parametrize("name", PLACES)
def test_console_examples_say_what_the_page_shows(name: str, infx: Infx, tmp_path: Path) -> None:
    """`...` stands for anything that the page leaves out."""
    PLACES[name](tmp_path)
    said = ""
    checked = 0
    for fence in fences(ROOT / "docs" / "how-to" / name):
        if fence.language == "console":
            said = "".join(_run(line, infx, tmp_path) for line in fence.text.splitlines())
        elif fence.language == "text":
            form = ".*".join(map(re.escape, fence.text.split("...")))
            assert re.fullmatch(form, said, re.DOTALL), said
            checked += 1
    assert checked >= 5


def _run(line: str, infx: Infx, folder: Path) -> str:
    words = shlex.split(line.removeprefix("$ "))
    if words[0] == "infx":
        done = infx(*words[1:])
        return done.out + done.err
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_excerpts_of_the_catalog_stand_in_it() -> None:
    known = {
        line
        for path in (ROOT / "catalog").rglob("*.yaml")
        for line in path.read_text().splitlines()
    }
    page = ROOT / "docs" / "how-to" / "write-a-recipe.md"
    excerpts = [fence.text for fence in fences(page) if fence.language == "yaml"]
    assert len(excerpts) == 3
    assert [line for text in excerpts for line in text.splitlines() if line not in known] == []


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_every_flag_that_is_named_exists(page: Path) -> None:
    known = "\n".join(path.read_text() for path in (*GENERATED, ROOT / "check"))
    for flag in re.findall(r"`[^`]*?(--[a-z][a-z-]+)", prose(page)):
        assert re.search(rf"{flag}(?![a-z-])", known), flag


@pytest.mark.parametrize("page", EXAMPLES, ids=name_of)
def test_python_examples_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    parts = [fence.text for fence in fences(page) if fence.language == "python"]
    with truth_server(Script(ttft_s=0.001, itl_s=0.0)) as url:
        text = "\n".join(parts).replace("http://127.0.0.1:8000", url)
        exec(compile(text, name_of(page), "exec"), {})
    assert "Traceback" not in capsys.readouterr().out


def test_there_are_python_examples() -> None:
    assert [page.name for page in EXAMPLES] == ["use-from-python.md"]


def test_the_readme_has_the_commands_that_ci_runs() -> None:
    readme = "\n".join(f.text for f in fences(ROOT / "README.md") if f.language == "console")
    ci = (ROOT / ".ci" / "run").read_text().replace(" -q ", " ")
    install = re.findall(r"^python3 -m pip install .*$", ci, re.MULTILINE)
    assert install == ["python3 -m pip install -e '.[dev]' && ./check"]
    assert install[0] in readme.splitlines()
    assert "python3 -m pip install '.[quickstart]' && infx quickstart" in readme.splitlines()


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_architecture_has_a_line_for_every_room() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    missing = [room for room in ROOMS if room != "__pycache__" and f"| `{room}/` |" not in text]
    assert missing == []


def test_decision_records_are_short_and_numbered_without_gaps() -> None:
    numbers = [int(record.name[:4]) for record in RECORDS]
    assert numbers[0] == 1
    assert all(after == before + 1 for before, after in pairwise(numbers))
    for record in RECORDS:
        lines = record.read_text().splitlines()
        assert len(lines) <= 40, record.name
        assert lines[0].startswith(f"# {record.name[:4]}. "), record.name


def test_change_fragments_name_their_issue_and_are_sentences() -> None:
    fragments = [path for path in (ROOT / "changes").glob("*.md") if path.name != "README.md"]
    for fragment in fragments:
        assert re.fullmatch(r"[0-9]+-[a-z0-9-]+\.md", fragment.name), fragment.name
        assert fragment.read_text().endswith(".\n"), fragment.name


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_prose_is_plain(page: Path) -> None:
    text = prose(page)
    assert "—" not in text
    assert not re.search(r"(?i)\b(blazing|seamless|powerful|effortless|cutting-edge)", text)
