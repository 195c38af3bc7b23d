"""What package managers install, and into which Python."""

import re
from collections.abc import Iterator

from infx.model.shell_effects import EffectKind, EffectPlace
from infx.recipes.shell.found import Call, Found, operands, option
from infx.recipes.shell.targets import Targets, joined
from infx.recipes.shell.values import plain, unresolved

_VALUED = frozenset(
    {
        *("-r", "-c", "-i", "-e", "-t", "-f", "--index-url", "--extra-index-url", "--find-links"),
        *("--target", "--prefix", "--python", "-p", "--requirement", "--constraint", "--root"),
        *("--trusted-host", "--index", "--default-index", "--torch-backend", "--timeout", "--with"),
        *(
            "--editable",
            "--config-settings",
            "-C",
            "--no-binary",
            "--only-binary",
            "--index-strategy",
        ),
        *("--python-version", "--platform", "--upgrade-package", "-P", "--log", "--cache-dir"),
    }
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_INTERPRETER = re.compile(r"(?:python|pypy)[0-9.]*$")
_SYSTEM = frozenset({"apt", "apt-get", "dnf", "yum", "apk", "microdnf"})


def installs(call: Call, targets: Targets) -> Iterator[Found]:
    """Yield what a package manager installs or removes, one change a package."""
    found = _request(call.words)
    if found is None:
        return
    manager, verb, words = found
    if manager == "system":
        yield from _system(verb, words, targets)
    elif verb in ("install", "add", "sync"):
        yield from _python(call, words, targets)
    elif verb == "uninstall":
        for name in operands(words, _VALUED):
            where = targets.package_place(distribution(name), is_isolated=False)
            yield Found("remove", name, place=where)
    elif verb == "setup.py":
        yield Found("install", call.folder or ".", place=_folder_place(call.folder, targets))


def distribution(requirement: str) -> str:
    """Return the bare name of what a requirement, a wheel or an address installs.

    >>> distribution("https://x.example/sgl_kernel-0.3.1-cp310-abi3-linux_x86_64.whl")
    'sgl-kernel'
    """
    text = requirement = plain(requirement).strip()
    if " @ " in text or re.match(r"[\w.-]+@\S+:", text):
        text = text.partition("@")[0]
    address = re.sub(r"[#?].*", "", text).rstrip("/")
    if address.endswith((".whl", ".tar.gz", ".zip")):
        text = re.split(r"-[0-9]", address.rpartition("/")[2])[0]
    elif "://" in address or address.startswith("git@"):
        egg = re.search(r"[#&]egg=([\w.-]+)", requirement)
        last = re.sub(r"@[^/@]*$", "", address).rpartition("/")[2]
        text = egg[1] if egg else last.removesuffix(".git")
    match = _NAME.match(text)
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else text


def _request(words: tuple[str, ...]) -> tuple[str, str, tuple[str, ...]] | None:
    """Return the manager, the verb, and the words from the verb on; None for other commands."""
    name = words[0].rpartition("/")[2]
    rest = words[1:]
    if _INTERPRETER.fullmatch(name):
        if "-m" in rest and rest[rest.index("-m") + 1 :][:1] == ("pip",):
            return _verb("pip", rest[rest.index("-m") + 1 :])
        if rest and rest[0].rpartition("/")[2] == "setup.py":
            return "pip", "setup.py", rest
        return None
    if name == "uv" and rest and rest[0] != "pip":
        return ("uv", rest[0], rest) if rest[0] in ("add", "sync") else None
    if name == "uv":
        return _verb("pip", rest)
    if re.fullmatch(r"pip[0-9.]*", name):
        return _verb("pip", ("pip", *rest))
    if name in ("conda", "mamba", "micromamba"):
        return _verb("pip", ("pip", *rest))
    if name in _SYSTEM:
        return _verb("system", ("system", *rest))
    return None


def _verb(manager: str, words: tuple[str, ...]) -> tuple[str, str, tuple[str, ...]] | None:
    for at, word in enumerate(words[1:], 1):
        if not word.startswith("-"):
            return manager, word, words[at:]
    return None


def _python(call: Call, words: tuple[str, ...], targets: Targets) -> Iterator[Found]:
    is_isolated = _is_isolated(call, words)
    for editable in _all(words, "-e", "--editable"):
        yield _local(call, editable, targets)
    for listed in _all(words, "-r", "--requirement"):
        yield Found("install", unresolved(f"packages of {listed}"), (listed,), "unresolved")
    target = option(words, "-t", "--target", "--prefix")
    for name in operands(words, _VALUED):
        if name in (".", "..") or (re.match(r"\.{0,2}/|~", name) and not name.endswith(".whl")):
            yield _local(call, name, targets)
            continue
        where = targets.package_place(distribution(name), is_isolated=is_isolated)
        if target is not None and where == "image":
            yield Found("install", joined(call.folder, target), (name,))
        else:
            yield Found("install", name, place=where)


def _local(call: Call, path: str, targets: Targets) -> Found:
    folder = joined(call.folder, re.sub(r"\[[^\]]*\]$", "", path)) or "."
    return Found("install", folder, place=_folder_place(folder, targets))


def _folder_place(folder: str, targets: Targets) -> EffectPlace:
    """Return what a build from a folder is: an engine's where its path has an engine's name."""
    names = {re.sub(r"[-_.]+", "-", part).lower() for part in folder.split("/")}
    if any(targets.package_place(name, is_isolated=False) == "engine" for name in names if name):
        return "engine"
    return "unresolved"


def _is_isolated(call: Call, words: tuple[str, ...]) -> bool:
    python = option(words, "--python", "-p")
    if python is not None:
        return any(python == one or python.startswith(f"{one}/") for one in call.environments)
    return call.is_isolated and "--system" not in words


def _system(verb: str, words: tuple[str, ...], targets: Targets) -> Iterator[Found]:
    if verb in ("install", "add", "remove", "purge"):
        for name in operands(words, frozenset({"-t", "-o"})):
            kind: EffectKind = "remove" if verb in ("remove", "purge") else "install"
            yield Found(kind, name, place=targets.system_place(name))


def _all(words: tuple[str, ...], *names: str) -> Iterator[str]:
    for at, word in enumerate(words):
        if word in names and at + 1 < len(words):
            yield words[at + 1]
        for name in names:
            if word.startswith(f"{name}="):
                yield word[len(name) + 1 :]
