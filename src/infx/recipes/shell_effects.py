"""What a shell script changes in the container: each write, install and injection with its target.

The text is parsed and followed, never run. Every branch counts, a comment never does; a script is
judged as it stands, so lines that a change removed are not there.
"""

from collections.abc import Mapping

from infx.model.setting_registry import PackageRegistry
from infx.model.shell_effects import EffectReport
from infx.recipes.shell.record import Record
from infx.recipes.shell.step import Frame
from infx.recipes.shell.targets import Targets
from infx.recipes.shell.values import Scope
from infx.recipes.shell.walk import Walk


def analyse(
    script: str,
    files: Mapping[str, str],
    packages: PackageRegistry,
    *,
    environment: Mapping[str, str] | None = None,
    mounts: tuple[str, ...] = (),
) -> EffectReport:
    """Return what a script changes; `files` has its text, and those that it may run or source.

    `environment` are the variables that are stated for it. A variable that nobody states is open;
    its default (`${NAME:-x}`) is taken, and named in `assumed`. `mounts` are folders of the host
    that the container sees. Raises KeyError when the script is not among the files.
    """
    record = Record(Targets(packages, mounts))
    follow(script, files, record, environment or {})
    return record.report(script)


def follow(
    script: str, files: Mapping[str, str], record: Record, environment: Mapping[str, str]
) -> None:
    """Follow a script with `environment`, and record what it does; see `analyse`."""
    text = files[script]
    record.read(script, text)
    walk = Walk(record, files, environment)
    scope = Scope(variables={"BASH_SOURCE": (script,), "0": (script,)})
    walk.whole(text, scope, Frame(script))
