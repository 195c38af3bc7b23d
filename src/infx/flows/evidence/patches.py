"""What recipes and the scripts that they run change in their containers, and waivers for it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from infx.errors import InputError
from infx.flows.evidence.points import Trio
from infx.flows.evidence.states import State
from infx.flows.evidence.variants import Bound
from infx.flows.snapshots import Snapshot
from infx.model import config_facts, review_facts
from infx.model.comment import Comment
from infx.model.setting_registry import PackageRegistry
from infx.model.shell_effects import Effect, EffectReport
from infx.model.waiver import Waiver
from infx.policy.signoff import excuse
from infx.policy.waivers import front_matter, waiver
from infx.recipes.binding import Binding
from infx.recipes.recipe_effects import effects
from infx.store.documents import parse_yaml

SCRIPTS = frozenset({".sh", ".bash", ".py", ".patch", ".diff"})
PAGES = "docs/waiver"
"""The folder of waivers, at the root of the repository or of the folder of the benchmark."""


class Texts(Mapping[str, str]):
    """The scripts of a commit by their paths; each is read when it is asked for."""

    def __init__(self, side: Snapshot) -> None:
        self._side = side
        self._names = [path for path in side.files if PurePosixPath(path).suffix in SCRIPTS]
        self._known = frozenset(self._names)

    def __getitem__(self, path: str) -> str:
        data = self._side.read(path) if path in self._known else None
        if data is None:
            raise KeyError(path)
        return data.decode(errors="replace")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def patches(
    trio: Trio, found: Iterable[Bound], packages: PackageRegistry
) -> Iterator[config_facts.Patches]:
    """Yield what each affected entry changes in its containers; equal variants are told once.

    An entry whose rows name no recipe that binds has no row here.
    """
    texts = Texts(trio.head.snapshot)
    before = _Before(trio.base, packages)
    told: list[tuple[str, EffectReport]] = []
    for one in found:
        report = effects(one.binding, texts, packages)
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


@dataclass(slots=True)
class _Before:
    """What entries changed at the base, by what is done and to what, wherever it stood."""

    state: State
    packages: PackageRegistry
    _known: dict[str, frozenset[tuple[str, ...]]] = field(default_factory=dict)

    def effects(self, config: str) -> frozenset[tuple[str, ...]]:
        if config not in self._known:
            texts = Texts(self.state.snapshot)
            bindings: dict[int, Binding] = {
                id(point.binding): point.binding
                for point in self.state.of(config)
                if point.binding is not None
            }
            reports = (effects(binding, texts, self.packages) for binding in bindings.values())
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
