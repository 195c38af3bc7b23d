"""The page of findings: every public recipe, judged by the checks that need little but a recipe."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from infx.flows.policy_context import policy_context
from infx.model.verdict import Finding, Judgement, Result
from infx.policy.judge import judge
from pages.recipe_facts import DAY, Facts, Named, facts, named
from pages.text import fence, table

POLICY = "2026-10"
CHECKS = (
    "upstream-image",
    "architecture-intact",
    "engine-unpatched",
    "golden-acceptance",
    "draft-precision",
    "metrics-published",
)
COMMAND = 'python docs/findings.py "$INFX_REFERENCE_DATA" > docs/reference/findings.md'
NOTE = "<!-- Written by docs/findings.py from recipes that are not in this repository -->"
ABOUT = f"""\
Every public recipe, and every one of ours, as the checks see it that need little but a recipe.
It is judged by policy set `{POLICY}` as of {DAY}, as one entry whose recipe and image changed.
Where a row of a catalog names the recipe, its entry is the row's, and otherwise nobody says which
model it serves and whether that thinks. No run is there, no checkpoint, and no script that a recipe
names; what only those can show is not verified.

The tables were made on {DAY} by this command. Its folder has public recipes in `srt-recipes` and
`oct`, and their catalog in `configs`:"""
COLUMNS = """\
A recipe passes a check, is not asked by it, breaks it, or only lacks facts that it needs. Findings
are those that break a check, also by lacking facts; variants of a recipe that differ in nothing
that a check reads share theirs. Where a server is told not to think and the runs of its scenario
do, a person has to say what requests ask for."""
BANNED = """\
Where a recipe turns on what nobody may, in all that it sets and inherits. The check of draft
precision breaks on each of them, on those without a draft too."""
ADVICE = """\
The same findings by what to do. A place is a file and a line; a finding without one names none."""


@dataclass(frozen=True)
class Judged:
    """A recipe file, what is known of it, and what every check of the policy set says."""

    file: str
    facts: Facts
    judgement: Judgement

    def result(self, check: str) -> Result:
        """Return what one check says."""
        return next(one for one in self.judgement.results if one.check == check)

    def failing(self, check: str) -> list[Finding]:
        """Return the findings that break a check."""
        return [one for one in self.result(check).findings if one.status == "FAIL"]

    def outcome(self, check: str) -> str:
        """Return `PASS`, `N/A`, `broken`, or `unverified` where that is all that is wrong."""
        status = self.result(check).status
        if status != "FAIL":
            return status
        broken = any(not is_unverified(one) for one in self.failing(check))
        return "broken" if broken else "unverified"


def is_unverified(finding: Finding) -> bool:
    """Say whether a finding only says that nobody knows."""
    return finding.message.startswith("could not be verified")


def judged(files: Iterable[Path], root: Path, entries: Mapping[Path, Named]) -> Iterator[Judged]:
    """Yield what is said of each file; `root` is what its name leaves out."""
    context, rows = policy_context(POLICY)
    for path in files:
        known = facts(path, root, entries.get(path.resolve()))
        found = judge(known.submission, context, rows)
        yield Judged(path.relative_to(root).as_posix(), known, found)


def groups(data: Path, own: Path) -> dict[str, list[Judged]]:
    """Return the recipes of August, of October and of our catalog, all judged."""
    public = named(sorted((data / "configs").glob("*-master.yaml")), data / "configs/runners.yaml")
    ours = named(sorted(own.glob("*-master.yaml")), own / "runners.yaml")
    return {
        "Public recipes of August": _all(data, "srt-recipes", public),
        "Public recipes of October": _all(data, "oct/benchmarks", public),
        "Recipes of our catalog": _all(own, "recipes", ours),
    }


def _all(root: Path, folder: str, entries: Mapping[Path, Named]) -> list[Judged]:
    return list(judged(sorted((root / folder).rglob("*.yaml")), root, entries))


def findings(found: Mapping[str, Sequence[Judged]]) -> str:
    """Return the page."""
    blocks = [NOTE, "# Findings", ABOUT, fence(COMMAND, "console"), COLUMNS]
    for title, recipes in found.items():
        variants = sum(one.facts.variants for one in recipes)
        blocks.append(f"## {title}")
        blocks.append(f"{len(recipes)} files with {variants} variants.")
        blocks.append(_counts(recipes))
    both = list(chain.from_iterable(list(found.values())[:2]))
    blocks += ["## What the public recipes should do", ADVICE, _advice(both)]
    blocks += ["## Banned variables of the public recipes", BANNED, _banned(both)]
    return "\n\n".join(blocks) + "\n"


def _counts(recipes: Sequence[Judged]) -> str:
    rows = []
    for check in CHECKS:
        outcomes = [one.outcome(check) for one in recipes]
        numbers = (outcomes.count(name) for name in ("PASS", "N/A", "broken", "unverified"))
        total = sum(len(one.failing(check)) for one in recipes)
        rows.append((f"[`{check}`](checks.md#{check})", *map(str, numbers), str(total)))
    head = ("check", "pass", "not asked", "broken", "not verified", "findings")
    return table(head, rows)


def _advice(recipes: Sequence[Judged]) -> str:
    rows = []
    for check in CHECKS:
        by: dict[str, list[tuple[str, Finding]]] = {}
        for one in recipes:
            for finding in one.failing(check):
                by.setdefault(finding.remedy or "-", []).append((one.file, finding))
        for remedy, mine in sorted(by.items(), key=lambda item: (-len(item[1]), item[0])):
            files = {file for file, _ in mine}
            numbers = (len(mine), len(_places(finding for _, finding in mine)), len(files))
            rows.append((f"`{check}`", remedy, *map(str, numbers)))
    return table(("check", "what to do", "findings", "places", "files"), rows)


def _banned(recipes: Sequence[Judged]) -> str:
    on = [(one, use) for one in recipes for use in one.facts.banned if use.reads_as == "on"]
    rows = []
    for name in sorted({use.name for _, use in on}):
        lines = {use.where for _, use in on if use.name == name}
        files = {one.file for one, use in on if use.name == name}
        told = {one.file for one, use in on if use.name == name and _cites(one, use.where)}
        drafts = {one.file for one, use in on if use.name == name and one.facts.submission.drafts}
        rows.append((f"`{name}`", *(str(len(some)) for some in (lines, files, told, drafts))))
    return table(("variable", "lines", "files", "files with a finding", "with a draft"), rows)


def _cites(one: Judged, where: str) -> bool:
    """Say whether the check of draft precision breaks at a line."""
    cites = (cite for finding in one.failing("draft-precision") for cite in finding.cites)
    return any(cite.where == where for cite in cites)


def _places(found: Iterable[Finding]) -> set[str]:
    return {f"{one.path}:{one.line}" for finding in found for one in finding.cites if one.line}
