"""Work without sockets: decodes the events of one answer again and again, for so many seconds.

Two of these beside each other tell what two cores of this machine are worth, whoever uses them.

python in_memory.py ANSWER SECONDS

It says that it is ready, begins when a line is read, and prints events a second.
"""

import sys
import time
from pathlib import Path
from subprocess import PIPE, Popen

import orjson


def decode(answer: bytes) -> int:
    """Decode every event of an answer; return how many have content."""
    count = 0
    for piece in answer.split(b"data: ")[1:]:
        data = piece[: piece.find(b"\n")]
        if data.startswith(b"{"):
            choices = orjson.loads(data)["choices"]
            count += any(choice["delta"].get("content") for choice in choices)
    return count


def work(answer: bytes, seconds: float) -> float:
    """Decode for so long; return how many events with content in a second."""
    start = now = time.monotonic()
    count = 0
    while now < start + seconds:
        count += decode(answer)
        now = time.monotonic()
    return count / (now - start)


def together(processes: int, answer: Path, seconds: float) -> float:
    """Let so many processes work at once; return how many events a second all of them decode."""
    argv = [sys.executable, __file__, str(answer), str(seconds)]
    started = [Popen(argv, stdin=PIPE, stdout=PIPE) for _ in range(processes)]
    for one in started:
        assert one.stdout is not None
        one.stdout.readline()
    for one in started:
        assert one.stdin is not None
        one.stdin.write(b"\n")
        one.stdin.flush()
    return sum(float(one.communicate()[0]) for one in started)


if __name__ == "__main__":
    found = Path(sys.argv[1]).read_bytes()
    print("ready", flush=True)
    sys.stdin.readline()
    print(work(found, float(sys.argv[2])))
