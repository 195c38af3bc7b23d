"""The settings of a run as aiperf's aggregate states them (`input_config`), and ours as it would.

A scenario of the public benchmark locks some of them; where the aggregate leaves one out, the
scenario's stands for it. The sessions of a run whose corpus is not at hand are identified by what
the aggregate declares of them, which equals the digest of no file.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import JsonValue, ValidationError

from infx.errors import InputError, Problem
from infx.model.agentic import AgenticWorkload
from infx.model.aiperf import AiperfExport
from infx.model.bundle import PhaseWindow, PointFile
from infx.model.identity import digest
from infx.model.record import Phase

NS_PER_S = 1_000_000_000
ZONE_S = 900
"""Time zones differ by quarters of an hour."""
REPLAY = "agentic_replay"
TRACE_FORMATS = ("weka_trace",)
MARKER = "first_turn_prefix"
"""Where a play's own text stands, in aiperf's words."""


def input_config(point: PointFile, requests: int) -> dict[str, JsonValue]:
    """Return a point's settings in aiperf's words; `requests` is how many were measured."""
    workload = point.workload
    extra: dict[str, JsonValue] = {**workload.extra_body}
    if workload.ignore_eos:
        extra["ignore_eos"] = True
    phase: dict[str, JsonValue] = {
        "name": Phase.PROFILING.value,
        "kind": Phase.PROFILING.value,
        "type": "concurrency",
        "concurrency": point.concurrency,
    }
    if workload.duration_s is not None:
        phase["duration"] = workload.duration_s
    else:
        phase["requests"] = requests
    told: dict[str, JsonValue] = {
        "models": {"items": [{"name": point.endpoint.model}]},
        "endpoint": {
            "urls": [point.endpoint.url],
            "type": workload.api,
            "streaming": True,
            "use_server_token_count": True,
            "extra": extra,
        },
        "datasets": [{"name": "main", "random_seed": workload.seed}],
        "tokenizer": {"name": workload.tokenizer},
    }
    if isinstance(workload, AgenticWorkload):
        told["datasets"] = [_sessions(workload)]
        phase |= _replay(workload)
    return {**told, "phases": [phase]}


def _sessions(workload: AgenticWorkload) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {
        "name": "main",
        "type": "file",
        "path": workload.corpus,
        "format": TRACE_FORMATS[0],
        "random_seed": workload.seed,
        "cache_bust": {"target": MARKER if workload.cache_bust else "none"},
    }
    caps = {
        "max_context_length": workload.max_context,
        "trace_idle_gap_cap_seconds": workload.tree_idle_cap_s,
    }
    return told | {name: cap for name, cap in caps.items() if cap is not None}


def _replay(workload: AgenticWorkload) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {"timing_mode": REPLAY}
    if workload.window is not None:
        low, high = workload.window
        told |= {"trajectory_start_min_ratio": low, "trajectory_start_max_ratio": high}
    if workload.idle_cap_s is not None:
        told["system_idle_gap_cap_seconds"] = workload.idle_cap_s
    return told


class Settings:
    """What an aggregate states. `where` names its file; InputError tells what cannot be used."""

    def __init__(self, export: AiperfExport, where: str) -> None:
        self._export = export
        self._where = where
        config = export.input_config
        self._endpoint = _mapping(config.get("endpoint"))
        self._tokenizer = _mapping(config.get("tokenizer")).get("name")
        self._dataset = _first(config.get("datasets"))
        self._models = _first(_mapping(config.get("models")).get("items"))
        phases = [_mapping(one) for one in _list(config.get("phases"))]
        self._phase = next((one for one in phases if one.get("kind") != "warmup"), {})
        self._scenario = export.metadata.scenario or config.get("scenario")

    @property
    def concurrency(self) -> int | None:
        """How many sessions were live at once."""
        found = self._phase.get("concurrency")
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    @property
    def model(self) -> str | None:
        """The model that was asked for."""
        name = self._models.get("name")
        return name if isinstance(name, str) else None

    @property
    def url(self) -> str | None:
        """The first URL that was asked."""
        return next(
            (one for one in _list(self._endpoint.get("urls")) if isinstance(one, str)), None
        )

    @property
    def replays(self) -> bool:
        """Whether recorded sessions were replayed, by what is stated."""
        stated = (self._scenario, self._phase.get("timing_mode") == REPLAY)
        return any(stated) or self._dataset.get("format") in TRACE_FORMATS

    @property
    def declared_corpus(self) -> str:
        """What identifies the sessions where their file is not at hand."""
        declared = {"dataset": self._dataset, "metadata": self._export.metadata.dataset}
        return f"sha256:{digest({'aiperf': declared})}"

    def workload(self, corpus: str) -> AgenticWorkload:
        """Return what was asked; `corpus` is the digest of the sessions.

        The text of the prompts was aiperf's own, which `tokenizer` says: it is no workload of ours.
        """
        phase, seeds = self._phase, _mapping(self._export.run_info).get("random_seed")
        low, high = (phase.get(f"trajectory_start_{end}_ratio") for end in ("min", "max"))
        extra = dict(_mapping(self._endpoint.get("extra")))
        ignore_eos = extra.pop("ignore_eos", bool(self._scenario))
        marker = _mapping(self._dataset.get("cache_bust")).get("target")
        cap = "trace_idle_gap_cap_seconds"
        stated: dict[str, Any] = {
            "corpus": corpus,
            "seed": self._dataset.get("random_seed", seeds),
            "window": (low, high) if low is not None and high is not None else None,
            "max_context": self._dataset.get("max_context_length"),
            "warmups_per_lane": phase.get("warmup_requests_per_lane", 0),
            "duration_s": phase.get("duration"),
            "idle_cap_s": phase.get("system_idle_gap_cap_seconds"),
            "tree_idle_cap_s": phase.get(cap, self._dataset.get(cap)),
            "cache_bust": marker == MARKER if marker else bool(self._scenario),
            "ignore_eos": ignore_eos,
            "tokenizer": f"aiperf:{self._tokenizer}",
            "extra_body": extra,
            "rule": "custom",
        }
        try:
            return AgenticWorkload.model_validate(stated)
        except ValidationError as error:
            raise InputError(
                *(
                    Problem(f"{'.'.join(map(str, one['loc']))}: {one['msg']}", self._where)
                    for one in error.errors(include_url=False)
                )
            ) from None

    def window(self, first_ns: int) -> tuple[PhaseWindow, ...]:
        """Return when profiling began and ended, on the wall clock; empty where nobody kept it.

        The file tells neither zone nor nanoseconds: the zone is the one in which the start lies
        next to the first request of the phase, at `first_ns`.
        """
        start, end = self._export.start_time, self._export.end_time
        if start is None or end is None:
            return ()
        begun = _ns(start)
        shift = round((first_ns - begun) / NS_PER_S / ZONE_S) * ZONE_S * NS_PER_S
        began = min(begun + shift, first_ns)
        return (PhaseWindow(phase=Phase.PROFILING, start_ns=began, end_ns=_ns(end) + shift),)


def _ns(moment: datetime) -> int:
    utc = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    whole = utc.replace(microsecond=0)
    return int(whole.timestamp()) * NS_PER_S + utc.microsecond * 1000


def _mapping(value: object) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _first(value: object) -> Mapping[str, JsonValue]:
    return next((_mapping(one) for one in _list(value)), {})
