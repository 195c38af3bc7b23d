"""The grammar against a list written by hand, hostile texts, and another parser."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.model.setting_registry import PackageRegistry
from infx.recipes import shell_effects
from infx.recipes.shell.grammar import MAX_CHARACTERS, parse
from infx.recipes.shell.syntax import (
    Branches,
    Function,
    Group,
    Loop,
    Pipeline,
    Simple,
    Substitution,
    Variable,
)
from infx.store.documents import read_yaml
from infx.store.registries import registry

CASES = read_yaml(Path(__file__).with_name("cases.yaml")).value


def analyse(script, files):
    return shell_effects.analyse(script, files, registry(PackageRegistry))


def commands(body):
    """Yield the simple commands of statements, those of substitutions too."""
    for one in body:
        if isinstance(one, Simple):
            yield one
            words = [*one.words, *(redirect.target for redirect in one.redirects)]
            words += [word for assignment in one.assignments for word in assignment.words]
            words += [redirect.document for redirect in one.redirects if redirect.document]
            for word in words:
                yield from inside(word)
        elif isinstance(one, Pipeline):
            yield from commands(one.stages)
        elif isinstance(one, Branches):
            for branch in one.bodies:
                yield from commands(branch)
        elif isinstance(one, Group | Loop | Function):
            for word in getattr(one, "words", ()):
                yield from inside(word)
            yield from commands(one.body)


def inside(word):
    for part in word.parts:
        if isinstance(part, Substitution):
            yield from commands(part.body)
        elif isinstance(part, Variable) and part.argument is not None:
            yield from inside(part.argument)


def names(text):
    script = parse(text)
    assert script.faults == ()
    return [one.words[0].plain for one in commands(script.body) if one.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b; c && d || e & f", "a c d e f"),
        ("a | b |& c\n! d", "a b c d"),
        ("if a; then b; elif c\nthen d; else e; fi; f", "a c b d e f"),
        ("for x in 1 2; do a; done\nfor ((i=0; i<3; i++)); do b; done", "a b"),
        ("while a; do b; done < <(c) > d\nuntil e; do f; done", "a b e f"),
        ("case $x in a|b) c ;; (d) e ;& *) f; esac", "c e f"),
        ("{ a; b; } > x; (c; d)", "a b c d"),
        ("f() { a; }\nfunction g { b; }\nfunction h() (c)", "a b c"),
        ("x=1 y+=(1 2) a z=3\nexport B=2", "a export"),
        ("[[ $a =~ ^(x|y)$ && -n $b ]] && a\n(( b < 3 )) && c", "a c"),
        ('a $(b `c`) "$(d "$(e)")" ${x:-$(f)}', "a b c d e f"),
        ("a <<E1 <<'E2' | b\nc $(d)\nE1\n$(no)\nE2\ne", "a d b e"),
        ("a <<-E\n\tx\n\tE\nb", "a b"),
        ("a 'b # c' \"d ' e\" \\# f # g\nh", "a h"),
        ("a \\\n  b\nc", "a c"),
        ("a $'it\\'s' $((1 + (2 * 3))) $(( (a) ))\nb", "a b"),
        ("ls !(a|b) @(c) ; d", "ls d"),
        ('a 2>&1 >/dev/null &>> b <<< "c"; d', "a d"),
        ("echo \"don't ${x:-don't}\"; b", "echo b"),
        ("if a; then b; fi | c", "a b c"),
        ("select x in a; do b; done; time c; coproc d", "b c d"),
        ("echo if then fi; a", "echo a"),
        ("", ""),
    ],
)
def test_the_commands_of_a_text(text, expected):
    assert names(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb 'c", 2),
        ('a\n"b', 2),
        ("a; then", 1),
        ("if a; then b", 1),
        ("a\n\n$(b", 3),
        ("f() {\n a\n", 3),
        ("a )", 1),
        ("x=(1 2", 1),
        ("case a in b", 1),
        ("a << ", 1),
        ("${x", 1),
    ],
)
def test_what_is_no_shell_is_said_with_its_line(text, line):
    faults = parse(text).faults
    assert faults
    assert faults[0][0] == line


def test_reading_goes_on_after_a_fault():
    script = parse("a\nb )\nc\n")
    assert [one.words[0].plain for one in script.body] == ["a", "b", "c"]
    assert len(script.faults) == 1


PIECES = [
    "a ",
    "a|",
    "a&&",
    "a=(",
    "$(",
    "${",
    '"$(',
    "`",
    "((",
    "$((",
    "[[ ",
    "<<A\n",
    "{ ",
    "(",
    ")",
]
PIECES += [
    "if a; then ",
    "for x in ",
    "case a in a) ",
    "f() { ",
    "\\a",
    "'",
    '"',
    "\0",
    "é",
    ">a ",
    "!",
]
PIECES += [
    "x+=$x$x\n",
    "for i in 1 2; do ",
    "bash -c '",
    'eval "',
    "env ",
    "a;;",
    "\n",
    "#",
    "<(",
    "@(",
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_text_ends_and_hides_nothing_silently(piece):
    text = "sed -i s/a/b/ /opt/vllm/vllm/x.py\n" + piece * (60_000 // len(piece))
    report = analyse("s.sh", {"s.sh": text})
    assert report.effects[0].target == "/opt/vllm/vllm/x.py"


@pytest.mark.parametrize("text", ["a " * 600_000, "a\n" * 600_000])
def test_a_text_of_a_megabyte_is_not_read_and_says_so(text):
    report = analyse("s.sh", {"s.sh": text})
    assert [(gap.line, gap.kind) for gap in report.gaps] == [(1, "syntax")]
    assert str(MAX_CHARACTERS) in report.gaps[0].what


def test_zero_bytes_hide_no_command():
    report = analyse("s.sh", {"s.sh": "se\0d -i s/a/b/ /opt/vllm/v\0llm/x.py"})
    assert [one.target for one in report.effects] == ["/opt/vllm/vllm/x.py"]


def test_marks_of_the_analysis_cannot_be_forged():
    report = analyse("s.sh", {"s.sh": "touch /opt/vllm/\ue002x\ue003vllm/y.py"})
    assert report.effects[0].assumed == ()


@given(st.text(alphabet="ab $(){}[]<>|&;'\"`\\\n=#!*if donecasw", max_size=120))
def test_no_text_breaks_the_analysis(text):
    analyse("s.sh", {"s.sh": text})


@pytest.mark.parametrize("name", CASES)
def test_another_parser_finds_the_same_commands(name):
    tree_sitter = pytest.importorskip("tree_sitter")
    bash = pytest.importorskip("tree_sitter_bash")
    text = CASES[name]["script"]
    root = tree_sitter.Parser(tree_sitter.Language(bash.language())).parse(text.encode()).root_node
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "declaration_command":
            found.append(node.children[0].type)
        elif node.type == "command_name":
            found.append(node.text.decode())
    ours = [one.words[0] for one in commands(parse(text).body) if one.words]
    plain = sorted(word.plain for word in ours if word.plain not in (None, "["))
    assert plain == sorted(one for one in found if one[0] not in "$\"'[")
