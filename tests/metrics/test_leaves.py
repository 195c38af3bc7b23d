"""What holds for every metric: it is listed, documented, and honest about nothing."""

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import infx.metrics
from handmade import measured, record
from infx.metrics import METRICS, OF_REPLAYS
from infx.metrics.summary import compute_metrics
from infx.model.measured import Expected, Measured, Replayed
from infx.model.record import EndState, Phase, RequestRecord, Slo
from infx.model.result import Absent, Better, MetricValue

HEADINGS = ("Formula: ", "Unit: ", "Absent when: ", "Source: ")
MODULES = {
    name: import_module(f"infx.metrics.{name}")
    for _, name, _ in pkgutil.iter_modules(infx.metrics.__path__)
}
LEAVES = {name: module for name, module in MODULES.items() if hasattr(module, "NAME")}
EVERY = pytest.mark.parametrize("module", LEAVES.values(), ids=LEAVES)
TARGETS = Slo(ttft=1.0, tpot=0.1, e2el=5.0)
REPLAY = Replayed(
    profiling=(0, 99 * 10**9),
    duration_ns=90 * 10**9,
    expected={(0, turn): Expected("t", "t", turn, turn, 3, 9) for turn in range(3)},
)


def moments() -> st.SearchStrategy[dict[str, float | tuple[float, ...]]]:
    steps = st.floats(min_value=0, max_value=10)
    return st.fixed_dictionaries(
        {"sent": steps, "wait": steps, "gaps": st.lists(steps, max_size=4).map(tuple)}
    )


@st.composite
def records(draw: st.DrawFn) -> RequestRecord:
    """A request of any kind whose moments follow each other."""
    when = draw(moments())
    tokens = st.none() | st.integers(0, 50)
    return record(
        sent=when["sent"],
        first=draw(st.none() | st.just(when["sent"] + when["wait"])),
        gaps=when["gaps"],
        end=99.0,
        state=draw(st.sampled_from([EndState.OK, EndState.OK, *EndState])),
        phase=draw(st.sampled_from(Phase)),
        asked_input=draw(tokens),
        asked_output=9,
        prompt_tokens=draw(tokens),
        completion_tokens=draw(tokens),
        cached_tokens=draw(tokens),
        first_chunk_tokens=draw(tokens),
        turn=draw(st.integers(0, 3)),
        play=draw(st.integers(0, 2)),
        lane=draw(st.integers(0, 1)),
    )


def test_every_leaf_is_in_the_table_and_nothing_else() -> None:
    assert {name: f"infx.metrics.{name}" for name in LEAVES} == METRICS | OF_REPLAYS
    assert METRICS.keys().isdisjoint(OF_REPLAYS)


@EVERY
def test_a_leaf_says_what_it_is(module: ModuleType) -> None:
    assert module.__name__ == f"infx.metrics.{module.NAME}"
    assert module.BETTER in get_args(Better)
    assert module.UNIT


@EVERY
def test_the_docstring_is_the_manual_page(module: ModuleType) -> None:
    assert module.__doc__
    found = [line for line in module.__doc__.splitlines() if line.startswith(HEADINGS)]
    assert tuple(line[: line.index(":") + 2] for line in found) == HEADINGS


@EVERY
@pytest.mark.parametrize(
    "given",
    [
        measured(slo=TARGETS),
        measured(record(first=1.0, phase=Phase.WARMUP), slo=TARGETS),
    ],
    ids=["nothing", "warmup only"],
)
def test_nothing_gives_a_reason(module: ModuleType, given: Measured) -> None:
    absent = module.compute(given)
    assert isinstance(absent, Absent)
    assert absent.reason


@pytest.mark.parametrize("module", [leaf for leaf in LEAVES.values() if leaf.NAME != "error_rate"])
def test_moments_that_run_backwards_are_refused(module: ModuleType) -> None:
    with pytest.raises(ValueError, match="do not follow each other"):
        module.compute(measured(record(sent=2.0, first=1.0), slo=TARGETS))


@given(
    st.lists(records(), max_size=6).flatmap(lambda rs: st.tuples(st.just(rs), st.permutations(rs)))
)
def test_order_does_not_matter_and_no_number_is_negative(
    orders: tuple[list[RequestRecord], list[RequestRecord]],
) -> None:
    first, second = (
        compute_metrics(measured(*rs, gpus=2, slo=TARGETS, replay=REPLAY)) for rs in orders
    )
    assert first.keys() >= OF_REPLAYS.keys()
    assert first == second
    for metric in first.values():
        if isinstance(metric, MetricValue):
            assert metric.n > 0
            figures = metric.model_dump(exclude={"unit", "intervals"}, exclude_none=True).values()
            assert min(figures) >= 0
