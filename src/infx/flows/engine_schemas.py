"""Schemas of engines: read from a wheel or an installed engine, or shipped with infx."""

import importlib.metadata
import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from infx.errors import InputError, MachineError, Problem, nearest
from infx.model.engine_schema import EngineSchema, Flag, SchemaSource
from infx.process import Command, ending, run
from infx.recipes import extract_sglang, extract_vllm
from infx.recipes.engine_schema import image_version
from infx.recipes.live_parser import arguments
from infx.recipes.python_source import Unresolved
from infx.store import shipped
from infx.store.wheel import Wheel

Extract = Callable[..., EngineSchema]

WHEELS: Mapping[str, Extract] = {
    "sglang": extract_sglang.extract,
    "vllm": extract_vllm.extract,
}
"""Name of a distribution -> how its source is read."""

INSTALLED = ("llamacpp", "vllm")
"""Engines whose parser can be built where they are installed."""

_PARSER_LIMIT_S = 300.0
_CHILD = "import sys; from infx.flows.vllm_parser import main; main(sys.stdout)"


def extract(what: str, *, python: str, environment: Mapping[str, str]) -> EngineSchema:
    """Return the schema of a wheel (a path), or of an engine that is installed (its name).

    `python` runs vLLM's own parser in a child with `environment`. Raises InputError when there is
    no such wheel or engine, or its source is not as infx knows it; MachineError when a child fails.
    """
    path = Path(what)
    if path.suffix == ".whl" or path.exists():
        return from_wheel(path)
    if what == "llamacpp":
        return from_quickstart()
    if what == "vllm":
        return from_vllm(python=python, environment=environment)
    remedy = f"give a wheel's path; {nearest(what, INSTALLED)}"
    raise InputError(Problem(f"no wheel and no engine {what!r}", None, remedy))


def from_wheel(path: Path) -> EngineSchema:
    """Return the schema of a wheel of SGLang or vLLM; raises InputError."""
    with Wheel(path) as wheel:
        if wheel.name not in WHEELS:
            what = f"a wheel of {wheel.name or 'no name'}"
            raise InputError(Problem(what, str(path), f"known are {', '.join(WHEELS)}"))
        origin = f"the wheel {path.name}"
        source = SchemaSource(origin=origin, method="syntax of its source", date=wheel.date)
        try:
            return WHEELS[wheel.name](wheel, version=wheel.version, source=source)
        except (Unresolved, RecursionError) as error:
            what = f"{wheel.name} {wheel.version} declares its flags in a way infx does not know"
            raise InputError(Problem(f"{what}: {error}", str(path))) from error


def from_quickstart() -> EngineSchema:
    """Return the schema of quickstart's llama.cpp server, which takes its flags from recipes.

    Flags are those of its parser whose settings the installed xllamacpp has; defaults are
    xllamacpp's. Raises InputError when xllamacpp is not installed.
    """
    from infx.engines import llamacpp as engine
    from infx.servers.llamacpp import INTEGERS, SWITCHES, parser

    if importlib.util.find_spec("xllamacpp") is None:
        remedy = "pip install 'infx[quickstart]'"
        raise InputError(Problem("xllamacpp is not installed", None, remedy))
    import xllamacpp

    settings = {name: row[0] for name, row in (INTEGERS | SWITCHES).items()}
    flags: dict[str, Flag] = {}
    for argument in arguments(parser()):
        setting = settings.get(argument.name)
        default = _part(xllamacpp.CommonParams(), setting) if setting else None
        if setting and default is None:
            continue
        flag = argument.flag()
        known = _plain(default) if setting else flag.default
        refused = engine.LAUNCHER_FLAGS.get(argument.name)
        flags[argument.name] = flag.model_copy(
            update={"default": None if refused else known, "refused": refused}
        )
    version = importlib.metadata.version("xllamacpp")
    return EngineSchema(
        engine=engine.NAME,
        version=version,
        source=SchemaSource(origin=f"xllamacpp {version}", method="its settings, and our parser"),
        prefixes=("LLAMA_",),
        flags=dict(sorted(flags.items())),
    )


def from_vllm(*, python: str, environment: Mapping[str, str]) -> EngineSchema:
    """Return the schema of the vLLM that is installed, with the flags of its own parser.

    The parser is built in a child, as importing vLLM takes a while and talks. Variables are read
    from its source. Raises InputError when vLLM is not installed, MachineError when it fails.
    """
    spec = importlib.util.find_spec("vllm")
    if spec is None or not spec.submodule_search_locations:
        raise InputError(Problem("vllm is not installed", None, "give a wheel's path"))
    root = Path(next(iter(spec.submodule_search_locations)))
    done = run(Command((python, "-c", _CHILD), environment), timeout_s=_PARSER_LIMIT_S)
    if done.code != 0:
        said = done.stderr.strip().splitlines()
        reason = said[-1] if said else ending(done.code)
        raise MachineError(Problem(f"vLLM's parser cannot be built: {reason}", str(root)))
    told = json.loads(done.stdout.splitlines()[-1])
    texts = {
        f"vllm/{file.relative_to(root).as_posix()}": file.read_text(errors="replace")
        for file in root.rglob("*.py")
    }
    source = SchemaSource(origin=f"vllm {told['version']}", method="its parser, built")
    flags = {name: Flag.model_validate_json(text) for name, text in told["flags"].items()}
    try:
        return extract_vllm.extract(texts, version=told["version"], source=source, flags=flags)
    except (Unresolved, RecursionError) as error:
        what = f"vllm {told['version']} declares its variables in a way infx does not know: {error}"
        raise InputError(Problem(what, str(root))) from error


def for_image(engine: str | None, image: str | None) -> EngineSchema | None:
    """Return the shipped schema that speaks for an image, None when the engine has none.

    It is that of the image's own version, or else the newest one.
    """
    versions = [version for name, version in shipped.engine_schemas() if name == engine]
    if engine is None or not versions:
        return None
    version = image_version(engine, image)
    return shipped.engine_schema(engine, version if version in versions else None)


def _part(owner: object, path: str) -> object:
    for name in path.split("."):
        owner = getattr(owner, name, None)
    return owner


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
