"""References of container images, taken apart as container engines do.

Who owns an image is its organisation, not how its name begins: `vllm-openai/vllm` is not of `vllm`,
and `ghcr.io/vllm/vllm-openai` is not on Docker Hub.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from infx.errors import InputError, Problem

HUB = "docker.io"
_HUBS = frozenset({HUB, "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"})
_PART = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"[a-z0-9]+:[0-9a-f]{32,}")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?")
_SCHEME = re.compile(r"^[a-z]+://")


@dataclass(frozen=True, slots=True)
class Image:
    """One image: `organisation` is all of the path before the repository, `library` for none."""

    registry: str
    organisation: str
    repository: str
    tag: str | None
    digest: str | None

    @property
    def pinned(self) -> bool:
        """Say whether the reference always means the same image."""
        return self.digest is not None


def plain(reference: str) -> str:
    """Return a reference as people write it: with `/`, and without the host of Docker Hub.

    >>> plain("docker.io/lmsysorg#sglang:v1")
    'lmsysorg/sglang:v1'
    """
    return reference.replace("#", "/").removeprefix(f"{HUB}/")


def read_image(text: str, where: str | None = None) -> Image:
    """Take a reference apart; `#` stands for `/`, as cluster tools write it.

    Raises InputError for what no registry takes: upper case outside the tag, empty parts, a digest
    that is none.

    >>> read_image("nvcr.io#nvidia/tensorrt-llm/release:1.3").organisation
    'nvidia/tensorrt-llm'
    """
    name, at, digest = _SCHEME.sub("", text.strip()).replace("#", "/").partition("@")
    path, slash, last = name.rpartition("/")
    repository, colon, tag = last.partition(":")
    parts = [*(path.split("/") if slash else ()), repository]
    registry = HUB
    if len(parts) > 1 and (parts[0] == "localhost" or set(parts[0]) & {".", ":"}):
        registry = parts.pop(0)
        if not _HOST.fullmatch(registry):
            raise _refusal(text, f"{registry!r} is no host", where)
    wrong = [part for part in parts if not _PART.fullmatch(part)]
    if wrong:
        raise _refusal(text, f"{wrong[0]!r} is no part of a name", where)
    if colon and not _TAG.fullmatch(tag):
        raise _refusal(text, f"{tag!r} is no tag", where)
    if at and not _DIGEST.fullmatch(digest):
        raise _refusal(text, f"{digest!r} is no digest", where)
    registry = HUB if registry.lower() in _HUBS else registry.lower()
    organisation = "/".join(parts[:-1]) or "library"
    return Image(registry, organisation, parts[-1], tag or None, digest or None)


def same_image(one: str, other: str) -> bool:
    """Return whether two references mean one image: by digest where both have it, else by tag.

    >>> same_image("lmsysorg#sglang:v1", "docker.io/lmsysorg/sglang:v1")
    True
    """
    try:
        first, second = read_image(one), read_image(other)
    except InputError:
        return False
    names = [(image.registry, image.organisation, image.repository) for image in (first, second)]
    if names[0] != names[1]:
        return False
    if first.digest and second.digest:
        return first.digest == second.digest
    return first.tag is not None and first.tag == second.tag


def not_upstream(image: Image, organisations: Collection[str]) -> str | None:
    """Say why an image is not one of these organisations on Docker Hub, None when it is."""
    if image.registry != HUB:
        return f"it is on {image.registry}, not on Docker Hub"
    if image.organisation not in organisations:
        return f"{image.organisation} is not {' or '.join(sorted(organisations))}"
    return None


def _refusal(text: str, why: str, where: str | None) -> InputError:
    return InputError(Problem(f"{text!r} is no image: {why}", where, "names are in lower case"))
