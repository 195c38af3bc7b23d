"""What the points of bundles were asked, beside what their model and their entry ask for."""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from infx.flows.evidence.bundles import Asked, Given, lengths_of
from infx.model import run_facts
from infx.model.agentic import RULES, AgenticWorkload
from infx.model.dataset import DatasetRegistry
from infx.model.model_registry import ModelRegistry
from infx.model.workload import FixedWorkload
from infx.recipes import registries

FREE = ("seed", "tokenizer", "api")
"""What a point of fixed lengths may choose: it still has to be the same along a curve."""


def workloads(
    found: Iterable[Given], models: ModelRegistry, corpora: DatasetRegistry
) -> Iterator[run_facts.Workload]:
    """Yield what each point was asked, beside what is required of it; repetitions ask the same.

    Of fixed lengths all but `FREE` has to be as it is by default, so that no run is shorter, more
    at ease or otherwise asked than the others of its shape.
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
        promised = {**RULES["full"], "rule": "full"}
        # A corpus whose digest no page states is asked for by name, which no record has.
        digest = f"sha256:{corpus.sha256}" if corpus.sha256 else corpus.name
        json = {name: list(v) if isinstance(v, tuple) else v for name, v in promised.items()}
        return {**json, "corpus": digest}  # type: ignore[dict-item]
    lengths = lengths_of(point.placed)
    if lengths is None:
        return {}
    isl, osl = lengths
    return FixedWorkload(isl=isl, osl=osl).model_dump(mode="json", exclude=set(FREE))
