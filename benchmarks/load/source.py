"""A server that costs next to nothing: it answers every request with the bytes of one file.

It stands where the truth server needs more of a core than a client may lack. A request is read as
far as its end; its answer goes from the page cache to the socket, in large pieces. Linux only.

python source.py ANSWER

ANSWER holds a whole HTTP response whose connection is kept. It prints its port once it listens.
"""

import os
import re
import select
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

HOST = "127.0.0.1"
PIECE = 256 * 1024
"""The most bytes handed to the kernel at once."""
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
HEAD_END = b"\r\n\r\n"


class Lane:
    """One connection: what was read of its next request, and what it is still to be sent."""

    def __init__(self, connection: socket.socket, answer: int, size: int) -> None:
        self._connection = connection
        self._answer, self._size = answer, size
        self._read = bytearray()
        self._asked = 0
        self._sent = 0

    def serve(self) -> bool:
        """Read and send as much as the socket takes now; return False when it is closed."""
        try:
            while data := self._connection.recv(PIECE):
                self._read += data
                self._asked += self._whole_requests()
        except BlockingIOError:
            pass
        except ConnectionError:
            return False
        else:
            return False
        return self._send()

    def _whole_requests(self) -> int:
        """Take the requests that were read to their end; return how many."""
        count = 0
        while (head := self._read.find(HEAD_END)) >= 0:
            length = LENGTH.search(self._read, 0, head + 2)
            end = head + len(HEAD_END) + (int(length[1]) if length else 0)
            if len(self._read) < end:
                break
            del self._read[:end]
            count += 1
        return count

    def _send(self) -> bool:
        """Send until the socket is full or nothing is asked; return False when it is closed."""
        to = self._connection.fileno()
        try:
            while self._asked:
                count = min(PIECE, self._size - self._sent)
                self._sent += os.sendfile(to, self._answer, self._sent, count)
                if self._sent == self._size:
                    self._asked, self._sent = self._asked - 1, 0
        except BlockingIOError:
            pass
        except ConnectionError:
            return False
        return True


def serve(answer: Path) -> None:
    """Answer everybody, until killed."""
    lanes: dict[int, tuple[socket.socket, Lane]] = {}
    ready = select.epoll()
    # Told once of each change: what a socket takes is read and sent before the next turn.
    changes = select.EPOLLIN | select.EPOLLOUT | select.EPOLLET
    with answer.open("rb") as file, socket.create_server((HOST, 0), backlog=4096) as listener:
        size = answer.stat().st_size
        ready.register(listener, select.EPOLLIN)
        print(listener.getsockname()[1], flush=True)
        while True:
            for number, _ in ready.poll():
                if number == listener.fileno():
                    connection, _ = listener.accept()
                    connection.setblocking(False)
                    lanes[connection.fileno()] = connection, Lane(connection, file.fileno(), size)
                    ready.register(connection, changes)
                elif not lanes[number][1].serve():
                    lanes.pop(number)[0].close()


@contextmanager
def source(answer: Path) -> Iterator[tuple[str, int]]:
    """Run one while the block runs: its URL, and its process id."""
    process = Popen([sys.executable, __file__, str(answer)], stdout=PIPE)
    try:
        assert process.stdout is not None
        yield f"http://{HOST}:{int(process.stdout.readline())}", process.pid
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
