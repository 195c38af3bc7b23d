from datetime import date

import pytest

from infx.policy.waivers import Patch, covers, faults, front_matter, waiver
from infx.store.documents import parse_yaml
from refusals import refusal

FILE, HUNK, OTHER = "a" * 64, "b" * 64, "c" * 64
PAGE = f"""---
pr: 42
configs: [m-fp4-b200-vllm]
image: vllm/vllm-openai:v1@sha256:{FILE}
files:
  - path: scripts/fix.sh
    sha256: '{FILE}'
  - {{path: scripts/other.sh, hunk: '{HUNK}'}}
effects: [edit, patch]
upstream: [https://forge.example/vllm/pull/7]
removal:
  condition: the pull request is in a release
  by: 2026-12-31
approved_by: [ada]
---

# Why

The image does not start.
"""
KNOWN = {
    "page": "docs/waiver/42.md",
    "image": f"vllm/vllm-openai:v1@sha256:{FILE}",
    "config": "m-fp4-b200-vllm",
    "day": date(2026, 12, 31),
}


def read(page):
    return waiver(parse_yaml(front_matter(page).encode(), "docs/waiver/42.md"))


def test_a_waiver_is_the_front_matter_of_its_page():
    found = read(PAGE)
    assert (found.pr, found.files[1].hunk, found.removal.by) == (42, HUNK, date(2026, 12, 31))
    assert list(faults(found, **KNOWN)) == []


@pytest.mark.parametrize("page", ["", "# prose\n", "---\npr: 1\n", "\n---\npr: 1\n---\n"])
def test_a_page_without_front_matter_has_no_waiver(page):
    assert front_matter(page) is None


def test_a_page_of_windows_reads_the_same():
    assert read("\ufeff" + PAGE.replace("\n", "\r\n")) == read(PAGE)


@pytest.mark.parametrize(
    ("patch", "covered"),
    [
        (Patch("scripts/fix.sh", "edit", FILE, OTHER), True),
        (Patch("scripts/fix.sh", "edit", OTHER, OTHER), False),
        (Patch("scripts/other.sh", "patch", OTHER, HUNK), True),
        (Patch("scripts/other.sh", "patch", FILE, OTHER), False),
        (Patch("scripts/fix.sh", "install", FILE, OTHER), False),
        (Patch("./scripts/fix.sh", "edit", FILE, OTHER), False),
        (Patch("scripts/third.sh", "edit", FILE, HUNK), False),
    ],
)
def test_a_patch_is_covered_by_its_hash_and_its_effect(patch, covered):
    assert covers(read(PAGE), patch) is covered


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"day": date(2027, 1, 1)}, "the waiver expired on 2026-12-31"),
        ({"image": "vllm/vllm-openai:v1"}, "not for vllm/vllm-openai:v1"),
        ({"image": f"vllm/vllm-openai:v1@sha256:{OTHER}"}, "the waiver is for the image"),
        ({"config": "m-fp4-b200-sglang"}, "the waiver is not for m-fp4-b200-sglang"),
        ({"page": "docs/waiver/43.md"}, "is not named after pull request 42"),
        ({"page": "docs/waiver/42-fix.md"}, "is not named after pull request 42"),
    ],
)
def test_a_waiver_that_does_not_apply_says_why(change, said):
    found = list(faults(read(PAGE), **{**KNOWN, **change}))
    assert len(found) == 1
    assert said in found[0]


def test_the_spelling_of_one_image_does_not_matter():
    for spelt in (
        f"docker.io/vllm/vllm-openai:v1@sha256:{FILE}",
        f"vllm#vllm-openai:v1@sha256:{FILE}",
    ):
        assert list(faults(read(PAGE), **{**KNOWN, "image": spelt})) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("pr: 42", "pr: 0", "docs/waiver/42.md:2"),
        ("  by: 2026-12-31\n", "", "by"),
        ("approved_by: [ada]", "approved_by: []", "approved_by"),
        ("effects: [edit, patch]", "effects: [speed]", "effects"),
        (f"    sha256: '{FILE}'\n", "", "one of the two"),
        ("[https://forge.example/vllm/pull/7]", "[soon]", "https addresses"),
        ("pr: 42", "pr: 42\nstatus: approved", "status"),
    ],
)
def test_a_waiver_that_leaves_something_out_is_refused(old, new, said):
    assert said in refusal(lambda: read(PAGE.replace(old, new)))
