"""What a path or a package is to an inference engine: where its code lies in the images."""

import re
from collections.abc import Collection, Iterable, Sequence

from infx.model.shell_effects import EffectPlace
from infx.recipes.shell.values import CLOSE, OPEN, assumed, is_open, plain

ENGINES = ("vllm", "sglang", "tensorrt_llm", "aiter", "mooncake", "nixl")
"""Packages whose folders are engine code wherever they lie in an image."""

SERVING = (
    *("vllm*", "sglang", "sgl-kernel*", "tensorrt-llm", "aiter", "amd-aiter", "triton*"),
    *("flashinfer*", "mooncake*", "nixl*", "transformers", "torch*", "deep-ep", "deep-gemm"),
    *("deepep", "deepgemm"),
    *("amd-quark", "atom"),
)
"""Distributions that an engine or its serving stack is made of, `*` for any ending."""

_ENGINE_TEXT = re.compile(
    r"site-packages|dist-packages|sgl-workspace|vllm-workspace|find_spec|getsitepackages"
    r"|getusersitepackages|purelib|platlib|pip3?\s+show|"
    rf"\b({'|'.join(ENGINES)})(\.\w+)*\.__(file|path)__|\bimport\s+({'|'.join(ENGINES)})\b"
)
_SCRATCH = tuple(
    f"/{name}" for name in ("tmp", "var/tmp", "dev", "proc", "run", "logs", "results", "var/log")
)
_WORKSPACE = ("/workspace", "/infmax-workspace", "/configs")
_IMAGE = (
    "/usr",
    "/opt",
    "/etc",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/root",
    "/app",
    "/srv",
    "/var",
)
_CACHE = re.compile(r"(/root|/home/[^/]+|~)/(\.cache|\.config|\.triton)(/|$)")
_RUN_FOLDERS = frozenset(
    {
        *("RESULT_DIR", "RESULTS_DIR", "AGENTIC_OUTPUT_DIR", "OUTPUT_DIR", "LOG_DIR", "LOGDIR"),
        *("TMPDIR", "PWD", "RUNNER_TEMP", "SERVER_LOG", "MOONCAKE_CONFIG_PATH"),
        *("GITHUB_WORKSPACE", "GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"),
        *("INFMAX_CONTAINER_WORKSPACE", "SLURM_SUBMIT_DIR"),
    }
)
"""Variables by which the harness names the folders and files of a run."""

_CODE = re.compile(r"\.(py|pyx|so|cu|cuh|cpp|cc|c|h|hpp|pth|triton)$")
_PLAIN_FILE = re.compile(r"\.(json|jsonl|ya?ml|toml|cfg|conf|ini|txt|log|csv|out|err|pid|env|md)$")


def is_engine(text: str) -> bool:
    """Return whether a text speaks of the code of an engine, as a path or as a look-up of one."""
    return _ENGINE_TEXT.search(text) is not None


def joined(folder: str, path: str) -> str:
    """Return a path seen from a folder, without `.` and `..`; what it assumes stays said."""
    value = plain(path)
    marks = assumed(path)
    value = value if value.startswith(("/", "~", OPEN)) or not folder else f"{folder}/{value}"
    parts: list[str] = []
    for part in value.split("/"):
        if part == ".." and parts and parts[-1] not in ("..", "") and not is_open(parts[-1]):
            parts.pop()
        elif part not in (".", "") or not parts:
            parts.append(part)
    return marks + ("/".join(parts) or ("/" if value.startswith("/") else ""))


def place(
    path: str, *, environments: Collection[str] = (), mounts: Iterable[str] = ()
) -> EffectPlace:
    """Return what a path is; see `EffectPlace`.

    `environments` are isolated Python environments of a client, `mounts` folders of the host that
    the container sees.
    """
    value = plain(path)
    if any(_within(value, folder) for folder in environments if folder):
        return "client"
    if is_engine(value):
        return "engine"
    if value.startswith(OPEN):
        name, _, rest = value[1:].partition(CLOSE)
        return "generated" if name in _RUN_FOLDERS and not is_open(rest) else "unresolved"
    if _within_any(value, _SCRATCH) or _CACHE.match(value):
        return "generated"
    has_engine = any(part in ENGINES for part in value.split("/"))
    if value.startswith(("/", "~")):
        return _absolute(value, has_engine=has_engine, mounts=mounts)
    if is_open(value.partition("/")[0]):
        return "unresolved"
    if has_engine and _CODE.search(value):
        return "engine"
    return "generated" if _PLAIN_FILE.search(value) else "workspace"


def mount_place(target: str) -> EffectPlace:
    """Return what a mount covers; a folder that no image has is one of the run."""
    where = place(joined("", target))
    return "workspace" if where == "image" and not _within_any(target, _IMAGE) else where


def package_place(name: str, *, is_isolated: bool) -> EffectPlace:
    """Return what a distribution is that is installed, by its bare name."""
    if is_open(name):
        return "engine" if is_engine(name) else "unresolved"
    if any(_named(name, one) for one in SERVING):
        return "engine"
    return "client" if is_isolated else "image"


def _absolute(value: str, *, has_engine: bool, mounts: Iterable[str]) -> EffectPlace:
    if _within_any(value, [*_WORKSPACE, *mounts]) and not has_engine:
        return "generated" if _PLAIN_FILE.search(value) else "workspace"
    if has_engine:
        return "engine"
    if _within_any(value, _IMAGE):
        return "image"
    return "unresolved" if is_open(value) else "image"


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _within_any(path: str, folders: Sequence[str]) -> bool:
    return any(_within(path, folder) for folder in folders)


def _named(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
