"""Synthetic sessions: equal bytes for an equal seed, and the shape that was asked for."""

import json
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from infx.model.corpus import Skewed, SyntheticCorpus
from infx.stats.percentile import mean, percentile
from infx.workloads.draws import Draws, seed_key
from infx.workloads.trace import weka
from infx.workloads.trace.reading import Tally
from infx.workloads.trace.synthetic import PRESETS, rows, skewed

DEMO = PRESETS["demo"]


def bodies(corpus: SyntheticCorpus) -> list[dict]:
    return [json.loads(row) for row in rows(corpus)]


def read(tmp_path, corpus: SyntheticCorpus):
    path = tmp_path / "synthetic.jsonl"
    path.write_bytes(b"".join(rows(corpus)))
    return list(weka.traces(path, tally=Tally()))


def test_equal_parameters_give_equal_bytes_and_another_seed_other_ones():
    corpus = DEMO.model_copy(update={"traces": 3})
    first = b"".join(rows(corpus))
    assert first == b"".join(rows(corpus))
    assert first != b"".join(rows(corpus.model_copy(update={"seed": 43})))


def test_a_trace_does_not_depend_on_how_many_there_are():
    few, many = (list(rows(DEMO.model_copy(update={"traces": n}))) for n in (2, 5))
    assert many[:2] == few


def test_a_skewed_length_has_its_mean_and_its_median():
    """Of 20,000 draws of mean 3,500 and median 1,800, s² = 2 ln(3500/1800) = 1.33.

    The mean's relative error is sqrt(e^1.33 - 1)/sqrt(20,000) = 1.2 %: within 4 of those. The
    median's is 1.25 * 1.15 / sqrt(20,000) = 1 %.
    """
    draws = Draws(seed_key("a test"))
    of = Skewed(mean=3500, median=1800)
    drawn = sorted(float(skewed(draws, of)) for _ in range(20_000))
    assert mean(drawn) == pytest.approx(3500, rel=0.05)
    assert percentile(drawn, 50) == pytest.approx(1800, rel=0.04)


def test_mean_and_median_alike_are_no_spread():
    drawn = skewed(Draws(seed_key("a test")), Skewed(mean=3, median=3))
    assert drawn == Decimal(3)


def test_the_weight_of_a_group_is_a_power_of_its_rank():
    """Weights 1 and 2^-1.2 = 0.435: of 400 sessions 279 are expected in the first group.

    The standard deviation is sqrt(400 * 0.697 * 0.303) = 9.2.
    """
    corpus = DEMO.model_copy(
        update={"traces": 400, "groups": 2, "turns": Skewed(mean=1, median=1), "fan_out": 0.0}
    )
    layers = corpus.global_layer // corpus.block_tokens
    first = [body["requests"][0]["hash_ids"][layers] for body in bodies(corpus)]
    assert set(first) == {layers, layers + corpus.group_layer // corpus.block_tokens}
    assert abs(first.count(layers) - 279) < 4 * 9.2


def test_layers_have_the_same_ids_in_all_traces_and_all_else_has_ids_of_its_own():
    """64 tokens for all, 32 for each of 3 groups: ids 0 to 3, and two of 4 to 9.

    Each id is handed out once in a trace, so within it no other block repeats by chance.
    """
    for body in bodies(DEMO):
        prompt = body["requests"][0]["hash_ids"]
        assert prompt[:4] == [0, 1, 2, 3]
        assert prompt[4:6] in ([4, 5], [6, 7], [8, 9])
        assert min(prompt[6:]) > 9
        assert len(set(prompt)) == len(prompt)
        assert body["system_tokens"] == 16 * 6


def test_rows_are_as_recorders_write_them():
    """In order of time; `think_time` counts from the end of the row before, as recorded."""
    for body in bodies(DEMO):
        assert [row["t"] for row in body["requests"]] == sorted(r["t"] for r in body["requests"])
        for before, row in pairwise(body["requests"]):
            if row["type"] == "subagent":
                inner = row["requests"]
                assert row["total_tokens"] == sum(r["in"] + r["out"] for r in inner)
                ends = [r["t"] + r["api_time"] - row["t"] for r in inner]
                assert row["duration_ms"] >= round(1000 * max(ends)) - 1
                continue
            took = before.get("api_time") or before["duration_ms"] / 1000
            assert row["think_time"] == pytest.approx(max(0, row["t"] - before["t"] - took))


def test_prompts_and_answers_keep_their_bounds():
    for body in bodies(DEMO):
        for row in body["requests"]:
            for call in row.get("requests", [row]):
                assert 1 <= call["out"] <= DEMO.max_output
                assert len(call["hash_ids"]) * 16 == call["in"] <= DEMO.max_prompt


def test_a_prompt_grows_by_the_answer_and_something_new_or_keeps_the_layers(tmp_path):
    seen = {"grown": 0, "compacted": 0}
    for trace in read(tmp_path, DEMO):
        layers = trace.streams[0].system_tokens // 16
        for before, after in pairwise(trace.streams[0].calls):
            grown = after.blocks[: len(before.blocks)] == before.blocks
            seen["grown" if grown else "compacted"] += 1
            if grown:
                added = len(after.blocks) - len(before.blocks)
                full = after.input_tokens > DEMO.max_prompt - 16
                assert added > before.output_tokens // 16 or full
            assert after.blocks[:layers] == before.blocks[:layers]
    assert min(seen.values()) > 5


def test_the_demo_has_three_levels_and_five_subagents_at_once(tmp_path):
    traces = read(tmp_path, DEMO)
    assert len(traces) == 20
    assert max(t.depth(n) for t in traces for n in range(len(t.streams))) == 2
    assert max(parallel(trace) for trace in traces) >= 5
    kinds = {stream.kind for trace in traces for stream in trace.streams}
    assert {"main", "subagent", "worker"} <= kinds
    assert max(t.peak_context_tokens for t in traces) <= 448
    assert not any(t.dropped for t in traces)


def parallel(trace) -> int:
    """How many subagents run at once, at most."""
    labelled = [s for s in trace.streams if s.kind == "subagent"]
    return max(
        (sum(o.spawned_ns <= s.spawned_ns < o.end_ns for o in labelled) for s in labelled),
        default=0,
    )


@settings(max_examples=8)
@given(st.integers(0, 2**32), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_any_chances_give_sessions_that_can_be_read(tmp_path_factory, seed, reset, fan_out, nested):
    corpus = DEMO.model_copy(
        update={
            "traces": 2, "seed": seed, "reset": reset, "fan_out": fan_out, "nested": nested,
            "turns": Skewed(mean=3, median=2),
        }
    )  # fmt: skip
    assert len(read(tmp_path_factory.mktemp("corpus"), corpus)) == 2


def test_parameters_that_contradict_each_other_are_refused():
    with pytest.raises(ValidationError, match="no room for the layers"):
        SyntheticCorpus(global_layer=200_000)
    with pytest.raises(ValidationError, match="not below its median"):
        Skewed(mean=1, median=2)
