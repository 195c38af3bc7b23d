"""The last real entries of the public changelog, each as the change that it describes.

For every entry a commit changes exactly its keys in the real master configurations, and appends the
entry to the real changelog. Nothing of the reference data is kept: it is copied at test time.
"""

import os
import re
import shutil
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import pytest

import gitted
from infx.flows.changed import Ask
from infx.flows.changelog import Review, check

FILE = "perf-changelog.yaml"
MASTERS = ("configs/nvidia-master.yaml", "configs/amd-master.yaml")
ENTRIES = 20
STRANGER = "dsr1-fp4-b200-sglang"
"""A key that none of these entries names."""


@dataclass(frozen=True)
class Real:
    """The repository on its base, the texts of the base, and the last entries."""

    repo: gitted.Repo
    masters: dict[str, str]
    changelog: str
    entries: tuple[str, ...]

    def change(self, entry: str, *, name: str) -> str:
        """Commit a change of an entry's keys with the entry, on a fresh branch; return the text."""
        keys, text = keys_of(entry), f"{self.changelog}\n{entry}\n"
        self.repo.git("checkout", "-q", "-B", name, "main")
        edited = {
            path: _changed(master, keys, grows="append-only" in entry)
            for path, master in self.masters.items()
        }
        self.repo.commit({**edited, FILE: text})
        return text

    def review(self, **more) -> Review:
        return check(Ask(base="main", folder=self.repo.root, **more), gitted.ENVIRONMENT)

    def instead(self, text: str) -> list[str]:
        """Return what is wrong with another text of the changelog beside the same change."""
        self.repo.write({FILE: text})
        said = [str(problem) for problem in self.review(worktree=True).problems]
        self.repo.git("checkout", "-q", FILE)
        return said


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Real:
    folder = os.environ.get("INFX_REFERENCE_DATA")
    if not folder:
        pytest.skip("INFX_REFERENCE_DATA is not set")
    data, root = Path(folder), tmp_path_factory.mktemp("real")
    for part in ("configs", "srt-recipes"):
        shutil.copytree(data / part, root / part)
    text = (data / FILE).read_text("utf-8")
    repo = gitted.repository(root, {FILE: text})
    masters = {path: (root / path).read_text("utf-8") for path in MASTERS}
    starts = [one.start() for one in re.finditer(r"^- config-keys:", text, re.MULTILINE)]
    ends = [*starts[1:], len(text)]
    entries = [text[start:end].rstrip() for start, end in zip(starts, ends, strict=True)]
    return Real(repo, masters, text, tuple(entries[-ENTRIES:]))


def _changed(master: str, keys: tuple[str, ...], *, grows: bool) -> str:
    """Give the keys of a master another image, or with `grows` one more concurrency."""
    for key in keys:
        found = re.search(rf"^{re.escape(key)}:\n(?:[ #].*\n|\n)*", master, re.MULTILINE)
        if found is None:
            continue
        if grows:
            block = re.sub(r"conc-list: \[", "conc-list: [3, ", found[0], count=1)
        else:
            block = re.sub(r"^  image: .*", "  image: acme/other:1", found[0], flags=re.MULTILINE)
        assert block != found[0]
        master = master[: found.start()] + block + master[found.end() :]
    return master


def keys_of(entry: str) -> tuple[str, ...]:
    lines = entry.splitlines()[1:]
    return tuple(line.split()[1] for line in takewhile(lambda one: one.startswith("    - "), lines))


@pytest.mark.parametrize("number", range(ENTRIES))
def test_a_real_entry_covers_exactly_its_change(real: Real, number: int):
    entry = real.entries[number]
    keys = keys_of(entry)
    real.change(entry, name=f"entry-{number}")
    review = real.review()
    assert sorted(change.key for change in review.comparison.changes) == sorted(keys)
    assert review.problems == ()
    assert len(review.entries) == 1

    first = f"    - {keys[0]}\n"
    fewer = f"{real.changelog}\n{entry.replace(first, '', 1)}\n"
    missing = f"{keys[0]} changed, and no new entry names it"
    if len(keys) > 1:
        (said,) = real.instead(fewer)
        assert missing in said
    else:
        assert real.instead(fewer)
        (said,) = real.instead(real.changelog)
        assert missing in said

    more = entry.replace(first, f"{first}    - {STRANGER}\n", 1)
    said = real.instead(f"{real.changelog}\n{more}\n")
    assert any(f"{STRANGER} did not change" in one for one in said)


def test_ways_to_break_the_real_file_are_refused(real: Real):
    entry = real.entries[-1]
    good = real.change(entry, name="broken")
    middle = real.changelog.index("\n- config-keys:", len(real.changelog) // 2) + 1
    draft = re.sub(r"pr-link: .*", "pr-link: TBD", entry)
    inserted = real.instead(f"{real.changelog[:middle]}{draft}\n\n{real.changelog[middle:]}")
    line = real.changelog.count("\n", 0, middle) + 1
    assert any("inserted into the history" in one for one in inserted)
    assert any("pr-link: 'TBD' is no pull request" in one for one in inserted)
    assert inserted[0].startswith(f"{FILE}:{line + 1}: ")
    for bad, says in (
        (good.replace("\n", "\r\n"), "lines end with CR LF"),
        (f"{real.changelog}{entry}\n", "no empty line stands before the entry"),
        (f"{real.changelog}\n\n{entry}\n", "2 empty lines stand before the entry"),
        (good.replace("Upgrade GPT-OSS", "Update GPT-OSS", 1), "1 line of the history changed"),
        (f"{real.changelog}\n{draft}\n", "'TBD' is no pull request"),
        (f"{real.changelog}\n{entry.replace(keys_of(entry)[0], 'zz*')}\n", "matches no"),
        (good + "\n", "empty lines end the file"),
        (real.changelog, "changed, and no new entry names it"),
    ):
        said = real.instead(bad)
        assert any(says in one for one in said), (says, said)
    assert real.instead(good) == []
