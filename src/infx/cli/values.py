"""What users write after flags, read into values; errors name the flag and show a good form."""

import re
from collections.abc import Iterable, Mapping, Sequence

import orjson
from pydantic import JsonValue

from infx.errors import InputError, Problem, nearest
from infx.model import identity
from infx.model.record import Slo

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|)")
SCENARIOS = ("fixed", "agentic")
_SLOS = ("ttft", "tpot", "e2el")


def concurrencies(words: Iterable[str]) -> tuple[int, ...]:
    """Read `1,2,4` or several words into numbers, in the given order."""
    found = [part for word in words for part in word.split(",") if part]
    bad = [part for part in found if not re.fullmatch(r"-?[0-9]{1,6}", part)]
    if bad:
        raise InputError(
            *(Problem(f"{one!r} is no number", "--concurrency", _number(one)) for one in bad)
        )
    return tuple(map(int, found))


def _number(word: str) -> str:
    """Say what to write instead of a word; a path was meant as an argument."""
    is_path = "/" in word or word.endswith((".yaml", ".json"))
    return "name files before the flag" if is_path else "use 1,2,4"


def seconds(text: str, flag: str) -> float:
    """Read `90`, `90s`, `20m`, `1.5h` or `250ms` into seconds, above 0."""
    matched = _DURATION.fullmatch(text.strip())
    value = float(matched[1]) * _SECONDS[matched[2]] if matched else 0.0
    if value <= 0:
        raise InputError(Problem(f"{text!r} is no duration above 0", flag, "use 90s, 20m or 1h"))
    return value


def scenario(text: str) -> tuple[str, str | None]:
    """Read `fixed` or `agentic:SOURCE` into the scenario and its corpus; raises InputError."""
    name, colon, source = text.partition(":")
    if name not in SCENARIOS:
        what = f"unknown workload {name!r}"
        raise InputError(Problem(what, "--workload", nearest(name, SCENARIOS)))
    if name == "fixed" and colon:
        what = "a fixed workload has no corpus"
        raise InputError(Problem(what, "--workload", "use --dataset FILE for prompts of your own"))
    if name == "agentic" and not source:
        what = "a replay needs sessions"
        raise InputError(Problem(what, "--workload", "use agentic:demo or agentic:FILE"))
    return name, source or None


def slo(text: str | None) -> Slo | None:
    """Read `ttft=0.5,tpot=50ms` into targets in seconds."""
    if text is None:
        return None
    targets: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals:
            what = f"{part!r} states no target"
            raise InputError(Problem(what, "--slo", "write it as ttft=0.5,tpot=50ms"))
        if name not in _SLOS:
            raise InputError(Problem(f"unknown target {name!r}", "--slo", nearest(name, _SLOS)))
        if name in targets:
            raise InputError(Problem(f"{name} has two targets", "--slo", "state one"))
        targets[name] = seconds(value, "--slo")
    return Slo(**targets)


def headers(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read `NAME:VALUE` lines."""
    parts = [line.partition(":") for line in lines]
    bad = [line for line, (_, colon, _) in zip(lines, parts, strict=True) if not colon]
    if bad:
        remedy = "write it as NAME:VALUE"
        raise InputError(*(Problem(f"{line!r} is no header", "--header", remedy) for line in bad))
    return tuple((name.strip(), value.strip()) for name, _, value in parts)


def extra_body(text: str | None) -> dict[str, JsonValue]:
    """Read a JSON object of additional request fields."""
    if text is None:
        return {}
    remedy = """use '{"top_k": 1}'"""
    try:
        value = orjson.loads(text)
        identity.canonical(value)  # keys are made of it
        orjson.dumps(value)
    except orjson.JSONDecodeError as error:
        raise InputError(Problem(f"not JSON: {error}", "--extra-body", remedy)) from None
    except (ValueError, TypeError) as error:
        raise InputError(Problem(f"cannot be sent: {error}", "--extra-body", remedy)) from None
    if not isinstance(value, dict):
        raise InputError(Problem("not a JSON object", "--extra-body", remedy))
    return value


def api_key(
    name: str | None, environment: Mapping[str, str], *, flag: str = "--api-key-env"
) -> str | None:
    """Return the key that the environment variable holds which `flag` names."""
    if name is None:
        return None
    if not environment.get(name):
        raise InputError(Problem(f"the variable {name} is not set", flag, "export it"))
    return environment[name]


def masked(argv: Sequence[str]) -> tuple[str, ...]:
    """Return a command line as it may be kept: the values of headers are hidden."""
    kept, hide = [], False
    for word in argv:
        value, flag = word, ""
        if word.startswith("--header="):
            flag, _, value = word.partition("=")
            flag, hide = f"{flag}=", True
        name, colon, _ = value.partition(":")
        kept.append(f"{flag}{name}{colon}***" if hide and colon else word)
        hide = word == "--header"
    return tuple(kept)
