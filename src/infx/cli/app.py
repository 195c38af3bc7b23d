"""All commands, by name; the module of each is imported when it is asked for."""

from cyclopts import App, Parameter

from infx import __version__


def _default(value: object) -> str | None:
    """Return a default as help names it; None where absence says the same."""
    if value is None or value is False or value in ((), [], ""):
        return None
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


app = App(
    name="infx",
    help="Continuous benchmarking of LLM inference servers.",
    version=__version__,
    help_format="plaintext",
    default_parameter=Parameter(show_default=_default),
)
app.command(
    "infx.cli.quickstart:quickstart",
    name="quickstart",
    help="Measure a real engine with a small model, on this machine.",
)
app.command("infx.cli.bench:bench", name="bench", help="Measure an OpenAI-compatible endpoint.")
app.command("infx.cli.report:report", name="report", help="Write the static page of a run.")
app.command(
    "infx.cli.frontier:frontier",
    name="frontier",
    help="Show the frontiers of runs, and where they have no points.",
)
app.command("infx.cli.compare:compare", name="compare", help="Say what one run is next to another.")
app.command(
    "infx.cli.selftest:selftest",
    name="selftest",
    help="Measure how accurate the client is on this machine.",
)
runs = App(name="runs", help="List, show, verify, recover and exchange run bundles.")
app.command(runs)
runs.command("infx.cli.runs:list_", name="list", help="List the runs of a folder.")
runs.command("infx.cli.runs:show", name="show", help="Print a run again, from its bundle.")
runs.command("infx.cli.runs:verify", name="verify", help="Check a run's files and counts.")
runs.command("infx.cli.runs:recover", name="recover", help="Finish the bundle of a killed run.")
runs.command(
    "infx.cli.runs_exchange:import_", name="import", help="Make a bundle of another client's run."
)
runs.command(
    "infx.cli.runs_exchange:export", name="export", help="Write a run as files of another tool."
)
workload = App(name="workload", help="Make, describe, import and fetch agent sessions.")
app.command(workload)
workload.command(
    "infx.cli.workload:describe", name="describe", help="Say what a corpus of sessions is like."
)
workload.command("infx.cli.workload:synth", name="synth", help="Write synthetic sessions.")
workload.command(
    "infx.cli.workload:import_",
    name="import",
    help="Turn logs of coding agents into traces without text.",
)
workload.command("infx.cli.workload:fetch", name="fetch", help="Download a known corpus.")
workload.command("infx.cli.workload:list_", name="list", help="List the known corpora.")
recipe = App(name="recipe", help="Show, check and compare recipes.")
app.command(recipe)
recipe.command(
    "infx.cli.recipe:show", name="show", help="Print a recipe as it is bound, with reasons."
)
recipe.command(
    "infx.cli.recipe_check:check", name="check", help="Say what is wrong in recipes, or doubtful."
)
recipe.command(
    "infx.cli.recipe_diff:diff", name="diff", help="Compare two recipes, and say what follows."
)
acceptance = App(name="acceptance", help="Show golden acceptance lengths.")
app.command(acceptance)
acceptance.command(
    "infx.cli.acceptance:show",
    name="show",
    help="Show all curves, one curve, or the length that a draft is held to.",
)
engines = App(name="engines", help="Show and read what engines' command lines take.")
app.command(engines)
engines.command("infx.cli.engines:list_", name="list", help="List the schemas that infx ships.")
engines.command("infx.cli.engines:flags", name="flags", help="List the flags of an engine.")
engines.command(
    "infx.cli.engines:extract", name="extract", help="Read a schema from an engine's wheel."
)
matrix = App(name="matrix", help="Expand a catalog into what a sweep runs.")
app.command(matrix)
matrix.command(
    "infx.cli.matrix:generate", name="generate", help="Print the rows and points of a catalog."
)
matrix.command(
    "infx.cli.changed:changed", name="changed", help="List the points that a change affects."
)
changelog = App(name="changelog", help="Judge, extend and merge the changelog.")
app.command(changelog)
changelog.command(
    "infx.cli.changelog:check", name="check", help="Judge what a change adds to the changelog."
)
changelog.command(
    "infx.cli.changelog:add", name="add", help="Append the entry for what a change affects."
)
changelog.command(
    "infx.cli.changelog:merge", name="merge", help="Join what two branches append, for git."
)
app.command(
    "infx.cli.verify:verify", name="verify", help="Judge a submission by a policy, from evidence."
)
evidence = App(name="evidence", help="Gather and show what is known of a submission.")
app.command(evidence)
evidence.command(
    "infx.cli.evidence:collect",
    name="collect",
    help="Gather a submission's facts from a repository and its runs.",
)
evidence.command(
    "infx.cli.evidence:show", name="show", help="Show which facts a submission's evidence has."
)
app.command(
    "infx.cli.signoff:signoff",
    name="signoff",
    help="Fill the checklist of a policy from evidence, for a person to sign.",
)
app.command("infx.cli.explain:explain", name="explain", help="Print the manual page of a check.")
schema = App(name="schema", help="Write what editors need to check a catalog's files.")
app.command(schema)
schema.command("infx.cli.schema:write", name="write", help="Write JSON Schemas for editors.")
