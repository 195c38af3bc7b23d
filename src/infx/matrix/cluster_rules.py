"""Rules of one cluster's record that need more than one field."""

from collections.abc import Iterator, Mapping

from infx.errors import nearest
from infx.matrix.faults import Fault, Path
from infx.model.cluster import Cluster, Slurm, Squash, SquashPlace


def faults(record: Cluster, name: str) -> Iterator[Fault]:
    """Yield what is wrong with the record of the cluster `name`."""
    at: Path = ("clusters", name)
    if record.scheduler == "slurm" and record.slurm is None:
        what = "the scheduler is slurm, and its record is missing"
        yield Fault((*at, "scheduler"), what, "add slurm: beside it")
        return
    if record.slurm is not None:
        if record.scheduler != "slurm":
            what = f"the scheduler on {{line}} is {record.scheduler}"
            yield Fault((*at, "slurm"), what, "remove one of the two", (*at, "scheduler"))
        yield from _slurm(record.slurm, (*at, "slurm"))
    models = record.models
    volumes = record.slurm.volumes if record.slurm else {}
    if models is None:
        return
    roots: list[tuple[Path, str]] = [
        (("entries", entry, "root"), place.root) for entry, place in models.entries.items()
    ]
    if models.download_root is not None:
        roots.append((("download-root",), models.download_root))
    for path, root in roots:
        if root not in volumes:
            what = f"there is no volume {root}"
            yield Fault((*at, "models", *path), what, _advice(root, volumes))


def _slurm(slurm: Slurm, at: Path) -> Iterator[Fault]:
    if slurm.cpus_per_task is not None and slurm.cpus_per_gpu is not None:
        what = "Slurm takes either this or cpus-per-task on {line}"
        yield Fault((*at, "cpus-per-gpu"), what, "keep one of the two", (*at, "cpus-per-task"))
    if slurm.partitions and slurm.partition not in slurm.partitions:
        what = f"{slurm.partition} is not one of the partitions on {{line}}"
        yield Fault((*at, "partition"), what, "name one of them", (*at, "partitions"))
    for volume in slurm.srt_slurm.volume_mounts if slurm.srt_slurm else ():
        if volume not in slurm.volumes:
            place = (*at, "srt-slurm", "volume-mounts", volume)
            yield Fault(place, f"there is no volume {volume}", _advice(volume, slurm.volumes))
    if slurm.squash is not None and slurm.squash.visibility == "node-local":
        for place, squash in _places(slurm.squash, (*at, "squash")):
            if squash.import_ == "submit-host":
                what = "the submit host cannot fill storage that is node-local on {line}"
                against = (*at, "squash", "visibility")
                yield Fault((*place, "import"), what, "import on all-nodes", against)


def _advice(volume: str, known: Mapping[str, object]) -> str:
    return nearest(volume, known) if known else "add it under volumes"


def _places(squash: Squash, at: Path) -> Iterator[tuple[Path, Squash | SquashPlace]]:
    """Yield the cache, and every place of some images in it."""
    yield at, squash
    for engine, place in squash.framework_dirs.items():
        yield (*at, "framework-dirs", engine), place
        for prefix, narrower in place.model_prefixes.items():
            yield (*at, "framework-dirs", engine, "model-prefixes", prefix), narrower
    for helper, helper_place in squash.helper_dirs.items():
        yield (*at, "helper-dirs", helper), helper_place
