"""A change of our catalog that our own client has measured, and what a forge says of it.

The client measures a scripted server in virtual time: what it writes is a run bundle like any
other, of the points that the changed entry asks for.
"""

import json
from datetime import date

import gitted
import submitted
from infx.flows.changed import Ask
from infx.flows.evidence.collect import collect
from infx.flows.evidence.parts import Given
from infx.model.workload import FixedWorkload
from infx.servers.truth.script import EngineModel, Script
from playing import play
from submitted import SMOL

DAY = date(2026, 10, 19)
ASKED = FixedWorkload(isl=64, osl=32)
LANES = (1, 2, 4, 8, 16)
BUSY = EngineModel(slots=16, prefill_rate=2_000, step_base_s=0.01, step_per_sequence_s=0.002)
"""An engine whose latency and whose throughput both grow with the lanes."""
MORE_LANES = ("conc-end: 8, srt-recipe: llamacpp", "conc-end: 16, srt-recipe: llamacpp")


class Change:
    """A branch with changed files: by default more lanes for SmolLM2, and an entry with `flags`."""

    def __init__(self, root, *flags, files=None):
        self.root = root
        self.repo = submitted.repository(root / "repo")
        lanes = submitted.edited("laptop-master.yaml", MORE_LANES)
        self.repo.commit({**lanes, **submitted.entry(SMOL, *flags), **(files or {})})

    def measure(self, script=None, **more):
        """Measure a scripted server, and return the folder of the bundle."""
        script = script or Script(engine=BUSY)
        asked = {"workload": ASKED, "concurrency": LANES, **more}
        outcome, _, _ = play(self.root / "runs", script, **asked)
        return outcome.run.bundle.path

    def record(self, body=""):
        """Write what a forge says: a pull request with this text, owners and no comment yet."""
        head = self.repo.git("rev-parse", "HEAD")
        path = self.root / "pull.json"
        told = {
            "pull": {
                "number": 43, "title": "More lanes", "body": body, "author": "bob", "head": head,
                "base": "0" * 40, "commits": [head],
                "files": [{"path": "laptop-master.yaml", "change": "modified"}],
            },
            "comments": [],
            "owners": {"path": "CODEOWNERS", "text": "* @ada\n", "at": "0" * 40},
            "template": {"checklist": "infx-1", "at": "0" * 40},
            "published": [], "overview": [],
        }  # fmt: skip
        path.write_text(json.dumps(told))
        return path

    def facts(self, *bundles, body=""):
        """Gather the facts of the change with these bundles, and return the submission."""
        given = Given(
            ask=Ask(base="main", folder=self.repo.root),
            day=DAY,
            measured="HEAD",
            runs=tuple(map(str, bundles)),
            pull=self.record(body),
        )
        return collect(given, gitted.ENVIRONMENT).submission
