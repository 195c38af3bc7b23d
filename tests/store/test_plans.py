"""Plans that are packed are still known by their digest, and damage is seen."""

from hashlib import sha256
from pathlib import Path

import pytest

from infx.errors import InputError
from infx.store.plans import PACKED, pack_plan, read_plan, sha256_of_plan

PLAN = b"some text of a plan " * 1000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plan.bin").write_bytes(PLAN)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_plan_of_the_limit_stays_as_it_is(folder: Path) -> None:
    pack_plan(folder, least=len(PLAN))
    assert names(folder) == ["plan.bin"]
    assert sha256_of_plan(folder) == sha256(PLAN).hexdigest()


def test_a_larger_one_is_packed_and_keeps_its_digest(folder: Path) -> None:
    pack_plan(folder, least=len(PLAN) - 1)
    assert names(folder) == [PACKED]
    assert (folder / PACKED).stat().st_size < len(PLAN) / 10
    assert read_plan(folder) == PLAN
    assert sha256_of_plan(folder) == sha256(PLAN).hexdigest()


def test_damage_and_absence_are_said(folder: Path) -> None:
    pack_plan(folder, least=0)
    whole = (folder / PACKED).read_bytes()
    (folder / PACKED).write_bytes(whole[:-1])
    with pytest.raises(InputError, match="the packed plan is damaged"):
        sha256_of_plan(folder)
    (folder / PACKED).unlink()
    with pytest.raises(InputError, match="the plan that the point was run from is missing"):
        read_plan(folder)
