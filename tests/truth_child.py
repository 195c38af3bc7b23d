"""A truth server in a process of its own, so that it can be killed and survives its client."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class TruthChild:
    url: str
    process: "subprocess.Popen[bytes]"


@contextmanager
def truth_child(*flags: str, log: Path) -> Iterator[TruthChild]:
    """Serve while the block runs, with a line in `log` for each ended request."""
    argv = (sys.executable, "-m", "infx.servers.truth", "--port", "0", "--log", str(log), *flags)
    process = subprocess.Popen(argv, stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        assert line.startswith("listening on http://"), line
        yield TruthChild(line.split()[-1], process)
    finally:
        process.kill()
        process.communicate()
