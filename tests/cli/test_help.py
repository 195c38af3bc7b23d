"""`--help` names every command and flag with a text; it is data, so it goes to stdout."""

import re
from importlib.metadata import version

import pytest

COMMANDS = {
    "quickstart": "Measure a real engine with a small model, on this machine.",
    "bench": "Measure an OpenAI-compatible endpoint.",
    "report": "Write the static page of a run.",
    "compare": "Say what one run is next to another.",
    "runs": "List, show, verify, recover and exchange run bundles.",
}
RUNS = {
    "list": "List the runs of a folder.",
    "show": "Print a run again, from its bundle.",
    "verify": "Check a run's files and counts.",
    "recover": "Finish the bundle of a killed run.",
    "import": "Make a bundle of another client's run.",
    "export": "Write a run as files of another tool.",
}


@pytest.mark.parametrize(("words", "commands"), [((), COMMANDS), (("runs",), RUNS)])
def test_each_command_stands_there_with_its_text(infx, words, commands):
    said = infx(*words, "--help")
    assert (said.code, said.err) == (0, "")
    for name, text in commands.items():
        assert re.search(rf"\b{name} +{re.escape(text)}", said.out), name


@pytest.mark.parametrize("words", [(), ("runs",)])
def test_without_a_command_there_is_help(infx, words):
    assert infx(*words) == infx(*words, "--help")


@pytest.mark.parametrize(
    "words",
    [
        ("quickstart",), ("bench",), ("report",), ("compare",),
        ("runs", "list"), ("runs", "show"), ("runs", "verify"), ("runs", "recover"),
        ("matrix", "generate"), ("matrix", "changed"), ("changelog", "check"),
        ("changelog", "add"), ("changelog", "merge"), ("recipe", "show"), ("recipe", "check"),
        ("recipe", "diff"), ("schema", "write"), ("engines", "list"), ("engines", "flags"),
        ("acceptance", "show"),
    ],
)  # fmt: skip
def test_each_flag_of_each_command_has_a_text(infx, words):
    said = infx(*words, "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"Usage: infx {' '.join(words)}")
    flags = re.findall(r"^│ +\*? *(--[a-z-]+)(.*)", said.out, flags=re.MULTILINE)
    assert flags
    for name, rest in flags:
        without_type = re.sub(r"^( --[a-z-]+)*( [A-Z.]+)?", "", rest.strip("│ "))
        assert re.search(r"[a-z]{2,}", without_type), f"{name} has no text"


def test_a_page_says_more_than_its_line_in_the_list(infx):
    """The docstring's paragraphs, not broken where the source breaks its lines."""
    page = infx("matrix", "changed", "--help").out
    lines = page.splitlines()
    assert lines[2] == "List the config keys whose points a change adds or removes."
    assert " ".join(lines[4:9]).startswith("A point is what would run: its row, what its recipe")
    assert "List the points that a change affects." in infx("matrix").out, "the list stays short"


def test_a_default_is_told_where_it_says_something(infx):
    page = infx("matrix", "generate", "--help").out
    assert "[default: text]" in page
    assert "[default: 2]" in page
    for nothing in ("False", "None", "()", '""'):
        assert f"[default: {nothing}]" not in page


def test_the_version_is_the_packages(infx):
    said = infx("--version")
    assert (said.code, said.out) == (0, f"{version('infx')}\n")
