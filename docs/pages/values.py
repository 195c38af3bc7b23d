"""Pages of values: what stands in a bundle, and what the Python API gives."""

import enum
import inspect
from importlib import import_module
from types import FunctionType

import infx
from infx.flows.runs import Run
from infx.load.progress import Progress
from infx.model import (
    agentic,
    agentx,
    bundle,
    launch,
    recipe,
    record,
    result,
    scrape,
    workload,
)
from infx.store import bundles
from infx.store.expected import EXPECTED
from infx.store.plans import PACKED
from pages.text import code, doc, fence, fields, line, page, signature, table, type_name

TREE = f"""\
runs/<run-id>/
  {bundles.MANIFEST:28} who ran what, when, on which host; sha256 of every other file
  {"server/<process>.log":28} what a server that infx started wrote
  {bundles.POINTS + "/<point-id>[-rN]/":28} one folder a point and repetition
    {bundles.POINT:26} keys, recipe, workload, endpoint, launch plan, phases
    {bundles.PLAN:26} what each turn asks; above 64 MiB packed, as {PACKED}
    {EXPECTED:26} of a replay: what its recording says of each request
    {bundles.REQUESTS:26} the journal: one line at issue, one at the end
    {bundles.SAMPLES:26} the server's metrics pages: one line each second
    {bundles.SUMMARY:26} counts, and every metric or its reason"""

FILES: dict[str, tuple[type, ...]] = {
    bundles.MANIFEST: (bundle.Manifest, bundle.ClockAnchor, bundle.SelftestCitation),
    bundles.POINT: (
        bundle.PointFile,
        bundle.PhaseWindow,
        recipe.BoundRecipe,
        recipe.Role,
        recipe.Site,
        workload.FixedWorkload,
        agentic.AgenticWorkload,
        launch.Endpoint,
        launch.LaunchPlan,
        launch.ProcessPlan,
    ),
    bundles.PLAN: (),
    bundles.REQUESTS: (record.Issue, record.RequestRecord, record.EndState, record.Phase),
    bundles.SAMPLES: (scrape.Page, scrape.Change, scrape.Miss),
    bundles.SUMMARY: (
        result.PointSummary,
        result.Counts,
        result.ClientAudit,
        result.IncompleteTokens,
        result.Steady,
        result.ReplaySummary,
        result.Coverage,
        result.Censored,
        agentx.RequestMetrics,
        agentx.Qps,
        agentx.Latency,
        agentx.Tokens,
        agentx.Throughput,
        agentx.Spread,
        result.MetricValue,
        result.Interval,
        result.Absent,
    ),
}
"""File to the values in it, the outermost first."""

API_VALUES = (
    Run,
    result.RunResult,
    result.PointSummary,
    result.Counts,
    result.MetricValue,
    result.Interval,
    result.Absent,
    workload.FixedWorkload,
    record.Slo,
    Progress,
)
"""What the public functions take and give."""

FORMATS = {
    bundles.PLAN: "infx.load.planner",
    bundles.REQUESTS: "infx.store.journal",
}
"""Files that are no plain JSON, and the module that says what they are."""


def bundle_files() -> str:
    """Return the page of a bundle: its tree, then the format and values of each file."""
    sections = []
    for file, kinds in FILES.items():
        sections.append(f"## {file}")
        if file in FORMATS:
            sections.append(doc(import_module(FORMATS[file])))
        if file == bundles.REQUESTS:
            sections.append('A line is `{"issue": Issue}` or `{"end": RequestRecord}`.')
        sections += [value(kind) for kind in kinds]
    return page(
        "The run bundle",
        fence(TREE),
        doc(bundles).partition("\n\n")[2],
        "Every moment is integer nanoseconds of the host's monotonic clock; "
        "the manifest's anchor ties it to the wall clock.",
        *sections,
    )


def value(kind: type) -> str:
    """Return the section of one value: docstring and fields, or its words."""
    if issubclass(kind, enum.Enum):
        body = "One of " + ", ".join(code(member.value) for member in kind) + "."
    else:
        body = fields(kind)
    return f"### {kind.__name__}\n\n{doc(kind)}\n\n{body}"


def python() -> str:
    """Return the page of the public API: every public function, then the values it meets."""
    functions = [getattr(infx, name) for name in infx.__all__]
    return page(
        "Python API",
        doc(infx),
        *(f"## infx.{one.__name__}\n\n{_described(one)}" for one in functions),
        "## Values",
        *(f"### {kind.__name__}\n\n{_described(kind)}" for kind in API_VALUES),
    )


def _described(thing: object) -> str:
    if not isinstance(thing, type):
        assert isinstance(thing, FunctionType)
        return f"{fence(signature(thing), 'python')}\n\n{doc(thing)}"
    if any(thing in kinds for kinds in FILES.values()):
        anchor = thing.__name__.lower()
        return f"{doc(thing)}\n\nIts fields are in [bundle.md](bundle.md#{anchor})."
    members = {name: part for name, part in vars(thing).items() if not name.startswith("_")}
    attributes = [
        (code(name), code(type_name(inspect.signature(part.fget).return_annotation)), line(part))
        for name, part in members.items()
        if isinstance(part, property) and part.fget
    ]
    methods = [
        f"{fence(signature(part), 'python')}\n\n{doc(part)}"
        for part in members.values()
        if isinstance(part, FunctionType)
    ]
    shown = table(("attribute", "type", "meaning"), attributes) if attributes else fields(thing)
    return "\n\n".join((doc(thing), shown, *methods))
