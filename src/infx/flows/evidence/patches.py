"""What recipes and the scripts that they run change in their containers, and waivers for it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from infx.errors import InputError
from infx.flows.evidence.scripts import Scripts
from infx.flows.evidence.states import Placed
from infx.flows.evidence.variants import Bound
from infx.flows.snapshots import Snapshot
from infx.model import config_facts, review_facts
from infx.model.comment import Comment
from infx.model.shell_effects import Effect, EffectReport
from infx.model.waiver import Waiver
from infx.policy.signoff import excuse
from infx.policy.waivers import front_matter, waiver
from infx.recipes.recipe_effects import effects
from infx.store.documents import parse_yaml

PAGES = "docs/waiver"
"""The folder of waivers, at the root of the repository or of the folder of the benchmark."""


def patches(found: Iterable[Bound], head: Scripts, base: Scripts) -> Iterator[config_facts.Patches]:
    """Yield what each affected entry changes in its containers; equal variants are told once.

    An entry whose rows name no recipe that binds, and that no script is known to launch, has no row
    here.
    """
    before = _Before(base)
    told: list[tuple[str, EffectReport]] = []
    for one in found:
        for report in _reports(one.points, head):
            if (one.config, report) in told:
                continue
            told.append((one.config, report))
            old = before.effects(one.config)
            yield config_facts.Patches(
                config=one.config,
                image=one.points[0].row.image,
                report=report,
                new=any(_identity(effect) not in old for effect in report.effects),
            )


def _reports(points: Iterable[Placed], scripts: Scripts) -> Iterator[EffectReport]:
    """Yield what recipes or launch scripts of points change, once for each that is bound."""
    seen: set[int] = set()
    for point in points:
        scripted = None if point.binding is not None else scripts.of(point)
        one = scripted if point.binding is None else point.binding
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if point.binding is not None:
            yield effects(point.binding, scripts.texts, scripts.packages)
        elif scripted is not None:
            yield scripted.report


@dataclass(slots=True)
class _Before:
    """What entries changed at the base, by what is done and to what, wherever it stood."""

    scripts: Scripts
    _known: dict[str, frozenset[tuple[str, ...]]] = field(default_factory=dict)

    def effects(self, config: str) -> frozenset[tuple[str, ...]]:
        if config not in self._known:
            reports = _reports(self.scripts.state.of(config), self.scripts)
            self._known[config] = frozenset(
                _identity(effect) for report in reports for effect in report.effects
            )
        return self._known[config]


def _identity(effect: Effect) -> tuple[str, ...]:
    return (effect.kind, effect.target, effect.statement)


def waivers(
    head: Snapshot, base: Snapshot, comments: Iterable[Comment] | None
) -> Iterator[review_facts.WaiverPage]:
    """Yield every page of waivers of the head; `brought` are those that the base has not so."""
    signed = [one.body for one in comments or () if excuse(one) is None]
    for path in sorted(head.files):
        page = PurePosixPath(path)
        if page.suffix != ".md" or not str(page.parent).endswith(PAGES):
            continue
        text = (head.read(path) or b"").decode(errors="replace")
        read, unreadable = _waiver(text, path)
        yield review_facts.WaiverPage(
            path=path,
            text=text,
            waiver=read,
            unreadable=unreadable,
            brought=head.files[path] != base.files.get(path),
            linked=any(f"{PAGES}/{page.name}" in body for body in signed),
        )


def _waiver(text: str, path: str) -> tuple[Waiver | None, str | None]:
    """Return a page's waiver, or why it has none."""
    matter = front_matter(text)
    if matter is None:
        return None, "it has no front matter"
    try:
        return waiver(parse_yaml(matter.encode(), path)), None
    except InputError as error:
        return None, "; ".join(map(str, error.problems))
