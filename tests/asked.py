"""A truth server in virtual time, and one question to it."""

import json
from typing import Any, cast

from infx.clock import VirtualTimeLoop
from infx.servers.truth.script import Script
from infx.servers.truth.server import TruthServer
from infx.wire.address import Dial, parse
from infx.wire.fetch import Client
from memory_transport import memory_dial


def served_by(script: Script, loop: VirtualTimeLoop) -> Client:
    server = TruthServer(script, loop, lambda _: None)
    dial = cast(Dial, memory_dial(server.protocol))
    return Client(parse("http://here"), dial, (("Authorization", "Bearer x"),), loop)


async def ask(client: Client, words: int, tokens: int, model: str = "truth") -> dict[str, Any]:
    body = {
        "model": model,
        "messages": [{"role": "user", "content": "w " * words}],
        "max_tokens": tokens,
        "ignore_eos": True,
    }
    reply = await client.post("/v1/chat/completions", json.dumps(body).encode())
    usage: dict[str, Any] = reply.json()["usage"]
    return usage
