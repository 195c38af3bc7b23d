"""Expected owners are worked out by hand from GitHub's description of the file."""

import pytest

from infx.policy.owners import changed_paths, ownership, parse

FILE = """\
# The whole repository
*                    @org/core
*.md                 @Writer   # inline remark
/configs/            @org/infra @Ada
configs/nvidia.yaml  @nv-one
docs/*               docs@example.com
**/gb200-*/          @nv-two
apps/                @app
/apps/generated
my\\ folder/          @space
"""


@pytest.fixture
def owners():
    found = parse(FILE)
    assert found.problems == ()
    return found


@pytest.mark.parametrize(
    ("path", "line", "named"),
    [
        ("Makefile", 2, ("@org/core",)),
        ("deep/down/notes.md", 3, ("@Writer",)),
        ("configs/amd.yaml", 4, ("@org/infra", "@Ada")),
        ("configs/a/b.yaml", 4, ("@org/infra", "@Ada")),
        ("x/configs/amd.yaml", 2, ("@org/core",)),
        ("configs/nvidia.yaml", 5, ("@nv-one",)),
        ("x/configs/nvidia.yaml", 2, ("@org/core",)),
        ("docs/a.txt", 6, ("docs@example.com",)),
        ("docs/a/b.txt", 2, ("@org/core",)),
        ("recipes/sglang/gb200-fp4/agentic.yaml", 7, ("@nv-two",)),
        ("gb200-x/deep/file", 7, ("@nv-two",)),
        ("recipes/gb200-fp4", 2, ("@org/core",)),
        ("recipes/xgb200-fp4/a", 2, ("@org/core",)),
        ("src/apps/a", 8, ("@app",)),
        ("apps", 2, ("@org/core",)),
        ("apps/generated/a", 9, ()),
        ("my folder/a", 10, ("@space",)),
        ("Configs/amd.yaml", 2, ("@org/core",)),
    ],
)
def test_the_last_line_that_matches_decides_alone(owners, path, line, named):
    rule = owners.rule(path)
    assert (rule.line, rule.owners) == (line, named)


def test_a_question_mark_and_a_star_stay_within_a_name():
    owners = parse("/a?c/*.py @x\n* @y")
    assert owners.rule("abc/m.py").line == 2
    owners = parse("* @y\n/a?c/*.py @x")
    assert [owners.rule(path).line for path in ("abc/m.py", "a/c/m.py", "abc/d/m.py")] == [2, 1, 1]


def test_two_stars_in_the_middle_stand_for_any_number_of_folders():
    owners = parse("* @y\na/**/z @x")
    found = [owners.rule(path).line for path in ("a/z", "a/b/c/z", "a/bz", "a/z/deep")]
    assert found == [2, 2, 1, 2]


@pytest.mark.parametrize(
    ("path", "login", "standing"),
    [
        ("configs/amd.yaml", "ADA", "named"),
        ("configs/nvidia.yaml", "Ada", "not-owner"),
        ("Makefile", "ada", "any-owner"),
        ("apps/generated/a", "writer", "any-owner"),
        ("Makefile", "stranger", "not-owner"),
        ("a.md", "@writer", "named"),
        ("a.md", "wrıter", "not-owner"),
    ],
)
def test_a_person_is_to_a_path_what_its_line_says(owners, path, login, standing):
    assert ownership(owners, path, login).standing == standing


def test_a_team_counts_for_its_members_and_an_unread_team_is_said(owners):
    path = "configs/amd.yaml"
    assert ownership(owners, path, "eve", teams=["@Org/Infra"]).standing == "through-team"
    assert ownership(owners, path, "eve", unknown_teams=["@org/infra"]).standing == "team-unknown"
    assert ownership(owners, path, "ada", unknown_teams=["@org/infra"]).standing == "named"
    assert ownership(owners, "Makefile", "eve", teams=["@org/infra"]).standing == "any-owner"
    assert ownership(owners, path, "eve", teams=["@org/core"]).standing == "not-owner"


def test_a_rename_needs_the_owners_of_both_paths(owners):
    files = [("apps/new.yaml", "configs/nvidia.yaml"), ("gone.yaml", None)]
    found = [ownership(owners, path, "app").standing for path in changed_paths(files)]
    assert found == ["named", "not-owner", "any-owner"]


def test_every_bad_line_is_named_and_gives_no_rule():
    text = "* @a\n!x @a\nsrc/[ab] @a\n\\#x @a\n/ @a\nx @a not-an-owner\nok @b\n"
    found = parse(text, file=".github/CODEOWNERS")
    assert [problem.where for problem in found.problems] == [
        f".github/CODEOWNERS:{line}" for line in range(2, 7)
    ]
    assert "not-an-owner is no owner" in str(found.problems[-1])
    assert [rule.line for rule in found.rules] == [1, 7]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a remark\n", "*\n"])
def test_a_file_without_owners_is_a_problem_not_an_exemption(text):
    assert "names no owner" in str(parse(text).problems[-1])


def test_hostile_patterns_cost_little():
    stars = "a*" * 400 + "b"
    owners = parse(f"* @x\n/{stars} @y\n{'**/' * 300}q @z\n")
    path = "/".join(["a" * 200] * 20)
    assert owners.rule(path).line == 1
    assert "longer than" in str(parse("x" * 2000 + " @a").problems[0])


def test_a_file_with_windows_line_ends_reads_the_same():
    assert parse("* @a\r\n").rules[0].owners == ("@a",)
