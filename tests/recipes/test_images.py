"""Image references: who owns them, and what is none."""

import re

import pytest

from infx.errors import InputError
from infx.recipes.images import HUB, not_upstream, read_image, same_image
from recipe_files import reference

DIGEST = "sha256:8cfc5a72cb296771f5f8a4a4688cb6d05685610a830cbb616fa4ab0eb7bb2b0a"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (f"lmsysorg/sglang:dev-muse@{DIGEST}", (HUB, "lmsysorg", "sglang", "dev-muse", DIGEST)),
        ("docker.io/vllm/vllm-openai:v0.21.0", (HUB, "vllm", "vllm-openai", "v0.21.0", None)),
        ("docker://vllm/vllm-openai", (HUB, "vllm", "vllm-openai", None, None)),
        ("lmsysorg#sglang:v0.5.14", (HUB, "lmsysorg", "sglang", "v0.5.14", None)),
        ("nvcr.io#nvidia/trt/release:1.3", ("nvcr.io", "nvidia/trt", "release", "1.3", None)),
        ("localhost:5000/vllm/vllm-openai:x", ("localhost:5000", "vllm", "vllm-openai", "x", None)),
        ("ubuntu", (HUB, "library", "ubuntu", None, None)),
        ("vllm/vllm-openai:Nightly-A", (HUB, "vllm", "vllm-openai", "Nightly-A", None)),
    ],
)  # fmt: skip
def test_a_reference_has_parts(text, parts):
    one = read_image(text)
    assert (one.registry, one.organisation, one.repository, one.tag, one.digest) == parts
    assert one.pinned is (parts[-1] is not None)


@pytest.mark.parametrize(
    "text",
    [
        "VLLM/vllm-openai:x",
        "vllm/",
        "/vllm",
        "vllm//x",
        "vllm/x@sha256:12",
        "vllm/x:",
        "",
        "vllm/x:a b",
        "vllm/vllm‐openai",
        "../vllm/x",
    ],
)
def test_what_no_registry_takes_is_refused(text):
    with pytest.raises(InputError, match="is no image"):
        read_image(text, "master.yaml:3")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("vllm/vllm-openai:v0.21.0", None),
        ("vllm/vllm-openai-rocm:v1", None),
        ("index.docker.io/vllm/vllm-openai:v1", None),
        ("vllm-openai/vllm:v1", "vllm-openai is not vllm"),
        ("rocm/vllm-dev:v1", "rocm is not vllm"),
        ("ghcr.io/vllm/vllm-openai:v1", "it is on ghcr.io, not on Docker Hub"),
        ("docker.io.evil.io/vllm/vllm-openai", "it is on docker.io.evil.io, not on Docker Hub"),
        ("vllm/team/vllm-openai", "vllm/team is not vllm"),
        ("vllm", "library is not vllm"),
    ],
)
def test_the_organisation_is_compared_not_the_beginning(text, why):
    assert not_upstream(read_image(text), ("vllm",)) == why


def test_every_public_image_is_one():
    texts = set()
    for master in (reference() / "configs").glob("*-master.yaml"):
        texts |= set(re.findall(r'^  image: "?([^"\s]+)', master.read_text(), re.MULTILINE))
    assert len(texts) > 30
    owners = {read_image(text).organisation for text in texts}
    assert {"vllm", "lmsysorg", "rocm", "nvidia/ai-dynamo"} <= owners


A, B = "sha256:" + "a" * 64, "sha256:" + "b" * 64


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("lmsysorg/sglang:v1", "docker.io/lmsysorg/sglang:v1", True),
        ("lmsysorg#sglang:v1", "lmsysorg/sglang:v1", True),
        ("lmsysorg/sglang:v1", "lmsysorg/sglang:v2", False),
        ("lmsysorg/sglang:v1", "vllm/sglang:v1", False),
        ("lmsysorg/sglang:v1", "ghcr.io/lmsysorg/sglang:v1", False),
        (f"lmsysorg/sglang:v1@{A}", f"lmsysorg/sglang:v2@{A}", True),
        (f"lmsysorg/sglang:v1@{A}", f"lmsysorg/sglang:v1@{B}", False),
        (f"lmsysorg/sglang:v1@{A}", "lmsysorg/sglang:v1", True),
        (f"lmsysorg/sglang@{A}", "lmsysorg/sglang", False),
        ("lmsysorg/sglang", "lmsysorg/sglang", False),
        ("LMSYS/X:1", "LMSYS/X:1", False),
    ],
)
def test_images_are_one_by_digest_or_else_by_tag(one, other, same):
    assert same_image(one, other) == same == same_image(other, one)
