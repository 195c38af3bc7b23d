"""What a flag and a variable take, against argparse where it can say it itself."""

import json
from argparse import ArgumentError, ArgumentParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from engine_sources import SOURCE
from infx.model.engine_schema import EngineSchema, Flag, Variable
from infx.recipes.flag_values import flag_problem, variable_problem

TOY = EngineSchema(
    engine="toy",
    version="1",
    source=SOURCE,
    booleans=("true", "1", "false", "0"),
    suffixes=("k", "M", "Ki"),
    flags={},
)

WRONG = [
    (Flag(kind="switch"), "yes", "takes no value, got 'yes'"),
    (Flag(kind="switch"), 1, "takes no value, got 1"),
    (Flag(kind="int"), True, "needs a value, true is the bare flag"),
    (Flag(kind="int"), "many", "expected a whole number, got 'many'"),
    (Flag(kind="int"), 1.5, "expected a whole number, got 1.5"),
    (Flag(kind="int"), "16k", "expected a whole number, got '16k'"),
    (Flag(kind="int"), [1, 2], "takes one value, got a list of 2"),
    (Flag(kind="int", nargs="+"), [], "needs at least one value, got an empty list"),
    (Flag(kind="int", nargs="+"), [1, "x"], "expected a whole number, got 'x'"),
    (Flag(kind="int", nargs=2), [1, 2, 3], "takes 2 values, got 3"),
    (Flag(kind="int", nargs=2), 1, "takes 2 values, got one"),
    (Flag(kind="size"), "16Gi", "expected a whole number, got '16Gi'"),
    (Flag(kind="float"), "0,9", "expected a number, got '0,9'"),
    (Flag(kind="choice", choices=("fcfs", "lpm")), "fcf", "'fcf' is not a choice"),
    (Flag(kind="choice", choices=("1", "8"), nargs="+"), [8, 9], "'9' is not a choice"),
    (Flag(kind="json"), "{'a': 1}", "expected JSON, got \"{'a': 1}\""),
    (Flag(kind="json-or-str"), '{"a": }', "expected JSON, got '{\"a\": }'"),
    (Flag(kind="str"), {"a": 1}, 'takes plain text, got {"a": 1}'),
]

RIGHT = [
    (Flag(kind="switch"), True),
    (Flag(kind="switch"), False),
    (Flag(kind="int"), None),
    (Flag(kind="int"), -1),
    (Flag(kind="int"), "8_192"),
    (Flag(kind="int", nullable=True), "None"),
    (Flag(kind="int", nargs="?"), True),
    (Flag(kind="int", nargs="+"), 5),
    (Flag(kind="int"), "@dram.total-gb"),
    (Flag(kind="size"), "16k"),
    (Flag(kind="size"), "25.6M"),
    (Flag(kind="size"), "4Ki"),
    (Flag(kind="size", choices=("auto",)), "auto"),
    (Flag(kind="float"), 1),
    (Flag(kind="float"), "1e-3"),
    (Flag(kind="choice", choices=("1", "2")), 1),
    (Flag(kind="choice", choices=("deep_gemm",), folded=True), "Deep-Gemm"),
    (Flag(kind="json"), {"a": [1]}),
    (Flag(kind="json"), '{"bytes": @dram.total-bytes, "gb": "@dram.total-gb"}'),
    (Flag(kind="json-or-str"), "path/to/file.json"),
    (Flag(kind="str"), 12),
]


@pytest.mark.parametrize(("flag", "value", "what"), WRONG)
def test_a_value_that_the_engine_refuses(flag: Flag, value: JsonValue, what: str) -> None:
    problem = flag_problem(flag, value, TOY)
    assert problem is not None
    assert problem[0].startswith(what)


@pytest.mark.parametrize(("flag", "value"), RIGHT)
def test_a_value_that_the_engine_takes(flag: Flag, value: JsonValue) -> None:
    assert flag_problem(flag, value, TOY) is None


@given(st.text(st.sampled_from("0123456789_+-. x"), max_size=6).filter(lambda text: text != "--"))
def test_whole_numbers_are_those_of_argparse(text: str) -> None:
    assert (flag_problem(Flag(kind="int"), text, TOY) is None) == _argparse_takes(int, text)


@given(
    st.text(st.sampled_from("0123456789_+-.einfa"), max_size=6).filter(lambda text: text != "--")
)
def test_numbers_are_those_of_argparse(text: str) -> None:
    assert (flag_problem(Flag(kind="float"), text, TOY) is None) == _argparse_takes(float, text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_every_json_text_is_taken(value: JsonValue) -> None:
    assert flag_problem(Flag(kind="json"), json.dumps(value), TOY) is None


@pytest.mark.parametrize(
    ("variable", "text", "what"),
    [
        (Variable(kind="bool"), "on", "'on' is no boolean"),
        (Variable(kind="bool"), "TRUE", None),
        (Variable(kind="bool", choices=("yes",)), "true", "'true' is no boolean"),
        (Variable(kind="int"), "017", None),
        (Variable(kind="int"), "true", "expected a whole number, got 'true'"),
        (Variable(kind="float"), "fast", "expected a number, got 'fast'"),
        (Variable(kind="choice", choices=("low",), folded=True), "LOW", None),
        (Variable(kind="choice", choices=("low",)), "LOW", "'LOW' is not a choice"),
        (Variable(kind="int"), "@dram.total-gb", None),
        (Variable(kind="str"), "anything", None),
    ],
)
def test_variables(variable: Variable, text: str, what: str | None) -> None:
    problem = variable_problem(variable, text, TOY)
    assert (problem and problem[0]) == what


def _argparse_takes(kind: type[int] | type[float], text: str) -> bool:
    parser = ArgumentParser(exit_on_error=False)
    parser.add_argument("--flag", type=kind)
    try:
        parser.parse_args([f"--flag={text}"])
    except ArgumentError:
        return False
    return True
