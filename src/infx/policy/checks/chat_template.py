"""A server that speculates is asked through its chat template.

What
    For each affected entry that speculates: which endpoint its clients were told to ask, and how
    many requests of each kind were counted. The word of the entry and of its recipe both make it
    speculate.

Why
    A draft guesses text as its model writes it in a chat. Raw completions leave the template out,
    so the accepted lengths are those of texts that no user asks for.

Fails
    The endpoint is not `/v1/chat/completions`. A request for a raw completion was counted, or no
    request at all. Nobody knows the client of an entry, or neither its endpoint nor its requests.

Passes
    All clients of the entry asked for chat completions only. Where requests were not counted, the
    endpoint of the client's own plan counts, and the finding is `inferred`.

Fix
    Use the chat backend of the client and measure again.

Evidence
    Affected entries (`configs`) and who asked their servers (`clients`).
"""

from collections.abc import Iterator

from infx.model.config_facts import Config
from infx.model.run_facts import Client
from infx.model.submission import Submission
from infx.model.verdict import Cite, Confidence, Finding
from infx.policy.context import Context
from infx.policy.scope import speculating

NEEDS = ("configs", "clients")

CHAT = "/v1/chat/completions"


def check(submission: Submission, context: Context) -> Iterator[Finding]:
    """Yield for each client of each entry that speculates what it asked for."""
    configs = speculating(submission)
    if not configs:
        yield Finding(status="N/A", message="no affected entry speculates")
    for config in configs:
        clients = [one for one in submission.clients or () if one.config == config.key]
        if not clients:
            message = f"could not be verified: nobody knows which client asked {config.key}"
            yield _bad(config, message, config.cite)
        for client in clients:
            yield _client(config, client)


def _client(config: Config, client: Client) -> Finding:
    told = client.endpoint
    chat, raw = client.chat_requests, client.completions
    if told is not None and not _is_chat(told):
        return _bad(config, f"{client.tool} was told to ask {told}, not {CHAT}", client.cite)
    if raw:
        message = f"{client.tool} asked for {raw} raw completions beside {chat or 0} chats"
        return _bad(config, message, client.cite)
    if chat == 0:
        return _bad(config, f"{client.tool} asked for no chat completion at all", client.cite)
    if chat is not None and raw is not None:
        message = f"{client.tool} asked for {chat} chat completions and no raw one"
        return _good(config, message, client.cite, "certain")
    if told is not None:
        message = f"{client.tool} was told to ask {told}; its requests were not counted"
        return _good(config, message, client.cite, "inferred")
    message = f"could not be verified: nobody knows which endpoint {client.tool} asked"
    return _bad(config, message, client.cite)


def _is_chat(endpoint: str) -> bool:
    """Say whether an endpoint, with or without its host, is that of chat completions."""
    path = endpoint.partition("?")[0].rstrip("/")
    if "://" in path:
        path = "/" + path.partition("://")[2].partition("/")[2]
    return path == CHAT


def _good(config: Config, message: str, cite: Cite, confidence: Confidence) -> Finding:
    return Finding(
        status="PASS", message=message, cites=(cite,), about=config.key, confidence=confidence
    )


def _bad(config: Config, message: str, cite: Cite) -> Finding:
    return Finding(
        status="FAIL",
        message=message,
        cites=(cite,),
        about=config.key,
        remedy=f"ask {CHAT} only, and measure again",
    )
