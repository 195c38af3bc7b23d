"""Had the server served before a point: its own counters, and what was done to its cache."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from infx.clock import Clock
from infx.errors import InfxError
from infx.flows.telemetry import metrics_urls, pages_of
from infx.model.scrape import Page
from infx.model.server import Quantity
from infx.telemetry.engine import meaning, samples
from infx.telemetry.pages import Pages
from infx.wire.address import parse
from infx.wire.fetch import Client, Reply

RESETS = {"sglang": "/flush_cache", "vllm": "/reset_prefix_cache?reset_external=true"}
"""How an engine is told to forget all prefixes, in GPU memory and beyond it.

SGLang answers 400 while it serves; vLLM, which has it in development mode only, says `success`.
"""


async def known_before(
    client: Client, clock: Clock, *, urls: Sequence[str], reset_cache: bool
) -> dict[str, JsonValue]:
    """Return the facts of `served`, and with `reset_cache` those of `reset` after them."""
    wanted = metrics_urls(client, urls)
    pages = pages_of(client, clock)
    try:
        known, dialect = await served(pages, wanted)
    finally:
        pages.close()
    if reset_cache:
        known |= await reset(workers(client, wanted), dialect)
    return known


async def served(pages: Pages, urls: Sequence[str]) -> tuple[dict[str, JsonValue], str | None]:
    """Return how many prompt tokens the server has counted so far, and the dialect of its pages.

    The facts are in the words of `PointFile.audit`: `server_tokens_before` is null where it is not
    known, with the reason in `server_tokens_absent`.
    """
    found = [await pages.fetch(url) for url in urls]
    read = [one for one in found if isinstance(one, Page)]
    missed = [f"{one.source}: {one.reason}" for one in found if not isinstance(one, Page)]
    means = meaning(read)
    tokens = [
        sample.value
        for sample in (samples(read, means) if means else ())
        if sample.name == Quantity.PROMPT_TOKENS
    ]
    if missed or means is None or not tokens:
        unknown = "the metrics pages have no count of prompt tokens that infx knows"
        why = "; ".join(missed) or unknown
        absent: dict[str, JsonValue] = {"server_tokens_before": None, "server_tokens_absent": why}
        return absent, means.dialect if means else None
    return {"server_tokens_before": sum(tokens)}, means.dialect if means else None


async def reset(clients: Sequence[Client], dialect: str | None) -> dict[str, JsonValue]:
    """Tell every server to forget its prefixes, and return what each answered.

    The fact `cache_reset` lists `url`, `ok` and `said`. A dialect without a way is tried in none.
    """
    path = next((path for name, path in RESETS.items() if name in (dialect or "").split("-")), None)
    if path is None:
        said = f"infx knows no way to reset the cache of {dialect or 'this server'}"
        urls = [client.address.url for client in clients]
        return {"cache_reset": [{"url": url, "ok": False, "said": said} for url in urls]}
    return {"cache_reset": [await _reset_one(client, path) for client in clients]}


async def _reset_one(client: Client, path: str) -> JsonValue:
    url = f"{client.address.url}{path}"
    try:
        reply = await client.post(path, b"", timeout_s=60)
    except InfxError as error:
        return {"url": url, "ok": False, "said": str(error)}
    said = reply.body[:200].decode("utf-8", "replace")
    return {"url": url, "ok": _done(reply), "said": f"HTTP {reply.status}: {said}".strip()}


def _done(reply: Reply) -> bool:
    """Whether a server says that it forgot: older versions of vLLM answer 200 without a word."""
    if reply.status != 200:
        return False
    try:
        said = reply.json()
    except InfxError:
        return True
    return not isinstance(said, dict) or said.get("success", True) is True


def not_fresh(audit: Mapping[str, JsonValue], *, shared: bool, own_tokens: float = 0.0) -> bool:
    """Whether a point's server may have known its prompts: the reason `server-not-fresh`.

    `shared` tells that another point of the run was asked of the same server before; `own_tokens`
    are prompt tokens that infx itself had it count, to size prompts. A reset of every cache clears
    it. Where no counter is known, only `shared` tells.
    """
    resets = audit.get("cache_reset")
    done = [isinstance(one, dict) and one.get("ok") is True for one in _listed(resets)]
    if done and all(done):
        return False
    tokens = audit.get("server_tokens_before")
    return shared or (isinstance(tokens, int | float) and tokens > own_tokens)


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def workers(client: Client, urls: Sequence[str]) -> tuple[Client, ...]:
    """Return how to reach the servers behind metrics pages; the client for its own one."""
    from infx.wire.address import dial

    found: dict[str, Client] = {}
    for url in urls:
        address = parse(url.removesuffix("/metrics"))
        own = address.authority == client.address.authority
        found.setdefault(
            address.authority, client if own else Client(address, dial(address), clock=client.clock)
        )
    return tuple(found.values())
