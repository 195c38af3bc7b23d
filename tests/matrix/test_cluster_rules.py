"""Each rule of one cluster's record, by what it says when it is broken."""

import pytest

from infx.matrix.inventory import runners
from infx.store.documents import parse_yaml
from judged import OCTOBER
from refusals import refusal


def read(text):
    return runners(parse_yaml(text.encode(), "runners.yaml"))


def slurm(more):
    """Return a record whose scheduler's part has `more`; it stands on line 9."""
    return OCTOBER.replace("exclusive: false", f"exclusive: false, {more}")


CACHE = "squash: {dir: /c, visibility: node-local, import: all-nodes"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "".join(OCTOBER.splitlines(keepends=True)[:-1]),
            (
                "8: clusters.h200-a.scheduler: the scheduler is slurm, and its record is missing; "
                "add slurm: beside it"
            ),
        ),
        (
            OCTOBER.replace("scheduler: slurm", "scheduler: local"),
            ("9: clusters.h200-a.slurm: the scheduler on line 8 is local; remove one of the two"),
        ),
        (
            slurm("cpus-per-task: 4, cpus-per-gpu: 4"),
            (
                "9: clusters.h200-a.slurm.cpus-per-gpu: Slurm takes either this or cpus-per-task "
                "on line 9; keep one of the two"
            ),
        ),
        (
            slurm("partitions: [p1]") + "  \n",
            (
                "3: labels.cluster:h200-a.0: "
                "h200-a lists its partitions, and h200-a_0 is in none; "
                "list it under a label that begins with partition:\n"
                "runners.yaml:9: clusters.h200-a.slurm.partition: "
                "main is not one of the partitions on line 9; name one of them"
            ),
        ),
        (
            slurm(
                "srt-slurm: {network-interface: '', volume-mounts: {cach: /x}}, "
                "volumes: {cache: {path: /c}}"
            ),
            (
                "9: clusters.h200-a.slurm.srt-slurm.volume-mounts.cach: there is no volume cach; "
                "did you mean cache?"
            ),
        ),
        (
            OCTOBER
            + "    models: {download-root: data, entries: {Toy: {root: scratch, dir: t}}}\n",
            (
                "10: clusters.h200-a.models.entries.Toy.root: there is no volume scratch; "
                "add it under volumes\n"
                "runners.yaml:10: clusters.h200-a.models.download-root: there is no volume data; "
                "add it under volumes"
            ),
        ),
        (
            slurm(
                f"{CACHE}, framework-dirs: {{trt: {{model-prefixes: "
                "{toy: {import: submit-host}}}}}"
            ),
            (
                "9: clusters.h200-a.slurm.squash.framework-dirs.trt.model-prefixes.toy.import: "
                "the submit host cannot fill storage that is node-local on line 9; "
                "import on all-nodes"
            ),
        ),
        (
            slurm(f"{CACHE}, helper-dirs: {{nginx: {{import: submit-host}}}}}}"),
            (
                "9: clusters.h200-a.slurm.squash.helper-dirs.nginx.import: "
                "the submit host cannot fill storage that is node-local on line 9; "
                "import on all-nodes"
            ),
        ),
        (
            slurm("gres: 'gpu:8'"),
            (
                "9: clusters.h200-a.slurm.gres: "
                "the template must have {gpus} and no other placeholder, found 'gpu:8'"
            ),
        ),
        (
            slurm("srun-args: [-N1]"),
            (
                "9: clusters.h200-a.slurm.srun-args.0: only long options are allowed, as --mem=0, "
                "found '-N1'"
            ),
        ),
        (
            slurm("srt-slurm: {network-interface: '', host-setup: {script: ../x.sh}}"),
            (
                "9: clusters.h200-a.slurm.srt-slurm.host-setup.script: "
                "the path must be relative and stay inside the repository, found '../x.sh'"
            ),
        ),
    ],
)
def test_a_record(text, message):
    assert refusal(lambda: read(text)) == f"runners.yaml:{message}"


def test_a_rich_record_passes():
    found = read(
        slurm(
            "gres: 'gpu:h200:{gpus}', cpus-per-gpu: 24, salloc-args: [--mem=0], "
            "volumes: {cache: {path: ~/c, visibility: node-local}}, "
            f"{CACHE}, helper-dirs: {{nginx: {{import: pre-staged}}}}}}, "
            "srt-slurm: {network-interface: '', volume-mounts: {cache: /x}, "
            "default-time-limit: '6:00:00', fabric: {nccl-ib-hca: mlx5}}"
        )
        + "    models: {entries: {Toy: {root: cache, dir: toy}}}\n"
    )
    record = found.clusters["h200-a"]
    assert record.slurm.srt_slurm.fabric == {"nccl-ib-hca": "mlx5"}
    assert record.models.entries["Toy"].dir == "toy"


def test_a_machine_without_a_queue_needs_no_record_of_one():
    text = "".join(OCTOBER.splitlines(keepends=True)[:-1]).replace("slurm", "local")
    assert read(text).clusters["h200-a"].slurm is None
