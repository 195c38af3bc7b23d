"""Each rule of a runner file, as `infx matrix generate` refuses what breaks it.

Every id is a rule of section 1.6 of the public pipeline's rules.
"""

import pytest

from judged import AUGUST, OCTOBER, single
from transcript import refused

MASTER = single("tp: 8, conc-list: [4]")
SLURM = "clusters.h200-a.slurm"
CACHE = "squash: {dir: /c, visibility: node-local, import: all-nodes"
PLAIN = "gpus-per-node: 8, arch: x86_64, scheduler: local"
SPLIT = (
    "gpus-per-node: 8, arch: x86_64, scheduler: slurm, "
    "slurm: {partition: p1, partitions: [p1, p2], exclusive: false}"
)


def august(old: str, new: str) -> str:
    assert old in AUGUST
    return AUGUST.replace(old, new)


def record(more: str) -> str:
    """Return a file whose cluster has more in its record, on line 10."""
    return f"{OCTOBER}    {more}\n"


def slurm(more: str) -> str:
    """Return a file whose cluster has more in its scheduler's part, on line 9."""
    return OCTOBER.replace("exclusive: false", f"exclusive: false, {more}")


def fleets(labels: str, **records: str) -> str:
    """Return a file with labels from line 2 on, and a line for each cluster after them."""
    lines = [f"  {name}: {{{text}}}" for name, text in records.items()]
    return "\n".join(("labels:", labels, "clusters:", *lines)) + "\n"


AUGUSTS = {
    "a-label-without-runners": (
        august("gb200: [gb200-b_0]", "gb200: []"),
        ["3: labels.gb200: list should have at least 1 item after validation, not 0"],
    ),
    "a-runner-twice-in-a-label": (
        august("gb200: [gb200-b_0]", "gb200: [gb200-b_0, gb200-b_0]"),
        ["3: labels.gb200.1: the runner gb200-b_0 stands here and on line 3; keep one of the two"],
    ),
    "hardware-of-no-label": (
        august("hardware:\n", "hardware:\n  cluster:h200: {gpus-per-node: 8}\n"),
        ["8: hardware.cluster:h200: there is no such label; did you mean cluster:h200-a?"],
    ),
    "dram-of-0": (
        august("860_160", "0"),
        [("9: hardware.cluster:gb200-b.available-cpu-dram-mib: input should be greater than 0, "
         "found 0")],
    ),
    "gpus-of-0": (
        august("gpus-per-node: 8", "gpus-per-node: 0"),
        ["8: hardware.cluster:h200-a.gpus-per-node: input should be greater than 0, found 0"],
    ),
    "an-unknown-section": (
        august("hardware:\n", "hardwares:\n"),
        ["1: the key hardware is missing; add hardware",
         "7: hardwares: unknown key; did you mean hardware?"],
    ),
}  # fmt: skip

INVENTORY = {
    "a-label-and-a-record-without-each-other": (
        fleets("  cluster:a: [a_0]\n  cluster:bb: [b_0]", a=PLAIN, b=PLAIN),
        ["3: labels.cluster:bb: there is no record bb under clusters; did you mean b?",
         "6: clusters.b: no label lists its runners; list its runners under cluster:b"],
    ),
    "a-runner-of-two-clusters": (
        fleets("  cluster:a: [a_0]\n  cluster:b: [b_0, a_0]", a=PLAIN, b=PLAIN),
        [("3: labels.cluster:b.1: a_0 belongs to cluster:a on line 2 already; "
         "a runner belongs to one cluster")],
    ),
    "an-orphan": (
        fleets("  family: [a_0, a_1]\n  cluster:a: [a_0]", a=PLAIN),
        [("2: labels.family.1: a_1 belongs to no cluster; "
         "list it under a label that begins with cluster:")],
    ),
    "a-partition-of-no-cluster": (
        fleets("  cluster:a: [a_0]\n  partition:p9: [a_0]", a=SPLIT),
        [("3: labels.partition:p9.0: the cluster of a_0 has no such partition; "
         "add it to the partitions of the cluster's slurm record")],
    ),
    "a-runner-of-two-partitions": (
        fleets("  cluster:a: [a_0]\n  partition:p1: [a_0]\n  partition:p2: [a_0]", a=SPLIT),
        [("4: labels.partition:p2.0: a_0 stands under partition:p1 on line 3 already; "
         "a runner belongs to one partition")],
    ),
    "a-runner-of-no-partition": (
        fleets("  cluster:a: [a_0, a_1]\n  partition:p1: [a_0]", a=SPLIT),
        [("2: labels.cluster:a.1: a lists its partitions, and a_1 is in none; "
         "list it under a label that begins with partition:")],
    ),
}  # fmt: skip

