"""Environment variables that source code reads by their names."""

import re
from collections.abc import Callable, Iterator, Mapping

from infx.model.engine_schema import Variable

_GETTERS: Mapping[str, Variable] = {
    "get_bool_env_var": Variable(kind="bool", choices=("true", "1", "false", "0"), folded=True),
    "get_int_env_var": Variable(kind="int"),
}
_CALL = re.compile(r"(\w+)\(\s*\Z")


def mentioned(
    files: Mapping[str, str], prefixes: tuple[str, ...], *, serves: Callable[[str], bool]
) -> Iterator[tuple[str, Variable]]:
    """Yield each variable of these prefixes that stands as a whole text in quotes, where it is.

    Only Python files that `serves` accepts by their path are read. The kind is known where a
    function that tells it reads the variable; a name may come several times.
    """
    begins = "|".join(map(re.escape, prefixes))
    name = re.compile(rf"[\"']((?:{begins})[A-Z0-9_]*[A-Z0-9])[\"']")
    for path in files:
        if path.endswith(".py") and serves(path):
            content = files[path]
            for match in name.finditer(content):
                before = _CALL.search(content, max(0, match.start() - 80), match.start())
                yield match[1], _GETTERS.get(before[1] if before else "", Variable())
