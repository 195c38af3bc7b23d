"""Runner files to values: both forms, and the rules of an inventory.

August has facts of nodes by label; October has one record for each `cluster:ID`, and every runner
belongs to exactly one of them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import JsonValue, TypeAdapter

from infx.errors import InputError, nearest
from infx.matrix.faults import Fault, Path
from infx.model.catalog import CLUSTER, Hardware, HardwareRunners, Runners
from infx.model.document import Document
from infx.model.validation import checked

if TYPE_CHECKING:
    from infx.model.cluster import ClusterRunners

PARTITION = "partition:"
"""What begins a label that names one Slurm partition of a cluster."""

_ENVIRONMENTS: tuple[Path, ...] = (
    ("env",),
    ("slurm", "srt-slurm", "env"),
    ("slurm", "srt-slurm", "host-setup", "env"),
)


def runners(document: Document) -> Runners:
    """Return the labels and machines of a runner file.

    Raises InputError with every problem at its line.
    """
    value = document.value
    if isinstance(value, dict) and "clusters" in value:
        return _clusters(document, value)
    found = checked(document, value, TypeAdapter(HardwareRunners))
    _raise(document, [*_repeated(found), *_unlabelled(found)])
    return found


def nodes(found: Runners) -> dict[str, Hardware]:
    """Return what is known of the nodes behind each label.

    Its own record; else the GPUs per node on which the records of all of its runners agree. A label
    of August may be a cluster's without its prefix.
    """
    records = found.records
    homes = {
        runner: record.gpus_per_node
        for label, record in records.items()
        for runner in found.labels.get(label, ())
    }
    facts: dict[str, Hardware] = {}
    for label, names in found.labels.items():
        counts = {homes.get(name) for name in names}
        if len(counts) == 1 and (count := counts.pop()) is not None:
            facts[label] = Hardware.model_construct(gpus_per_node=count)
    facts.update({label.removeprefix(CLUSTER): record for label, record in records.items()})
    return {**facts, **records}


def _clusters(document: Document, value: dict[str, JsonValue]) -> Runners:
    # Imported here: fifteen more models, which the other form does not need.
    from infx.matrix.cluster_rules import faults
    from infx.model.cluster import ClusterRunners

    records = value["clusters"]
    for name in records if isinstance(records, dict) else ():
        for path in _ENVIRONMENTS:
            value = _with_text(document, value, (), ("clusters", name, *path))
    found = checked(document, value, TypeAdapter(ClusterRunners))
    record_faults = [
        fault for name, record in found.clusters.items() for fault in faults(record, name)
    ]
    _raise(document, [*_repeated(found), *_fleets(found), *_partitions(found), *record_faults])
    return found


def _with_text(
    document: Document, value: dict[str, JsonValue], at: Path, rest: Path
) -> dict[str, JsonValue]:
    """Return `value`, which stands at `at`, with what is at `rest` below as it was written.

    An environment gets text, for which 017 is not 17; only a null is left for the schema to refuse.
    """
    if not rest:
        texts = {name: document.text(*at, name) for name in value}
        return {
            name: member if member is None or texts[name] is None else texts[name]
            for name, member in value.items()
        }
    name = str(rest[0])
    member = value.get(name)
    if not isinstance(member, dict):
        return value
    return {**value, name: _with_text(document, member, (*at, name), rest[1:])}


def _raise(document: Document, faults: list[Fault]) -> None:
    if faults:
        raise InputError(*(fault.problem(document, ()) for fault in faults))


def _repeated(found: Runners) -> Iterator[Fault]:
    for label, names in found.labels.items():
        for index, name in enumerate(names):
            first = names.index(name)
            if first < index:
                what = f"the runner {name} stands here and on {{line}}"
                at: Path = ("labels", label)
                yield Fault((*at, index), what, "keep one of the two", (*at, first))


def _unlabelled(found: HardwareRunners) -> Iterator[Fault]:
    for label in found.hardware:
        if label not in found.labels:
            yield Fault(("hardware", label), "there is no such label", nearest(label, found.labels))


def _fleets(found: "ClusterRunners") -> Iterator[Fault]:
    """Yield labels and records without each other, and runners of no cluster or of two."""
    homes: dict[str, Path] = {}
    clusters = [label for label in found.labels if label.startswith(CLUSTER)]
    for label in clusters:
        name = label.removeprefix(CLUSTER)
        if name not in found.clusters:
            advice = nearest(name, found.clusters)
            yield Fault(("labels", label), f"there is no record {name} under clusters", advice)
        for index, runner in enumerate(found.labels[label]):
            place = ("labels", label, index)
            home = homes.setdefault(runner, place)
            if home[1] != label:
                what = f"{runner} belongs to {home[1]} on {{line}} already"
                yield Fault(place, what, "a runner belongs to one cluster", home)
    for name in found.clusters:
        if CLUSTER + name not in found.labels:
            remedy = f"list its runners under {CLUSTER}{name}"
            yield Fault(("clusters", name), "no label lists its runners", remedy)
    for label, names in found.labels.items():
        for index, runner in enumerate(names):
            if runner not in homes:
                remedy = f"list it under a label that begins with {CLUSTER}"
                yield Fault(("labels", label, index), f"{runner} belongs to no cluster", remedy)
                homes[runner] = ("labels", label, index)


def _partitions(found: "ClusterRunners") -> Iterator[Fault]:
    """Yield partition labels that do not resolve to one partition of one cluster."""
    places: dict[str, Path] = {}
    homes = {
        runner: label.removeprefix(CLUSTER)
        for label, names in found.labels.items()
        if label.startswith(CLUSTER)
        for runner in names
    }
    for label, names in found.labels.items():
        if not label.startswith(PARTITION):
            continue
        for index, runner in enumerate(names):
            place = ("labels", label, index)
            first = places.setdefault(runner, place)
            if first[1] != label:
                what = f"{runner} stands under {first[1]} on {{line}} already"
                yield Fault(place, what, "a runner belongs to one partition", first)
            record = found.clusters.get(homes.get(runner, ""))
            known = record.slurm.partitions if record and record.slurm else ()
            if label.removeprefix(PARTITION) not in known:
                what = f"the cluster of {runner} has no such partition"
                yield Fault(place, what, "add it to the partitions of the cluster's slurm record")
    for runner, name in homes.items():
        record = found.clusters.get(name)
        if record and record.slurm and record.slurm.partitions and runner not in places:
            index = found.labels[CLUSTER + name].index(runner)
            what = f"{name} lists its partitions, and {runner} is in none"
            remedy = f"list it under a label that begins with {PARTITION}"
            yield Fault(("labels", CLUSTER + name, index), what, remedy)
