"""Reads the body of a generation request: what is asked, or why it is refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Literal
from zlib import crc32

import orjson

from infx.servers.truth.refusal import Refusal
from infx.servers.truth.script import Script
from infx.servers.truth.tokens import TokenRule, block_keys, count_words

Api = Literal["chat", "completions"]
Texts = tuple[tuple[str, str], ...]

LIMITS: Mapping[Api, tuple[str, ...]] = {
    "chat": ("max_completion_tokens", "max_tokens"),
    "completions": ("max_tokens",),
}
"""Fields that limit the answer, the one that wins first."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One accepted request.

    `tokens` will be generated, the first `reasoning_tokens` of them as reasoning. `blocks` are
    the prompt's keys in the prefix cache, empty without one. `seed` decides the words of the
    answer: equal bodies get equal answers.
    """

    api: Api
    stream: bool
    include_usage: bool
    continuous_usage: bool
    tokens: int
    reasoning_tokens: int
    prompt_tokens: int
    blocks: tuple[int, ...]
    seed: int


def read_ask(body: bytes, api: Api, script: Script) -> Ask:
    """Read a request body; unknown fields are accepted and ignored.

    Raises Refusal: 404 for a model that is not served, 400 for everything malformed.
    """
    fields = _object(body)
    _check_model(fields.get("model"), script)
    rule, texts = _chat(fields, script) if api == "chat" else _completion(fields, script)
    tokens = _limit(fields, api, script)
    stream = _flag(fields, "stream")
    options = _stream_options(fields, stream=stream)
    include_usage = _flag(options, "include_usage")
    return Ask(
        api=api,
        stream=stream,
        include_usage=include_usage,
        continuous_usage=include_usage and _flag(options, "continuous_usage_stats"),
        tokens=tokens,
        reasoning_tokens=floor(tokens * script.reasoning_share) if api == "chat" else 0,
        prompt_tokens=rule.tokens(sum(count_words(text) for _, text in texts)),
        blocks=block_keys(texts, rule, size=script.engine.block_size) if script.engine else (),
        seed=crc32(body),
    )


def _object(body: bytes) -> dict[str, object]:
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refusal(400, f"the body is not valid JSON: {error}", code="invalid_json") from None
    if not isinstance(fields, dict):
        raise Refusal(400, "the body is not a JSON object")
    return fields


def _check_model(model: object, script: Script) -> None:
    if model is None or model == script.model:
        return
    if not isinstance(model, str):
        raise Refusal(400, "model is not a string", param="model")
    what = f"The model `{model}` does not exist; served is `{script.model}`."
    raise Refusal(404, what, param="model", code="model_not_found")


def _limit(fields: Mapping[str, object], api: Api, script: Script) -> int:
    stated = [(name, fields[name]) for name in LIMITS[api] if fields.get(name) is not None]
    for name, limit in stated:
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise Refusal(400, f"{name} is {limit!r}, not a positive integer", param=name)
    choices = fields.get("n")
    if choices not in (None, 1) or isinstance(choices, bool):
        raise Refusal(400, f"n is {choices!r}; one choice is served", param="n")
    limits = [limit for _, limit in stated if isinstance(limit, int)]
    return limits[0] if limits else script.default_tokens


def _flag(fields: Mapping[str, object], name: str) -> bool:
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise Refusal(400, f"{name} is {value!r}, not true or false", param=name)
    return bool(value)


def _stream_options(fields: Mapping[str, object], *, stream: bool) -> Mapping[str, object]:
    options = fields.get("stream_options")
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise Refusal(400, "stream_options is not an object", param="stream_options")
    if not stream:
        raise Refusal(400, "stream_options needs stream: true", param="stream_options")
    return options


def _chat(fields: Mapping[str, object], script: Script) -> tuple[TokenRule, Texts]:
    messages = fields.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refusal(400, "messages is missing, empty or not a list", param="messages")
    texts = tuple(_message(message, f"messages[{i}]") for i, message in enumerate(messages))
    return TokenRule(script.template_tokens, script.tokens_per_word), texts


def _message(message: object, place: str) -> tuple[str, str]:
    if not isinstance(message, dict):
        raise Refusal(400, f"{place} is not an object", param=place)
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or not role:
        raise Refusal(400, f"{place}.role is not a string", param=f"{place}.role")
    if isinstance(content, str):
        return role, content
    if content is None and message.get("tool_calls"):
        return role, ""
    if isinstance(content, list):
        return role, "\n".join(
            _part(part, f"{place}.content[{i}]") for i, part in enumerate(content)
        )
    raise Refusal(400, f"{place}.content is not text", param=f"{place}.content")


def _part(part: object, place: str) -> str:
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
    if not isinstance(text, str):
        raise Refusal(400, f"{place} is not a text part", param=place)
    return text


def _completion(fields: Mapping[str, object], script: Script) -> tuple[TokenRule, Texts]:
    prompt = fields.get("prompt")
    if isinstance(prompt, str) and prompt:
        return TokenRule(0, script.tokens_per_word), (("", prompt),)
    if isinstance(prompt, list) and prompt and all(type(token) is int for token in prompt):
        return TokenRule(0, 1.0), (("", " ".join(map(str, prompt))),)
    raise Refusal(400, "prompt is missing, or not one text or list of token ids", param="prompt")
