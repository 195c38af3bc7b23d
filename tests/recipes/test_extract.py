"""Schemas from two small sources; what each flag must be is written from argparse's rules."""

import pytest

from engine_sources import SGLANG, SOURCE, VLLM
from infx.model.engine_schema import Flag, Variable
from infx.recipes import extract_sglang, extract_vllm
from infx.recipes.python_source import Unresolved

OVEN = {
    "port": Flag(kind="int", default="30"),
    "oven-kind": Flag(kind="choice", choices=("gas", "wood", "sun"), aliases=("oven",)),
    "heat-level": Flag(kind="choice", choices=("low", "high"), default="low"),
    "shelf-count": Flag(kind="int", default="3"),
    "shelf-sizes": Flag(kind="int", nargs="+"),
    "is-clean": Flag(kind="switch", default="false"),
    "door-open": Flag(kind="switch", negative=True),
    "crumb-limit": Flag(kind="size", default="16"),
    "recipe-json": Flag(kind="json"),
    "trays": Flag(kind="str", nargs="*"),
    "old-door": Flag(kind="switch", default="false", deprecated="use --door-open"),
    "fuel": Flag(kind="choice", choices=("gas", "wood")),
    "cut": Flag(kind="choice", choices=("whole", "half")),
    "smell": Flag(kind="str", default="none"),
    "no-door": Flag(kind="switch", default="false", deprecated="use --door-open"),
    "stove": Flag(kind="choice", choices=("iron",), deprecated="use --oven-kind"),
    "candle": Flag(kind="switch", refused="use --fuel"),
}
BOOLEAN = ("true", "1", "false", "0")

BOAT = {
    "watch": Flag(kind="int", aliases=("-w",)),
    "greeting": Flag(kind="str", default="ahoy"),
    "manners": Flag(kind="json"),
    "dock": Flag(kind="json"),
    "uses-bell": Flag(kind="switch", default="true", negative=True),
    "hull": Flag(kind="choice", choices=("wood", "steel"), default="wood", aliases=("-h2",)),
    "deck": Flag(kind="choice", choices=("open", "wood"), nullable=True),
    "ship-name": Flag(kind="str", default="any"),
    "crew": Flag(kind="int"),
    "load": Flag(kind="float", nullable=True),
    "lamp": Flag(kind="switch", default="false", negative=True),
    "horn": Flag(kind="str", nargs="?"),
    "ports": Flag(kind="int", nargs="+", nullable=True),
    "sides": Flag(kind="int", nargs=2, default="[0, 1]"),
    "masts": Flag(kind="choice", nargs="+", choices=("wood", "steel")),
    "anchor": Flag(kind="json"),
    "extras": Flag(kind="json"),
    "overrides": Flag(kind="json-or-str"),
    "pennant": Flag(kind="json", nullable=True),
    "max-model-len": Flag(kind="size", choices=("auto",)),
    "rope": Flag(kind="str", default="old", deprecated="use --anchor"),
    "second-hull": Flag(kind="choice", choices=("wood", "steel"), default="wood", folded=True),
    "lone": Flag(kind="float", nullable=True),
    "rudder": Flag(kind="switch", negative=True, deprecated="use --anchor"),
    "log": Flag(kind="switch", default="false"),
}


def test_sglang_flags() -> None:
    schema = extract_sglang.extract(SGLANG, version="1.2.3", source=SOURCE)
    assert schema.flags == OVEN
    assert list(schema.flags) == sorted(schema.flags)
    assert (schema.engine, schema.version, schema.source) == ("sglang", "1.2.3", SOURCE)


def test_sglang_environment() -> None:
    schema = extract_sglang.extract(SGLANG, version="1.2.3", source=SOURCE)
    assert schema.environment == {
        "KITCHEN_DOOR": Variable(kind="bool", default="false"),
        "SGLANG_BOARDS": Variable(kind="int", deprecated="use SGLANG_SHELVES"),
        "SGLANG_COAL": Variable(deprecated="use --fuel"),
        "SGLANG_CRUST": Variable(kind="bool", choices=BOOLEAN, folded=True),
        "SGLANG_MENU": Variable(),
        "SGLANG_OVEN": Variable(kind="bool", default="true"),
        "SGLANG_PEAT": Variable(deprecated="use SGLANG_OVEN"),
        "SGLANG_SALT": Variable(),
        "SGLANG_SHELVES": Variable(kind="int", default="4"),
        "SGLANG_TURF": Variable(deprecated="the engine ignores it"),
        "SGLANG_WARMTH": Variable(kind="float", default="-0.5"),
        "SGLANG_YEAST": Variable(kind="int"),
    }


def test_vllm_flags() -> None:
    schema = extract_vllm.extract(VLLM, version="4.5.6", source=SOURCE)
    assert schema.flags == BOAT
    assert schema.dotted


def test_vllm_environment() -> None:
    schema = extract_vllm.extract(VLLM, version="4.5.6", source=SOURCE)
    assert schema.environment == {
        "TIDE_HOME": Variable(),
        "VLLM_CALM": Variable(kind="bool", default="1"),
        "VLLM_DRAFT": Variable(kind="float", default="1.5"),
        "VLLM_FAST": Variable(kind="int", default="0"),
        "VLLM_PORT": Variable(kind="int"),
        "VLLM_SAILS": Variable(kind="int", default="2"),
        "VLLM_STARS": Variable(default="[]"),
        "VLLM_WAKE": Variable(),
        "VLLM_WIND": Variable(kind="choice", choices=("low", "high"), folded=True, default="low"),
    }


@pytest.mark.parametrize("missing", ["vllm/envs.py", "vllm/config/boat.py"])
def test_a_source_that_lacks_a_module_is_not_half_read(missing: str) -> None:
    files = {name: text for name, text in VLLM.items() if name != missing}
    with pytest.raises(Unresolved):
        extract_vllm.extract(files, version="4.5.6", source=SOURCE)


def test_source_that_is_no_python_is_refused() -> None:
    files = {**SGLANG, "sglang/srt/environ.py": "class Envs(:"}
    with pytest.raises(Unresolved, match="not Python"):
        extract_sglang.extract(files, version="1", source=SOURCE)
