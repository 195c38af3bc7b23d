"""Where infx keeps what it may need again."""

from collections.abc import Mapping
from pathlib import Path

from infx.flows.selftests import FOLDER


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return the user's cache folder of infx."""
    base = environment.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "infx"


def selftests_folder(environment: Mapping[str, str]) -> Path:
    """Return where the selftests of this user's machines are kept."""
    return cache_folder(environment) / FOLDER
