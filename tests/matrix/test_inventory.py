"""Each rule of a runner file, by what it says when it is broken."""

import pytest

from infx.matrix.inventory import nodes, runners
from infx.store.documents import parse_yaml
from judged import AUGUST, OCTOBER
from refusals import refusal


def read(text):
    return runners(parse_yaml(text.encode(), "runners.yaml"))


def october(labels, records):
    """Return a file whose labels begin on line 2; each record stands on a line of its own."""
    common = "gpus-per-node: 8, arch: x86_64, scheduler: slurm"
    lines = [f"  {label}: [{', '.join(names)}]" for label, names in labels.items()]
    lines += ["clusters:"]
    lines += [f"  {name}: {{{common}, slurm: {{{slurm}}}}}" for name, slurm in records.items()]
    return "labels:\n" + "\n".join(lines) + "\n"


PLAIN = "partition: main, exclusive: false"
SPLIT = "partition: p1, partitions: [p1, p2], exclusive: false"


def test_digits_may_be_grouped():
    assert read(AUGUST).node("cluster:gb200-b").available_cpu_dram_mib == 860_160
    assert refusal(lambda: read(AUGUST.replace("860_160", "860__160"))) == (
        "runners.yaml:9: hardware.cluster:gb200-b.available-cpu-dram-mib: "
        "input should be a valid integer, found '860__160'"
    )


def test_a_label_without_a_record_has_the_nodes_that_its_fleets_share():
    known = nodes(read(AUGUST))
    assert known["h200"].gpus_per_node == 8
    assert known["h200"].available_cpu_dram_mib is None
    assert known["h200-a"].available_cpu_dram_mib == 1_998_848
    assert "cluster:unmeasured" not in known
    mixed = nodes(read(AUGUST.replace("gb200: [gb200-b_0]", "gb200: [gb200-b_0, h200-a_0]")))
    assert "gb200" not in mixed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "hardware:\n",
            "hardware:\n  cluster:h200: {gpus-per-node: 8}\n",
            (
                "runners.yaml:8: hardware.cluster:h200: there is no such label; "
                "did you mean cluster:h200-a?"
            ),
        ),
        (
            "gb200: [gb200-b_0]",
            "gb200: [gb200-b_0, gb200-b_0]",
            (
                "runners.yaml:3: labels.gb200.1: the runner gb200-b_0 stands here and on line 3; "
                "keep one of the two"
            ),
        ),
        (
            "gb200: [gb200-b_0]",
            "gb200: []",
            (
                "runners.yaml:3: labels.gb200: "
                "list should have at least 1 item after validation, not 0"
            ),
        ),
        (
            "hardware:\n",
            "hardwares:\n",
            (
                "runners.yaml:1: the key hardware is missing; add hardware\n"
                "runners.yaml:7: hardwares: unknown key; did you mean hardware?"
            ),
        ),
    ],
)
def test_the_form_of_august(old, new, message):
    assert refusal(lambda: read(AUGUST.replace(old, new))) == message


@pytest.mark.parametrize(
    ("labels", "records", "message"),
    [
        (
            {"cluster:a": ["a_0"], "cluster:bb": ["b_0"]},
            {"a": PLAIN, "b": PLAIN},
            (
                "runners.yaml:3: labels.cluster:bb: there is no record bb under clusters; "
                "did you mean b?\n"
                "runners.yaml:6: clusters.b: no label lists its runners; "
                "list its runners under cluster:b"
            ),
        ),
        (
            {"cluster:a": ["a_0"], "cluster:b": ["b_0", "a_0"]},
            {"a": PLAIN, "b": PLAIN},
            (
                "runners.yaml:3: labels.cluster:b.1: a_0 belongs to cluster:a on line 2 already; "
                "a runner belongs to one cluster"
            ),
        ),
        (
            {"family": ["a_0", "a_1"], "cluster:a": ["a_0"]},
            {"a": PLAIN},
            (
                "runners.yaml:2: labels.family.1: a_1 belongs to no cluster; "
                "list it under a label that begins with cluster:"
            ),
        ),
        (
            {"cluster:a": ["a_0"], "partition:p9": ["a_0"]},
            {"a": SPLIT},
            (
                "runners.yaml:3: labels.partition:p9.0: the cluster of a_0 has no such partition; "
                "add it to the partitions of the cluster's slurm record"
            ),
        ),
        (
            {"cluster:a": ["a_0"], "partition:p1": ["a_0"], "partition:p2": ["a_0"]},
            {"a": SPLIT},
            (
                "runners.yaml:4: labels.partition:p2.0: a_0 stands under partition:p1 on line 3 "
                "already; a runner belongs to one partition"
            ),
        ),
        (
            {"cluster:a": ["a_0", "a_1"], "partition:p1": ["a_0"]},
            {"a": SPLIT},
            (
                "runners.yaml:2: labels.cluster:a.1: a lists its partitions, and a_1 is in none; "
                "list it under a label that begins with partition:"
            ),
        ),
    ],
)
def test_the_form_of_october(labels, records, message):
    assert refusal(lambda: read(october(labels, records))) == message


def test_a_sound_inventory_passes():
    labels = {"cluster:a": ["a_0", "a_1"], "partition:p1": ["a_0"], "partition:p2": ["a_1"]}
    found = read(october({**labels, "cluster:b": ["b_0"]}, {"a": SPLIT, "b": PLAIN}))
    assert sorted(found.records) == ["cluster:a", "cluster:b"]
    assert found.node("cluster:a").gpus_per_node == 8
    assert found.node("a") is None


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("on", "on"),
        ("no", "no"),
        ("true", "true"),
        ("017", "017"),
        ("12:30:45", "12:30:45"),
        ("2026-08-03", "2026-08-03"),
        ("1e3", "1e3"),
        ("1_000", "1_000"),
        ("'0'", "0"),
    ],
)
@pytest.mark.parametrize("place", ["env", "srt-slurm", "host-setup"])
def test_an_environment_keeps_its_text(written, text, place):
    setup = f"host-setup: {{script: x.sh, env: {{VALUE: {written}}}}}"
    inner = {"srt-slurm": f"env: {{VALUE: {written}}}", "host-setup": setup}.get(place)
    file = OCTOBER.replace("false}", f"false, srt-slurm: {{network-interface: '', {inner}}}}}")
    if inner is None:
        file = f"{OCTOBER}    env: {{VALUE: {written}}}\n"
    record = read(file).clusters["h200-a"]
    found = record.env
    if inner is not None:
        srt = record.slurm.srt_slurm
        found = srt.env if place == "srt-slurm" else srt.host_setup.env
    assert found == {"VALUE": text}


def test_an_environment_has_no_null_and_no_comma():
    text = f"{OCTOBER}    env: {{EMPTY: null, LIST: 'a,b'}}\n"
    assert refusal(lambda: read(text)) == (
        "runners.yaml:10: clusters.h200-a.env.EMPTY: input should be a valid string, found None\n"
        "runners.yaml:10: clusters.h200-a.env.LIST: "
        "a comma would split Slurm's export list, found 'a,b'"
    )
