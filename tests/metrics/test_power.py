"""Energy and power of accelerators, by hand from section 4.6 of the reference page."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handmade import NS, record
from infx.metrics.power import power_figures, served
from infx.model.power import GpuPower, Served
from infx.model.record import EndState, Phase
from infx.model.result import Absent

RISING = ((0, 100), (2, 300), (4, 300))
DID = Served(requests=2, input_tokens=1000, output_tokens=50, duration_s=None)


def gpu(*readings: tuple[float, float], host: str = "a", index: int = 0) -> GpuPower:
    moments, watts = zip(*readings, strict=True)
    return GpuPower(host, index, tuple(round(one * NS) for one in moments), tuple(watts))


def figures(*gpus: GpuPower, window=(1, 3), did=DID, expected=None, roles=None) -> dict:
    start, end = (round(one * NS) for one in window)
    found = power_figures(
        gpus, (start, end), did, expected=expected or {"": len(gpus)}, roles=roles
    )
    assert isinstance(found, dict), found
    return found


def invalid(*gpus: GpuPower, window=(1, 3), did=DID, expected=None, roles=None) -> str:
    start, end = (round(one * NS) for one in window)
    found = power_figures(
        gpus, (start, end), did, expected=expected or {"": len(gpus)}, roles=roles
    )
    assert isinstance(found, Absent)
    return found.reason


def test_energy_is_the_area_between_the_interpolated_ends() -> None:
    """At 1 s there are 200 W, halfway from 100 to 300: (200+300)/2 · 1 s + 300 · 1 s = 550 J.

    Over 2 s that is 275 W; 550/2 queries, /1000 tokens in, /50 out, /1050 = 0.5238095 of all.
    """
    found = figures(gpu(*RISING))
    assert found["total_gpu_energy_j"] == 550
    assert (found["avg_total_gpu_power_w"], found["avg_power_w"]) == (275, 275)
    assert found["joules_per_successful_query"] == 275
    assert (found["joules_per_input_token"], found["joules_per_output_token"]) == (0.55, 11)
    assert found["joules_per_total_token"] == 0.52381
    assert not any(name.startswith(("prefill", "decode")) for name in found)


def test_percentiles_are_of_the_summed_curve_by_its_time() -> None:
    """50 to 250 W in 2 s, then to 550 W in 2 s: at or below 400 W for 2 + 1 = 3 of 4 s, p75.

    p90 is 3.6 of 4 s: 250 + 300 · 1.6/2 = 490 W, 245 W for each of both. Neither is read at the
    moments of the other, whose power is 50 + 50 t. In all 300 + 800 = 1100 J, of each 137.5 W.
    """
    one = gpu((0, 0), (2, 100), (4, 300))
    other = gpu((-1, 0), (1, 100), (3, 200), (5, 300), index=1)
    found = figures(one, other, window=(0, 4))
    assert (found["p75_total_gpu_power_w"], found["p75_power_w"]) == (400, 200)
    assert (found["p90_total_gpu_power_w"], found["p90_power_w"]) == (490, 245)
    assert (found["total_gpu_energy_j"], found["avg_power_w"]) == (1100, 137.5)


def test_a_level_stretch_holds_the_percentile_for_all_of_its_time() -> None:
    """Of 100 W for 3 s and a rise to 500 W in 1 s, p75 is the level, and p90 is 0.6 s up: 340 W."""
    found = figures(gpu((0, 100), (3, 100), (4, 500)), window=(0, 4))
    assert (found["p75_power_w"], found["p90_power_w"]) == (100, 340)
    steady = figures(gpu((0, 7), (3, 7)), window=(0, 3))
    assert (steady["p75_power_w"], steady["p90_power_w"]) == (7, 7)


def test_each_role_has_the_energy_of_its_own_accelerators() -> None:
    """Prefill draws 400 W for 2 s, decode 100 + 200 W: 800 J / 1000 tokens in, 600 J / 50 out."""
    rack = [
        gpu((0, 400), (3, 400), host="p"),
        gpu((0, 100), (3, 100), host="d"),
        gpu((0, 200), (3, 200), host="d", index=1),
    ]
    expected = {"prefill": 1, "decode": 2}
    found = figures(*rack, expected=expected, roles={"p": "prefill", "d": "decode"})
    assert (found["prefill_gpu_energy_j"], found["decode_gpu_energy_j"]) == (800, 600)
    assert (found["prefill_avg_power_w"], found["decode_avg_power_w"]) == (400, 150)
    assert found["prefill_joules_per_input_token"] == 0.8
    assert found["decode_joules_per_output_token"] == 12
    unstated = figures(*rack, expected=expected)
    assert unstated["total_gpu_energy_j"] == 1400
    for role in ("prefill", "decode"):
        assert "nobody stated" in unstated[f"{role}_gpu_energy_j"].reason
    assert "decode_gpu_energy_j" not in figures(*rack, expected={"prefill": 3, "decode": 0})


def test_watts_and_joules_have_3_decimals_and_shares_6() -> None:
    """1/3 W for 1 s, and 3 tokens: 0.333 J and 0.111111 J a token."""
    found = figures(gpu((0, 1 / 3), (1, 1 / 3)), window=(0, 1), did=replace(DID, input_tokens=3))
    assert (found["total_gpu_energy_j"], found["avg_power_w"]) == (0.333, 0.333)
    assert found["joules_per_input_token"] == 0.111111


def test_what_nobody_counted_has_no_energy_each() -> None:
    found = figures(gpu(*RISING), did=Served(0, None, 0, None))
    assert found["joules_per_successful_query"] == Absent(reason="no ok requests")
    assert found["joules_per_input_token"] == Absent(reason="not all input tokens were counted")
    assert found["joules_per_output_token"] == Absent(reason="no output tokens")
    assert found["joules_per_total_token"] == Absent(reason="not all tokens were counted")
    assert found["total_gpu_energy_j"] == 550


def test_only_ok_requests_of_profiling_were_served() -> None:
    told = {"first": 1.0, "prompt_tokens": 9, "completion_tokens": 4}
    records = (
        record(**told),
        record(**told, state=EndState.ERROR),
        record(**told, phase=Phase.WARMUP),
    )
    assert served(records, 1.0) == Served(1, 9, 4, 1.0)
    assert served((*records, record(first=1.0)), None) == Served(2, None, None, None)


@pytest.mark.parametrize(
    ("readings", "why"),
    [
        (((1.1, 5), (3, 5)), "GPU a/0 has no sample at or before the start"),
        (((1, 5), (2.9, 5)), "GPU a/0 has no sample at or after the end"),
        (((-0.1, 5), (3, 5)), "GPU a/0 has no sample for 3.100 s; 3.0 s are allowed"),
        (((1, 5), (2, 5), (5.001, 5)), "GPU a/0 has no sample for 3.001 s; 3.0 s are allowed"),
    ],
)
def test_an_accelerator_is_read_before_after_and_between(readings, why) -> None:
    assert invalid(gpu(*readings)) == why


def test_gaps_outside_of_the_window_do_no_harm() -> None:
    """And 3 s between two readings are not more than 3 s; at 5 W, 2 s are 10 J."""
    found = figures(gpu((-90, 1), (0.5, 5), (3.5, 5), (90, 1)))
    assert found["total_gpu_energy_j"] == 10


@pytest.mark.parametrize(("length", "off", "valid"), [
    (10, 0.5, True), (10, 0.51, False), (100, 1.0, True), (100, -1.0, True), (100, -1.1, False),
])  # fmt: skip
def test_the_reported_duration_is_that_of_the_window(length, off, valid) -> None:
    """It may be off by 0.5 s or 1 %, whichever is more."""
    steady = gpu(*((at, 5) for at in range(length + 1)))
    did = replace(DID, duration_s=length + off)
    if valid:
        assert figures(steady, window=(0, length), did=did)
    else:
        assert "s apart" in invalid(steady, window=(0, length), did=did)


def test_the_window_has_a_length() -> None:
    assert invalid(gpu(*RISING), window=(3, 3)) == "the window has no length"


def test_number_and_roles_of_accelerators_are_those_of_the_point() -> None:
    rack = [gpu(*RISING), gpu(*RISING, host="b")]
    assert invalid(*rack, expected={"": 3}) == "2 GPUs were sampled, and the point has 3"
    assert invalid(expected={"": 1}) == "0 GPUs were sampled, and the point has 1"
    both = {"prefill": 1, "decode": 1}
    assert invalid(*rack, expected=both, roles={"a": "prefill"}) == (
        "host b has samples and no role"
    )
    stated = {"a": "prefill", "b": "decode", "c": "decode"}
    assert invalid(*rack, expected=both, roles=stated) == "host c has a role and no samples"
    stated = {"a": "prefill", "b": "prefill"}
    assert invalid(*rack, expected=both, roles=stated) == (
        "0 GPUs of decode were sampled, and the point has 1"
    )
    assert invalid(*rack, expected={"": 2}, roles=stated) == (
        "0 GPUs of no role were sampled, and the point has 2"
    )


@given(
    watts=st.floats(0, 2000),
    start=st.floats(0, 3),
    length=st.floats(0.001, 3),
    number=st.integers(1, 9),
)
def test_energy_of_constant_power_is_power_times_time(watts, start, length, number) -> None:
    rack = [gpu((0, watts), (3, watts), (6, watts), index=at) for at in range(number)]
    window = start, start + length
    seconds = (round(window[1] * NS) - round(window[0] * NS)) / NS
    found = figures(*rack, window=window)
    assert found["total_gpu_energy_j"] == pytest.approx(number * watts * seconds, abs=0.001)
    for name in ("avg_power_w", "p75_power_w", "p90_power_w"):
        assert found[name] == pytest.approx(watts, abs=0.001)


@given(
    watts=st.lists(st.floats(0, 2000), min_size=7, max_size=7),
    edges=st.lists(st.integers(0, 6000), min_size=3, max_size=3, unique=True).map(sorted),
)
def test_energies_of_adjoining_windows_add_up(watts, edges) -> None:
    """Each is rounded to 3 decimals, so the sum may be off by 0.0015 J."""
    curve = gpu(*enumerate(watts))
    start, middle, end = (one / 1000 for one in edges)
    parts = [figures(curve, window=one) for one in ((start, middle), (middle, end))]
    whole = figures(curve, window=(start, end))
    told = sum(one["total_gpu_energy_j"] for one in parts)
    assert whole["total_gpu_energy_j"] == pytest.approx(told, abs=0.0016)
    assert min(watts) - 0.001 <= whole["p75_power_w"] <= whole["p90_power_w"] <= max(watts) + 0.001
