"""What the points of bundles were asked, beside what their model and their entry ask for."""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from infx.flows.evidence.bundles import Asked, Given, lengths_of
from infx.model import run_facts
from infx.model.agentic import AgenticWorkload
from infx.model.dataset import DatasetRegistry
from infx.model.model_registry import ModelRegistry
from infx.model.workload import FixedWorkload
from infx.recipes import registries

FREE = frozenset({"tokenizer", "api", "extra_body"})
"""What a point may choose, `seed` too where lengths are fixed; it has to be so along the curve."""

_NO_CORPUS = "sha256:" + "0" * 64


def workloads(
    found: Iterable[Given], models: ModelRegistry, corpora: DatasetRegistry
) -> Iterator[run_facts.Workload]:
    """Yield what each point was asked, beside what is required of it; repetitions ask the same.

    All but `FREE` has to be as it is by default, or as the rule `full` has it: so that no run is
    shorter, leaves out long sessions or is otherwise more at ease than the others of its kind.
    """
    for one in found:
        for point in one.points:
            if point.summary is not None and not point.file.repetition:
                yield run_facts.Workload(
                    config=one.config.key,
                    concurrency=point.file.concurrency,
                    facts=point.file.workload.model_dump(mode="json"),
                    required=_required(one.config.prefix, point, models, corpora),
                    cite=one.cite(point.file, "point.json", point.file.workload_digest),
                )


def _required(
    prefix: str, point: Asked, models: ModelRegistry, corpora: DatasetRegistry
) -> dict[str, JsonValue]:
    if isinstance(point.file.workload, AgenticWorkload):
        if registries.model(models, prefix) is None:
            return {}
        corpus = corpora.of(registries.corpus(models, prefix))
        # A corpus whose digest no page states is asked for by name, which no record has.
        digest = f"sha256:{corpus.sha256}" if corpus.sha256 else corpus.name
        promised = AgenticWorkload.under("full", corpus=_NO_CORPUS)
        return {**promised.model_dump(mode="json", exclude=set(FREE)), "corpus": digest}
    lengths = lengths_of(point.placed)
    if lengths is None:
        return {}
    isl, osl = lengths
    return FixedWorkload(isl=isl, osl=osl).model_dump(mode="json", exclude={*FREE, "seed"})
