"""What a bound recipe changes in its containers: setup scripts, mounts, injected variables, wheels.

A recipe is data: what it can change stands in a few of its leaves, and in the texts they name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pydantic import JsonValue

from infx.model.setting_registry import PackageRegistry
from infx.model.shell_effects import EffectPlace, EffectReport
from infx.recipes.binding import Binding, Path, dotted
from infx.recipes.shell.builtins import INJECTING
from infx.recipes.shell.found import Found
from infx.recipes.shell.record import Record, Site
from infx.recipes.shell.sources import Sources
from infx.recipes.shell.step import Frame
from infx.recipes.shell.targets import Targets
from infx.recipes.shell.values import Scope
from infx.recipes.shell.walk import Walk

_MOUNTS = frozenset({"container_mounts", "extra_mount", "extra_mounts", "mounts", "volume_mounts"})
_SETUP = frozenset({"setup", "setup_script", "setup_scripts", "setup_commands"})
_DYNAMO = ("version", "hash", "wheel", "source")


def effects(
    binding: Binding,
    files: Mapping[str, str],
    packages: PackageRegistry,
    *,
    environment: Mapping[str, str] | None = None,
) -> EffectReport:
    """Return what a bound recipe changes, at the lines that state it.

    `files` are the texts that its setup may run, `packages` those that serving is made of. Mounts
    and variables are the recipe's own, so the scripts are followed with both. A variable for a role
    is one of its server; any other stands in `client` or, for all processes, in `server`.
    """
    mounted = [pair for path, value in _leaves(binding, _MOUNTS) for pair in _pairs(path, value)]
    record = Record(Targets(packages, (target for _, _, target in mounted)))
    for path, source, target in mounted:
        found = Found("mount", target, (source,), record.targets.mount_place(target))
        record.add(found, _site(binding, path, f"{source}:{target}"))
    _variables(binding, record)
    _dynamo(binding, record)
    known = {**_environment(binding.tree.get("environment")), **(environment or {})}
    for path, value in _leaves(binding, _SETUP):
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.strip():
                _set_up(_site(binding, path, text), record, files, known)
    return record.report(binding.file)


def _set_up(site: Site, record: Record, files: Mapping[str, str], known: Mapping[str, str]) -> None:
    """Follow a setup script by its name, or setup commands by their text."""
    walk = Walk(record, files, known)
    text = site.text.strip()
    is_name = len(text.split()) == 1 and "=" not in text
    source = Sources(files).find(text, site.file) if is_name else None
    target = source.name if source else text
    record.add(Found("setup", target, place="workspace" if is_name else "image"), site)
    scope = Scope(arguments=())
    if source is not None:
        record.read(source.name, source.text)
        scope.variables = {"BASH_SOURCE": (source.name,), "0": (source.name,)}
        via = (f"{site.file}:{site.line}",)
        walk.whole(source.text, scope, Frame(source.name, via))
    elif is_name:
        record.gap("absent", site, f"the text of {text} is not given", text)
    else:
        walk.whole(text, scope, Frame(site.file), site.line)


def _variables(binding: Binding, record: Record) -> None:
    for path in binding.origins:
        name = str(path[-1])
        if name not in INJECTING or len(path) < 2 or str(path[-2]) not in ("env", "environment"):
            continue
        where: EffectPlace = "client" if path[0] == "benchmark" else "server"
        value = _value(binding, path)
        site = _site(binding, path, f"{name}={value}")
        record.add(Found("inject", f"{name}={value}", place=where), site)


def _dynamo(binding: Binding, record: Record) -> None:
    """Add the router that a recipe installs: a published version, or a build of a source.

    A published version is the one that a recipe may declare, and no engine.
    """
    section = binding.tree.get("dynamo")
    if not isinstance(section, Mapping) or section.get("install") is False:
        return
    for path in binding.origins:
        key, value = str(path[-1]), _value(binding, path)
        if path[0] != "dynamo" or key not in _DYNAMO or value in (None, False):
            continue
        is_published = key == "version" or (key == "wheel" and "/" not in str(value))
        where: EffectPlace = "image" if is_published else "unresolved"
        site = _site(binding, path, f"dynamo {key}: {value}")
        record.add(Found("install", "ai-dynamo", (f"{key}={value}",), where), site)


def _leaves(binding: Binding, names: frozenset[str]) -> Iterator[tuple[Path, JsonValue]]:
    """Yield the leaves under keys of some names, however deep: lists whole, mappings by entry."""
    for path in binding.origins:
        if any(str(key).replace("-", "_") in names for key in path):
            yield path, _value(binding, path)


def _value(binding: Binding, path: Path) -> JsonValue:
    value: JsonValue = dict(binding.tree)
    for key in path:
        assert isinstance(value, dict | list)
        value = value[key]  # type: ignore[index]  # a path of this very tree
    return value


def _pairs(path: Path, value: JsonValue) -> Iterator[tuple[Path, str, str]]:
    """Yield source and target of mounts: `source:target:options`, or a mapping's entry."""
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, str):
            continue
        if str(path[-1]).replace("-", "_") not in _MOUNTS and not isinstance(path[-1], int):
            yield path, str(path[-1]), one
            continue
        source, colon, rest = one.partition(":")
        if colon:
            yield path, source, rest.partition(":")[0]


def _site(binding: Binding, path: Path, text: str) -> Site:
    origin = binding.origins[path][0]
    return replace(Site(origin.file, origin.line, text), words=(dotted(path), text))


def _environment(value: JsonValue | None) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {name: str(one) for name, one in value.items() if isinstance(one, str | int | float)}
