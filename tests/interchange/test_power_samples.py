"""Samples of power: what each version of the file says, and every line that is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.interchange import power_samples
from infx.interchange.power_samples import FIRST, SECOND, THIRD
from infx.model.power import GpuPower
from refusals import refusal

S = 1_000_000_000


def file(tmp_path: Path, *lines: str, head: tuple[str, ...] = FIRST, name: str = "s.csv") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{line}\n" for line in (",".join(head), *lines)))
    return path


def test_readings_are_told_by_accelerator(tmp_path: Path) -> None:
    """Hosts count their accelerators anew; moments are kept to the nanosecond."""
    path = file(
        tmp_path,
        "1,1800000000.123456789,0,b,0,GPU-b0,700.5",
        "1,1800000000.1,0,a,1,GPU-a1,1e2",
        "1,1800000001,1,b,0,GPU-b0,0",
    )
    assert power_samples.read(path) == (
        GpuPower("a", 1, (1_800_000_000_100_000_000,), (100.0,)),
        GpuPower("b", 0, (1_800_000_000_123_456_789, 1_800_000_001 * S), (700.5, 0.0)),
    )
    assert [one.name for one in power_samples.read(path)] == ["a/1", "b/0"]


def test_later_versions_have_more_columns(tmp_path: Path) -> None:
    second = file(tmp_path, "2,1,0,a,0,u,5,99,0.5", head=SECOND)
    third = file(tmp_path, "3,2,1,a,0,u,6,,,41.5", head=THIRD, name="t.csv")
    assert power_samples.read(second, third) == (GpuPower("a", 0, (S, 2 * S), (5.0, 6.0)),)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("2,9,9,a,0,u,5", "schema_version is '2' under a head of version 1"),
        ("1,9,9,a,0,u", "has 6 cells in place of 7"),
        ("", "has 0 cells in place of 7"),
        ("1,nan,9,a,0,u,5", "timestamp_unix is 'nan'"),
        ("1,-9,9,a,0,u,5", "timestamp_unix is '-9'"),
        ("1,9,x,a,0,u,5", "scrape_seq is 'x'"),
        ("1,9,9,,0,u,5", "hostname is ''"),
        ("1,9,9,a,1.0,u,5", "gpu_index is '1.0'"),
        ("1,9,9,a,0,,5", "gpu_uuid is ''"),
        ("1,9,9,a,0,u,", "power_w is ''"),
        ("1,9,9,a,0,u,-5", "power_w is '-5'"),
        ("1,9,9,a,0,u,N/A", "power_w is 'N/A'"),
        ("1,9,9,a,0,u,1e999", "power_w is '1e999'"),
        ("1,9,1,a,0,u,5", "GPU a/0 has scrape 1 twice"),
        ("1,2,9,a,0,u,5", "GPU a/0 is read at 2, not after its reading above"),
        ("1,1.5,9,a,0,u,5", "GPU a/0 is read at 1.5, not after its reading above"),
        ("1,9,9,a,0,v,5", "GPU a/0 is v here, and u above"),
        ("1,9,9,a,1,u,5", "u is GPU a/1 here, and another GPU above"),
    ],
)
def test_each_line_that_is_wrong_is_refused_with_its_place(
    tmp_path: Path, line: str, says: str
) -> None:
    path = file(tmp_path, "1,1,0,a,0,u,5", "1,2,1,a,0,u,5", line)
    assert refusal(lambda: power_samples.read(path)) == f"{path}:4: {says}"


def test_later_columns_are_numbers_or_empty(tmp_path: Path) -> None:
    path = file(tmp_path, "3,1,0,a,0,u,6,N/A,,hot", head=THIRD)
    assert refusal(lambda: power_samples.read(path)).splitlines() == [
        f"{path}:2: gpu_util_pct is 'N/A'",
        f"{path}:2: temperature_c is 'hot'",
    ]


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    bad = file(tmp_path, "1,1,0,a,0,u,x", "1,2,1,a,0,u,5", "1,3,2,a,0,u,y")
    gone = tmp_path / "gone.csv"
    empty = file(tmp_path, name="empty.csv")
    other = file(tmp_path, "1", head=("power",), name="other.csv")
    repeated = file(tmp_path, "1,2,1,a,0,u,5", name="repeated.csv")
    said = refusal(lambda: power_samples.read(bad, gone, empty, other, repeated))
    assert said.splitlines() == [
        f"{bad}:2: power_w is 'x'",
        f"{bad}:4: power_w is 'y'",
        f"{gone}: cannot be read: No such file or directory; check the path",
        f"{empty}: it has no sample",
        f"{other}:1: is no head of power samples; write {','.join(FIRST)}",
        f"{repeated}:2: GPU a/0 has scrape 1 twice",
    ]
    (tmp_path / "s.csv").write_bytes(b"\xff\n")
    assert "is no table" in refusal(lambda: power_samples.read(tmp_path / "s.csv"))


@given(
    st.lists(
        st.tuples(st.integers(1, 10**18), st.just(0.0) | st.floats(0.001, 1e6)),
        min_size=1,
        max_size=9,
    )
)
def test_what_is_written_is_read(tmp_path_factory, steps: list[tuple[int, float]]) -> None:
    moments, lines, now = [], [], 0
    for number, (step, watts) in enumerate(steps):
        now += step
        moments.append(now)
        lines.append(f"1,{now // S}.{now % S:09},{number},a,0,u,{watts!r}")
    path = file(tmp_path_factory.getbasetemp(), *lines)
    (found,) = power_samples.read(path)
    assert found.moments_ns == tuple(moments)
    assert found.watts == tuple(watts for _, watts in steps)
