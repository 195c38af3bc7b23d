"""What the page on judging shows beside its commands: a waiver, and an administrator's bypass."""

from commented import comment
from infx.model.waiver import Waiver
from infx.policy.bypass import bypass
from infx.policy.waivers import Patch, covers, faults
from infx.store.documents import parse_yaml, validate
from project_text import ROOT, fences
from threads import thread

PAGE = ROOT / "docs" / "how-to" / "judge-a-submission.md"


def shown(language):
    (text,) = [fence.text for fence in fences(PAGE) if fence.language == language]
    return text


def test_the_waiver_gives_leave_for_its_patch_until_its_last_day():
    waiver = validate(parse_yaml(shown("yaml").encode(), "42.md"), Waiver)
    (file,) = waiver.files
    assert covers(waiver, Patch(file.path, "edit", file.sha256, ""))
    assert not covers(waiver, Patch(file.path, "edit", "0" * 64, ""))
    known = {"page": "docs/waiver/42.md", "image": waiver.image, "config": waiver.configs[0]}
    assert list(faults(waiver, **known, day=waiver.removal.by)) == []
    assert list(faults(waiver, **{**known, "config": "another"}, day=waiver.removal.by)) != []


def test_the_bypass_is_one_for_the_curve_of_the_review():
    submission = thread("thread-000")[1]
    said = comment(shown("markdown"), permission="admin", role="admin")
    curve = submission.curves[0].key
    assert bypass([said], commit=submission.head, curve=curve) is not None
    assert bypass([said], commit="0" * 40, curve=curve) is None
