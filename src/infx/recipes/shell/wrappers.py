"""Programs that run another one: the command inside their words."""

import re
from collections.abc import Iterator, Mapping

from infx.recipes.shell.found import operands
from infx.recipes.shell.values import unresolved

SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ash", "ksh"})
PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")

_VALUED: Mapping[str, frozenset[str]] = {
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-D"}),
    "env": frozenset({"-u", "-C", "-S", "--unset", "--chdir"}),
    "exec": frozenset({"-a"}),
    "command": frozenset(),
    "builtin": frozenset(),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "time": frozenset({"-f", "-o"}),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n", "-p"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "unbuffer": frozenset(),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "taskset": frozenset(),
    "numactl": frozenset({"-N", "-m", "-C", "-i", "-p"}),
    "chroot": frozenset(),
    "flock": frozenset({"-w", "-E"}),
    "watch": frozenset({"-n"}),
    "parallel": frozenset({"-j"}),
    "xargs": frozenset({"-I", "-n", "-P", "-d", "-L", "-a", "-s", "-E"}),
}
_OWN_OPERANDS = {"timeout": 1, "taskset": 1, "chroot": 1, "flock": 1}
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_MOUNT_OPTIONS = ("-v", "--volume", "--container-mounts", "--container-mount", "-B", "--bind")
_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "enroot", "srun", "sbatch", "apptainer"})


def inner(words: tuple[str, ...], piped: str | None) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the variables that a wrapper sets, and the command inside; none for no wrapper.

    What `xargs` adds from its input stands there as one open word.
    """
    name = words[0].rpartition("/")[2]
    if name not in _VALUED:
        return {}, ()
    rest = list(words[1:])
    own = _OWN_OPERANDS.get(name, 0)
    variables: dict[str, str] = {}
    while rest:
        word = rest[0]
        if name == "env" and _ASSIGNED.match(word):
            key, _, value = word.partition("=")
            variables[key] = value
        elif word.startswith("-") and len(word) > 1:
            if word in _VALUED[name] and len(rest) > 1:
                rest.pop(0)
        elif own:
            own -= 1
        else:
            break
        rest.pop(0)
    if name == "xargs" and rest:
        rest.append(unresolved("input", piped or ""))
    return variables, tuple(rest)


def executed(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the commands that `find -exec` runs, with the folders it searches for `{}`."""
    if words[0].rpartition("/")[2] != "find":
        return
    folders = [word for word in words[1:] if not word.startswith("-")]
    first = next((at for at, word in enumerate(words) if at and word.startswith("-")), len(words))
    searched = unresolved("found", " ".join(words[1:first] or folders[:1]))
    if "-delete" in words:
        yield ("rm", searched)
    starts = [at for at, word in enumerate(words) if word in ("-exec", "-execdir", "-ok")]
    for start in starts:
        inside = words[start + 1 :]
        ends = [at for at, word in enumerate(inside) if word in (";", "+")]
        command = inside[: ends[0]] if ends else inside
        yield tuple(word.replace("{}", searched) for word in command)


def mounts(words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield source and target of every mount on a command line that starts containers."""
    if words[0].rpartition("/")[2] not in _CONTAINERS:
        return
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        if name in _MOUNT_OPTIONS:
            given = value if equals else words[at + 1] if at + 1 < len(words) else ""
            yield from _pairs(given)
        elif name == "--mount":
            given = value if equals else words[at + 1] if at + 1 < len(words) else ""
            parts = dict(part.partition("=")[::2] for part in given.split(","))
            target = parts.get("target") or parts.get("dst") or parts.get("destination")
            if target:
                yield parts.get("source") or parts.get("src") or "", target


def _pairs(given: str) -> Iterator[tuple[str, str]]:
    for one in given.split(","):
        source, colon, rest = one.partition(":")
        if colon:
            yield source, rest.partition(":")[0]


def inside_container(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command that `srun`, `ssh` or `docker exec` runs, empty where there is none.

    Options with values are not all known: the command begins at the first known program.
    """
    name = words[0].rpartition("/")[2]
    if name not in _CONTAINERS and name != "ssh":
        return ()
    for at, word in enumerate(words[1:], 1):
        program = word.rpartition("/")[2]
        if program in SHELLS or PYTHON.fullmatch(program) or program in _PROGRAMS:
            return words[at:]
    last = operands(words, frozenset({"-o", "-p", "-i", "-l"}))
    return ("bash", "-c", " ".join(last[1:])) if name == "ssh" and len(last) > 1 else ()


_PROGRAMS = frozenset(
    {"sed", "tee", "cp", "mv", "ln", "rm", "pip", "pip3", "uv", "git", "patch", "curl", "wget"}
    | {"vllm", "env", "numactl"}
)


def shell_text(words: tuple[str, ...]) -> str | None:
    """Return the text after `-c` of a shell, None for other commands."""
    if words[0].rpartition("/")[2] not in SHELLS:
        return None
    for at, word in enumerate(words[1:], 1):
        if word[:1] == "-" and word[:2] != "--" and "c" in word:
            return words[at + 1] if at + 1 < len(words) else None
        if not word.startswith("-"):
            return None
    return None


def environment_file(words: tuple[str, ...]) -> str | None:
    """Return the folder of the isolated Python environment that a command makes, None otherwise.

    One that sees the packages of the image is not isolated.
    """
    if "--system-site-packages" in words:
        return None
    name = words[0].rpartition("/")[2]
    rest: tuple[str, ...] = ()
    if PYTHON.fullmatch(name) and words[1:3] in (("-m", "venv"), ("-m", "virtualenv")):
        rest = words[2:]
    elif name == "virtualenv":
        rest = words
    elif name == "uv" and words[1:2] == ("venv",):
        rest = words[1:]
    if not rest:
        return None
    names = operands(rest, frozenset({"-p", "--python", "--prompt"}))
    return names[0] if names else ".venv"


def is_server(words: tuple[str, ...]) -> bool:
    """Return whether a command starts an inference server or a part of one."""
    text = " ".join(words[:12])
    return (
        re.search(
            r"\bvllm(?:\.\w+)* serve\b|vllm\.entrypoints|sglang\.(?:launch_server|bench_one_batch)"
            r"|sglang serve|sglang_router|trtllm-serve|trtllm-llmapi-launch|tensorrt_llm\.commands"
            r"|\bdynamo\.(?:vllm|sglang|trtllm|frontend)|\batom\.entrypoints|mooncake_master",
            text,
        )
        is not None
    )
