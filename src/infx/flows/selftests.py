"""The selftests that a machine keeps, so that a run can cite the latest one."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue, ValidationError

from infx.model.bundle import SelftestCitation
from infx.store.files import refused, write_whole

if TYPE_CHECKING:
    from infx.model.selftest import Selftest

FOLDER = "selftests"
"""Where they stand in the user's cache."""
SAME_HOST = ("cpu_model", "usable_cores", "cgroup_cpu_limit", "kernel")
"""Facts that two selftests of one host have in common."""


def keep(result: "Selftest", folder: Path) -> Path:
    """Write a selftest into the folder and return its file; raises MachineError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(folder, "make the folder of selftests", error) from error
    path = folder / f"selftest-{result.selftest}.json"
    write_whole(path, result.model_dump_json(indent=1).encode() + b"\n")
    return path


def latest(folder: Path, host: Mapping[str, JsonValue]) -> SelftestCitation | None:
    """Return the latest selftest of a host; files that cannot be read are passed over."""
    paths = sorted(folder.glob("selftest-*.json"), reverse=True)
    if not paths:
        return None
    from infx.model.selftest import Selftest  # a run cites little of it

    for path in paths:
        with suppress(OSError, ValidationError):
            found = Selftest.model_validate_json(path.read_bytes())
            if all(found.host.get(name) == host.get(name) for name in SAME_HOST):
                return SelftestCitation(
                    selftest=found.selftest,
                    started=found.started,
                    largest_streams=found.largest_streams,
                )
    return None