RECORDS = {
    "a-comma-in-an-environment": (
        record("env: {LIST: 'a,b'}"),
        ["10: clusters.h200-a.env.LIST: a comma would split Slurm's export list, found 'a,b'"],
    ),
    "another-architecture": (
        OCTOBER.replace("x86_64", "x86"),
        ["7: clusters.h200-a.arch: input should be 'x86_64' or 'aarch64', found 'x86'"],
    ),
    "a-scheduler-without-its-record": (
        "".join(OCTOBER.splitlines(keepends=True)[:-1]),
        [("8: clusters.h200-a.scheduler: the scheduler is slurm, and its record is missing; "
         "add slurm: beside it")],
    ),
    "a-record-without-its-scheduler": (
        OCTOBER.replace("scheduler: slurm", "scheduler: local"),
        [f"9: {SLURM}: the scheduler on line 8 is local; remove one of the two"],
    ),
    "cpus-per-task-and-per-gpu": (
        slurm("cpus-per-task: 4, cpus-per-gpu: 4"),
        [(f"9: {SLURM}.cpus-per-gpu: Slurm takes either this or cpus-per-task on line 9; "
         "keep one of the two")],
    ),
    "a-gres-without-gpus": (
        slurm("gres: 'gpu:8'"),
        [(f"9: {SLURM}.gres: the template must have {{gpus}} and no other placeholder, "
         "found 'gpu:8'")],
    ),
    "a-gres-with-another-placeholder": (
        slurm("gres: 'gpu:{kind}:{gpus}'"),
        [(f"9: {SLURM}.gres: the template must have {{gpus}} and no other placeholder, "
         "found 'gpu:{kind}:{gpus}'")],
    ),
    **{
        f"a-short-option-in-{name}": (
            slurm(f"{name}: [-N1]"),
            [f"9: {SLURM}.{name}.0: only long options are allowed, as --mem=0, found '-N1'"],
        )
        for name in ("srun-args", "salloc-args")
    },
    "a-time-limit-of-another-form": (
        slurm("srt-slurm: {network-interface: '', default-time-limit: '360'}"),
        [(f"9: {SLURM}.srt-slurm.default-time-limit: string should match pattern "
         "'^[0-9]+:[0-9]{2}:[0-9]{2}$', found '360'")],
    ),
    "a-setup-script-outside-the-repository": (
        slurm("srt-slurm: {network-interface: '', host-setup: {script: ../x.sh}}"),
        [(f"9: {SLURM}.srt-slurm.host-setup.script: the path must be relative and stay inside the "
         "repository, found '../x.sh'")],
    ),
    "the-submit-host-for-node-local-storage": (
        slurm(f"{CACHE}, helper-dirs: {{nginx: {{import: submit-host}}}}}}"),
        [(f"9: {SLURM}.squash.helper-dirs.nginx.import: the submit host cannot fill storage that "
         "is node-local on line 9; import on all-nodes")],
    ),
    "an-unknown-way-to-import": (
        slurm(CACHE.replace("all-nodes", "everywhere") + "}"),
        [(f"9: {SLURM}.squash.import: input should be 'submit-host', 'compute', 'all-nodes', "
         "'pre-staged' or 'unchecked', found 'everywhere'")],
    ),
    "a-model-on-no-volume": (
        record("models: {entries: {Toy: {root: scratch, dir: t}}}"),
        [("10: clusters.h200-a.models.entries.Toy.root: there is no volume scratch; "
         "add it under volumes")],
    ),
    "two-rules-of-a-record": (
        slurm("gres: 'gpu:8', srun-args: [-N1]"),
        [(f"9: {SLURM}.gres: the template must have {{gpus}} and no other placeholder, "
         "found 'gpu:8'"),
         f"9: {SLURM}.srun-args.0: only long options are allowed, as --mem=0, found '-N1'"],
    ),
}  # fmt: skip
CASES = {**AUGUSTS, **INVENTORY, **RECORDS}


@pytest.mark.parametrize("case", CASES)
def test_what_breaks_a_rule_is_refused(generate, case):
    text, lines = CASES[case]
    assert generate(MASTER, runners=text) == refused(
        2, "\ninfx: ".join(f"runners.yaml:{line}" for line in lines)
    )
