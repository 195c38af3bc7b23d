"""What a run bundle says of itself: the manifest, and the file of each point."""

from typing import Literal

from pydantic import Field, JsonValue

from infx.model.agentic import Workload
from infx.model.launch import Endpoint, LaunchPlan
from infx.model.recipe import BoundRecipe
from infx.model.record import Phase
from infx.model.value import Value

RunState = Literal["running", "finished", "interrupted", "failed", "recovered"]


class ClockAnchor(Value):
    """One moment on both clocks: monotonic nanoseconds, and nanoseconds since the Unix epoch."""

    monotonic_ns: int
    wall_ns: int


class SelftestCitation(Value):
    """What a run says of the latest selftest of its host."""

    selftest: str
    started: str
    largest_streams: int | None


class PhaseWindow(Value):
    """When a phase of a point began and ended, on the monotonic clock."""

    phase: Phase
    start_ns: int
    end_ns: int


class PointFile(Value):
    """`points/<point-id>/point.json`: what was run, and between which moments.

    `directory` under `points/` is the point id, with `-rN` for repetition N above 0.
    `calibration` is what sized the prompts (empty for a dataset); for a replay `text_drift` there
    says how many tokens a few messages of made text were asked to have, and how many they have by
    the `server` and by the `tokenizer`, where one was given. `audit` is what the client says
    of its own work: `keep_alive_resets` counts requests that were sent again because the server
    had closed a kept connection before a byte of their answer, `plan_exhausted` tells that a phase
    that ends by time ran out of prompts, `prompt_passes` how often a dataset was gone through.
    `planned` is how many requests the profiling phase was to send, null where lanes ask until the
    time is up.
    `shards` is how many processes shared the load of the profiling phase, and `shard_cpu_s` what
    it cost each of them, where there were several.
    What was read before and after the load stands there too: `cpu_pressure` is the share of that
    time in which some task of the host waited for a core; `server_cache_hits` of the
    `server_cache_queries` prompt tokens were in the server's cache by its own counters, both null
    with the reason in `server_cache_absent`.

    Of a replay, `idle_skipped` and `tree_idle_skipped` say how often (`times`) and for how long
    (`s`) pauses were cut short, of the whole load and of one session. `aborted` says why it was
    broken off. `server_used` tells that an earlier point of the run had asked the same server;
    `server_tokens_before` are the prompt tokens that it had counted before the load, null with the
    reason in `server_tokens_absent`, and `server_tokens_own` those among them with which infx sized
    its prompts. `cache_reset` lists what each server (`url`) said when it was told to forget all
    prefixes, and whether it did (`ok`).

    `live_answers` are there where prompts of a replay contain what the server answered before:
    how many answers were `joined`, with the tokens that were asked of them (`asked_tokens`) and
    that the server counted (`answered_tokens`, null where it did not): so far prompts are off the
    asked length. Answers of a history that was never asked in full were `stood_in` for by text of
    the asked length. So many conversations `ended` as an answer failed that they went on from.
    `unsent_fields` says how many recorded requests of a replay had a field that is not sent.
    `digest_mismatch` lists what had another digest (`found`) than was `stated`: the `corpus` that
    the workload names, the file that the `registry` of corpora names, or the `plan` (`what`).

    `imported` holds what the export of another run, or another client's, said of itself; such a
    point has no plan. Where `requests` in it says `not kept`, the point has no journal either: its
    summary is what the artifact says. Where `asked_output` says `not told`, each request's is what
    came.
    """

    schema_version: Literal[1] = 1
    point_id: str
    recipe_digest: str
    workload_digest: str
    curve_key: dict[str, JsonValue]
    concurrency: int
    repetition: int = 0
    recipe: BoundRecipe
    workload: Workload
    endpoint: Endpoint
    launch: LaunchPlan | None = None
    plan_digest: str | None = None
    calibration: dict[str, JsonValue] = Field(default_factory=dict)
    slo: dict[str, float] = Field(default_factory=dict)
    audit: dict[str, JsonValue] = Field(default_factory=dict)
    phases: tuple[PhaseWindow, ...] = ()

    @property
    def directory(self) -> str:
        """The point's folder name under `points/`."""
        return f"{self.point_id}-r{self.repetition}" if self.repetition else self.point_id

    @property
    def keeps_requests(self) -> bool:
        """Whether there is a journal; an artifact of another client may have figures alone."""
        return self._imported("requests") != "not kept"

    @property
    def knows_asked_output(self) -> bool:
        """Whether it is known how many tokens each request asked for."""
        return self._imported("asked_output") != "not told"

    def _imported(self, name: str) -> JsonValue:
        imported = self.audit.get("imported")
        return imported.get(name) if isinstance(imported, dict) else None

    @property
    def rate(self) -> float | None:
        """The highest arrival rate that is asked, in requests/s; None in a closed loop."""
        work = self.workload
        return work.arrival.peak if work.scenario == "fixed" and work.arrival else None

    @property
    def request_name(self) -> str:
        """What the X-Request-ID of each of its requests begins with; `-N` follows for request N."""
        return f"infx-{self.point_id[:12]}-r{self.repetition}"


class Manifest(Value):
    """`manifest.json`: who ran what, when, on which host, and the sha256 of every other file.

    `files` maps bundle-relative paths to hex digests; it is complete once `state` is not `running`.
    `failure` is the one-line reason of a failed run. `selftest` cites the latest selftest of this
    host: same processor, cores and kernel.
    """

    schema_version: Literal[1] = 1
    run: str
    command: tuple[str, ...]
    state: RunState
    started: str
    ended: str | None = None
    failure: str | None = None
    simulated: bool = False
    anchor: ClockAnchor
    versions: dict[str, str]
    host: dict[str, JsonValue]
    selftest: SelftestCitation | None = None
    points: tuple[str, ...] = ()
    files: dict[str, str] = Field(default_factory=dict)
