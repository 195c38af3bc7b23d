"""All problems of all files are told at once; real files of both forms load."""

import os
from pathlib import Path

import pytest

from infx.matrix.catalog import catalog
from infx.store.documents import read_yaml
from judged import AUGUST, HEAD, OCTOBER, judged, several, single
from refusals import refusal

REFERENCE = os.environ.get("INFX_REFERENCE_DATA")
ROW = "conc-list: [4], tp: 4"


def test_keys_keep_the_order_of_the_files_and_know_their_line():
    found = judged(single(ROW), "\n" + single(ROW).replace("toy:", "other:"))
    assert list(found.where.items()) == [("toy", "a.yaml:1"), ("other", "b.yaml:2")]
    assert list(found.keys) == ["toy", "other"]
    assert found.runners.node("cluster:h200-a").available_cpu_dram_mib == 1_998_848
    assert found.warnings == ()


def test_what_was_written_can_be_told_from_a_default():
    role = "num-worker: 1, tp: 4, ep: 4, dp-attn: true"
    entry = judged(several(f"conc-list: [4], prefill: {{{role}}}, decode: {{{role}, pp: 1}}"))
    row = entry.keys["toy"].scenarios.fixed_seq_len[0].search_space[0]
    assert row.model_fields_set == {"conc_list", "prefill", "decode"}
    assert (row.prefill.pp, "pp" in row.prefill.model_fields_set) == (1, False)
    assert "pp" in row.decode.model_fields_set
    assert row.prefill.additional_settings is None


def test_all_problems_of_all_files_are_told_together():
    broken = single(f"{ROW}, tpp: 8").replace("precision: fp8", "precision: 8")
    second = (
        single("tp: 4").replace("toy:", "other:")
        + f"{HEAD.replace('toy:', 'bare:')}  runner: h200\n  multinode: yes\n"
        + single(ROW)
    )
    runners = AUGUST.replace("860_160", "many")
    assert refusal(lambda: judged(broken, second, runners=runners)) == (
        """\
runners.yaml:9: hardware.cluster:gb200-b.available-cpu-dram-mib: input should be a valid integer, \
found 'many'
a.yaml:5: toy.precision: input should be a valid string, found 8
a.yaml:12: toy.scenarios.fixed-seq-len.0.search-space.0.tpp: unknown key; did you mean tp?
b.yaml:12: other.scenarios.fixed-seq-len.0.search-space.0: no concurrency is stated; \
add conc-list, or conc-start and conc-end
b.yaml:20: bare.multinode: input should be a valid boolean, found 'yes'
b.yaml:13: bare: the key scenarios is missing; add scenarios
b.yaml:21: the key toy stands here and at a.yaml:1; rename one of the two"""
    )


def test_a_key_may_not_look_like_a_pattern():
    assert refusal(lambda: judged(single(ROW).replace("toy:", "toy-*:"))) == (
        "a.yaml:1: the key toy-* has a character of patterns; rename it"
    )


def test_a_master_maps_keys_to_entries():
    assert refusal(lambda: judged("- toy\n")) == (
        "a.yaml:1: a master configuration maps keys to entries; begin each entry with its key"
    )


def test_an_unknown_label_is_an_error_only_where_the_form_forbids_it():
    text = single(ROW, runner="h200-a")
    (warning,) = judged(text).warnings
    message = "a.yaml:7: toy.runner: no runner has the label h200-a; did you mean cluster:h200-a?"
    assert str(warning) == message
    assert refusal(lambda: judged(text, runners=OCTOBER)) == message
    assert judged(single(ROW), runners=OCTOBER).keys


@pytest.mark.skipif(REFERENCE is None, reason="INFX_REFERENCE_DATA names no folder")
def test_the_public_masters_of_august_load():
    configs = Path(REFERENCE) / "configs"
    masters = [read_yaml(configs / name) for name in ("nvidia-master.yaml", "amd-master.yaml")]
    found = catalog(masters, read_yaml(configs / "runners.yaml"))
    assert [len(document.value) for document in masters] == [152, 56]
    assert len(found.keys) == 208
    assert found.where["dsr1-fp8-b200-dynamo-trt"].endswith("nvidia-master.yaml:209")
    # Eight of its entries name a label that its runner file does not have.
    assert len(found.warnings) == 8


@pytest.mark.skipif(REFERENCE is None, reason="INFX_REFERENCE_DATA names no folder")
def test_the_public_runners_of_october_load():
    file = Path(REFERENCE) / "oct" / "configs" / "runners.yaml"
    found = catalog([], read_yaml(file)).runners
    assert (len(found.labels), len(found.clusters)) == (25, 13)
    assert found.clusters["b200-cw"].available_cpu_dram_mib is None
    assert found.clusters["mi355x-amds"].env == {"MORI_RDMA_TC": "104"}
    assert found.clusters["h200-dgxc"].slurm.squash.framework_dirs["vllm"].import_ == "unchecked"
