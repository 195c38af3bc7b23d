"""Points by identity: which are new, which are gone, and what a row is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infx.matrix.affected import Planned, affected, planned, series, shape
from infx.matrix.changelog_rules import matching

SINGLE = {
    "model": "acme/Toy",
    "model-prefix": "toy",
    "precision": "fp8",
    "framework": "sglang",
    "runner": "h200",
    "image": "acme/sglang:v1",
    "exp-name": "toy_8k1k",
    "isl": 8192,
    "osl": 1024,
    "tp": 4,
    "ep": 1,
    "pp": 1,
    "dp-attn": False,
    "spec-decoding": "none",
    "conc": 8,
}
PREFILL = {"num-worker": 1, "tp": 8, "ep": 8, "dp-attn": True, "hardware": "gb200"}
MULTI = {
    **{name: value for name, value in SINGLE.items() if name not in ("tp", "ep", "isl", "osl")},
    "prefill": PREFILL,
    "decode": {**PREFILL, "num-worker": 2, "pp": 2, "dcp-size": 4},
    "disagg": True,
    "spec-decoding": "mtp",
    "kv-offloading": ["dram", "nvme"],
    "conc": [64, 128],
}


def points(*identities: tuple[str, int]) -> list[Planned]:
    return [
        Planned(print_, conc, "toy", "8k1k tp4", "fixed-seq-len", (), "v1")
        for print_, conc in identities
    ]


def test_one_point_for_each_concurrency_of_a_row():
    found = planned(MULTI, ["aa", "bb"])
    assert [(one.fingerprint, one.concurrency) for one in found] == [("aa", 64), ("bb", 128)]
    assert {one.scenario for one in found} == {"agentic-coding"}
    assert planned(SINGLE, ["aa"])[0].scenario == "fixed-seq-len"
    with pytest.raises(ValueError, match="shorter"):
        planned(MULTI, ["aa"])


def test_shapes_in_a_few_words():
    assert shape(SINGLE) == "8k1k tp4"
    assert shape({**SINGLE, "isl": 1000, "ep": 4, "dp-attn": True}) == "1000/1024 tp4 ep4 dpa"
    assert shape(MULTI) == "agentic p1xtp8ep8dpa d2xtp8pp2dcp4ep8dpa kv-dram+nvme spec-mtp"
    aggregate = {**MULTI, "decode": {**PREFILL, "num-worker": 0}, "kv-offloading": "none"}
    assert shape(aggregate) == "agentic p1xtp8ep8dpa spec-mtp"


def test_a_series_pools_speculation_of_agents_only():
    assert series(MULTI) == series({**MULTI, "spec-decoding": "none", "kv-offloading": "dram"})
    assert series(MULTI) != series({**MULTI, "kv-offloading": "none"})
    assert series(SINGLE) != series({**SINGLE, "spec-decoding": "mtp"})
    assert series(SINGLE) == series({**SINGLE, "tp": 8, "conc": 16, "image": "other"})
    assert series(MULTI) != series({**MULTI, "prefill": {**PREFILL, "hardware": "gb300"}})


def test_only_keys_with_other_points_are_affected():
    base = {"same": points(("a", 1)), "gone": points(("a", 1)), "less": points(("a", 1), ("a", 2))}
    head = {"new": points(("b", 1)), "same": points(("a", 1)), "less": points(("a", 1))}
    found = {one.key: one for one in affected(base, head)}
    assert list(found) == ["new", "less", "gone"]
    assert (found["new"].base, found["new"].head, len(found["new"].added)) == (0, 1, 1)
    assert [one.concurrency for one in found["less"].removed] == [2]
    assert (found["gone"].base, found["gone"].head) == (1, 0)


def test_a_key_whose_base_is_unreadable_has_only_new_points():
    (found,) = affected({}, {"key": points(("a", 1))}, ["key"])
    assert (found.base, len(found.added), found.removed) == (None, 1, ())


_SIDE = st.dictionaries(
    st.sampled_from("xyz"),
    st.sets(st.tuples(st.sampled_from("ab"), st.integers(1, 3)), max_size=4),
)


@given(_SIDE, _SIDE)
def test_base_and_changes_make_the_head(before, after):
    base, head = ({key: points(*some) for key, some in side.items()} for side in (before, after))
    changes = {one.key: one for one in affected(base, head)}
    for key in {*before, *after}:
        identities = set(before.get(key, ()))
        if key in changes:
            identities -= {(one.fingerprint, one.concurrency) for one in changes[key].removed}
            identities |= {(one.fingerprint, one.concurrency) for one in changes[key].added}
        assert identities == set(after.get(key, ()))
        assert (key in changes) == (before.get(key) != after.get(key))


@given(st.text(alphabet="ab*", max_size=6), st.text(alphabet="ab.", max_size=6))
def test_a_pattern_is_text_in_which_a_star_is_any_text(pattern, name):
    def fits(parts, text):
        if not parts:
            return not text
        if parts[0] == "*":
            return any(fits(parts[1:], text[cut:]) for cut in range(len(text) + 1))
        return text[:1] == parts[0] and fits(parts[1:], text[1:])

    assert (matching(pattern, [name]) == (name,)) == fits(pattern, name)
