"""The program: real sockets, its one line, its log, its ends."""

import asyncio
import signal
import sys
import time
from pathlib import Path

import orjson
import pytest

from infx.servers.truth.__main__ import parser, script_of
from infx.servers.truth.script import EngineModel, Script

BODY = b'{"messages":[{"role":"user","content":"a b c"}],"max_tokens":5,"stream":true}'
REQUEST = (
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-Request-ID: r%d\r\n"
    b"Content-Length: %d\r\n\r\n%b"
)


class Program:
    """The server as a child process."""

    def __init__(self, process, address: tuple[str, int], line: str) -> None:
        self.process = process
        self.address = address
        self.line = line

    @classmethod
    async def start(cls, *arguments: str) -> "Program":
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "infx.servers.truth",
            "--port",
            "0",
            *arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        line = (await process.stderr.readline()).decode()
        host, _, port = line.strip().removeprefix("listening on http://").rpartition(":")
        return cls(process, (host, int(port)), line)

    async def stop(self, number: int = signal.SIGTERM) -> tuple[int, bytes, bytes]:
        self.process.send_signal(number)
        out, err = await self.process.communicate()
        return self.process.returncode, out, err


async def ask(program: Program, request: bytes) -> tuple[int, bytes, int]:
    """Send, read to the end of the stream; return the moments around and what was read."""
    reader, writer = await asyncio.open_connection(*program.address)
    before = time.monotonic_ns()
    writer.write(request)
    body = await reader.readuntil(b"\r\n0\r\n\r\n")
    after = time.monotonic_ns()
    writer.close()
    return before, body, after


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_client_on_the_host_finds_the_log_inside_its_own_moments(tmp_path, number):
    log = tmp_path / "sent.jsonl"

    async def story():
        program = await Program.start("--log", str(log), "--ttft", "0.02", "--itl", "0.001")
        requests = [REQUEST % (n, len(BODY), BODY) for n in range(8)]
        seen = await asyncio.gather(*(ask(program, request) for request in requests))
        return program, seen, await program.stop(number)

    program, seen, (code, out, err) = asyncio.run(story())
    assert program.line.startswith("listening on http://127.0.0.1:")
    assert (code, out, err) == (0, b"", b"")
    lines = {line["request_id"]: line for line in map(orjson.loads, log.read_bytes().splitlines())}
    assert set(lines) == {f"r{n}" for n in range(8)}
    for n, (before, body, after) in enumerate(seen):
        sent = lines[f"r{n}"]
        moments = [moment for moment, _ in sent["writes"]]
        assert before <= sent["received_ns"] <= moments[0]
        assert moments == sorted(moments)
        assert moments[-1] <= after
        assert sent["first_token_ns"] >= sent["received_ns"] + 20_000_000, "never early"
        assert sent["last_token_ns"] >= sent["received_ns"] + 24_000_000
        assert sum(tokens for _, tokens in sent["writes"]) == 5
        assert body.count(b'"content"') == 6


def test_stopping_logs_what_is_under_way(tmp_path):
    log = tmp_path / "sent.jsonl"

    async def story():
        program = await Program.start("--log", str(log), "--ttft", "0", "--itl", "30")
        reader, _ = await asyncio.open_connection(*program.address)
        _.write(REQUEST % (0, len(BODY), BODY))
        await reader.readuntil(b'"content"')
        return await program.stop()

    code, _, err = asyncio.run(story())
    assert (code, err) == (0, b"")
    (line,) = map(orjson.loads, log.read_bytes().splitlines())
    assert (line["end"], line["completion_tokens"]) == ("server-closed", 1)


def test_two_servers_cannot_have_one_port():
    async def story():
        first = await Program.start()
        second = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "infx.servers.truth",
            "--port",
            str(first.address[1]),
            stderr=asyncio.subprocess.PIPE,
        )
        _, err = await second.communicate()
        await first.stop()
        return second.returncode, err.decode(), first.address[1]

    code, err, port = asyncio.run(story())
    assert code == 3
    assert err.startswith(f"127.0.0.1:{port}: cannot listen: ")
    assert err.count("\n") == 1


def test_arguments_become_the_script():
    arguments = (
        "--model m --api-key k --ttft 0.1 --itl 0.2 --tokens-per-chunk 3 --role-chunk none "
        "--reasoning-share 0.5 --template-tokens 9 --tokens-per-word 1.25 --default-tokens 64 "
        "--dialect sglang --engine --slots 4 --prefill-rate 1000 --step-base 0.01 "
        "--step-per-sequence 0.002 --block-size 32 --kv-tokens 5000"
    )
    assert script_of(parser().parse_args(arguments.split())) == Script(
        model="m",
        api_key="k",
        ttft_s=0.1,
        itl_s=0.2,
        tokens_per_chunk=3,
        role_chunk="none",
        reasoning_share=0.5,
        template_tokens=9,
        tokens_per_word=1.25,
        default_tokens=64,
        dialect="sglang",
        engine=EngineModel(4, 1000.0, 0.01, 0.002, 32, 5000),
    )


def test_no_arguments_are_the_script_s_own_defaults():
    assert script_of(parser().parse_args([])) == Script()
    assert script_of(parser().parse_args(["--engine"])) == Script(engine=EngineModel())


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["--ttft", "-1", "--slots", "0", "--engine"], 2, "ttft is -1.0, below 0; slots is 0"),
        (["--ttft", "soon"], 2, "invalid float value: 'soon'"),
        (["--log", "/nowhere/at/all"], 3, "/nowhere/at/all: the log cannot be opened"),
    ],
)
def test_bad_arguments_end_with_one_line(arguments, code, error, capsys):
    from infx.servers.truth.__main__ import main

    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == code
    assert error in capsys.readouterr().err.splitlines()[-1]


def test_a_log_is_appended_to(tmp_path: Path):
    from infx.servers.truth.log import LogFile, Sent

    path = tmp_path / "sent.jsonl"
    for request in ("a", "b"):
        log = LogFile(path)
        log(
            Sent(
                request, "chat", stream=True, status=200, end="completed", received_ns=1, ended_ns=2
            )
        )
        log.close()
    assert [orjson.loads(line)["request_id"] for line in path.read_bytes().splitlines()] == [
        "a",
        "b",
    ]
