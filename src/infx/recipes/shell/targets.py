"""What a path or a package is to an inference engine: where its code lies in the images."""

import re
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase

from infx.model.setting_registry import Package, PackageRegistry
from infx.model.shell_effects import EffectPlace
from infx.recipes.shell.values import CLOSE, OPEN, assumed, is_open, plain

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

_OF_IMAGE = re.compile(r"/(usr|opt|etc|bin|sbin|lib|root)/|~/\.")
_CODE = re.compile(r"\.(py|pyx|so|cu|cuh|cpp|cc|c|h|hpp|pth|triton)$")
_PLAIN_FILE = re.compile(r"\.(json|jsonl|ya?ml|toml|cfg|conf|ini|txt|log|csv|out|err|pid|env|md)$")


def is_of_image(path: str) -> bool:
    """Return whether a path lies in the image, which brings its own text."""
    return not is_open(path) and _OF_IMAGE.match(path) is not None


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


class Targets:
    """What paths and packages are, by a registry of packages.

    `mounts` are folders of the host that the container sees.
    """

    def __init__(self, registry: PackageRegistry, mounts: Iterable[str] = ()) -> None:
        self._packages = registry.packages
        self._mounts = tuple(mounts)
        self._folders = frozenset(one.folder for one in registry.packages if one.folder)
        names = "|".join(sorted(map(re.escape, self._folders)))
        self._text = re.compile(
            r"site-packages|dist-packages|sgl-workspace|vllm-workspace|find_spec|getsitepackages"
            r"|getusersitepackages|purelib|platlib|pip3?\s+show|"
            rf"\b({names})(\.\w+)*\.__(file|path)__|\bimport\s+({names})\b"
        )

    def is_engine(self, text: str) -> bool:
        """Return whether a text speaks of the code of an engine, as a path or as a look-up."""
        return self._text.search(text) is not None

    def is_module(self, name: str) -> bool:
        """Return whether a dotted name is of a module of an engine."""
        return name.partition(".")[0] in self._folders

    def place(self, path: str, *, environments: Collection[str] = ()) -> EffectPlace:
        """Return what a path is; see `EffectPlace`.

        `environments` are isolated Python environments of a client.
        """
        value = plain(path)
        if any(_within(value, folder) for folder in environments if folder):
            return "client"
        if self.is_engine(value):
            return "engine"
        if value.startswith(OPEN):
            name, _, rest = value[1:].partition(CLOSE)
            return "generated" if name in _RUN_FOLDERS and not is_open(rest) else "unresolved"
        if _within_any(value, _SCRATCH) or _CACHE.match(value):
            return "generated"
        has_engine = any(part in self._folders for part in value.split("/"))
        if value.startswith(("/", "~")):
            return self._absolute(value, has_engine=has_engine)
        if is_open(value.partition("/")[0]):
            return "unresolved"
        if has_engine and _CODE.search(value):
            return "engine"
        return "generated" if _PLAIN_FILE.search(value) else "workspace"

    def mount_place(self, target: str) -> EffectPlace:
        """Return what a mount covers; a folder that no image has is one of the run."""
        where = self.place(joined("", target))
        return "workspace" if where == "image" and not _within_any(target, _IMAGE) else where

    def package_place(self, name: str, *, is_isolated: bool) -> EffectPlace:
        """Return what a Python distribution is that is installed, by its bare name."""
        if is_open(name):
            return "engine" if self.is_engine(name) else "unresolved"
        if self._row(name, "python") is not None:
            return "engine"
        return "client" if is_isolated else "image"

    def system_place(self, name: str) -> EffectPlace:
        """Return what a package of the system is."""
        if is_open(name):
            return "unresolved"
        return "image" if self._row(name, "system") is None else "engine"

    def _row(self, name: str, manager: str) -> Package | None:
        rows = (one for one in self._packages if one.manager == manager)
        return next((one for one in rows if fnmatchcase(name, one.name)), None)

    def _absolute(self, value: str, *, has_engine: bool) -> EffectPlace:
        if _within_any(value, [*_WORKSPACE, *self._mounts]) and not has_engine:
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
