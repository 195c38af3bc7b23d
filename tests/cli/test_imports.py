"""What is not imported before the first request of the load: it would cost start time and memory.

numpy alone costs more than all that is needed, and what draws, summarises or judges has its turn
when the load is over.
"""

import json
import os
import subprocess
import sys

import pytest

from infx.cli.bench import PLUGINS
from infx.servers.truth.script import Script
from served import truth_server

RUNNER = """
import json, sys
from infx.cli.main import main
from infx.wire.connection import Connection

send = Connection.send

def first(self, payload):
    if b"\\r\\nX-Request-ID: infx-" in payload:
        Connection.send = send
        with open("modules.json", "w") as file:
            json.dump(sorted(sys.modules), file)
    return send(self, payload)

Connection.send = first
sys.exit(main(sys.argv[1:]))
"""

REFUSED = """
import sys
from infx.cli.main import main

code = main(sys.argv[1:])
print(*(name for name in sys.modules if name.startswith("pydantic")))
sys.exit(code)
"""

FOREIGN = {
    "cyclopts.help", "difflib", "docutils", "fastapi", "httpx", "jinja2", "multiprocessing.pool",
    "numpy", "rich", "tokenizers", "uvicorn", "xllamacpp", "yaml",
}  # fmt: skip
ROOMS = {
    "infx.cli.compare", "infx.cli.outcome", "infx.cli.plot", "infx.cli.quickstart",
    "infx.cli.replay", "infx.cli.runs", "infx.cli.tables", "infx.cli.verdict", "infx.curves",
    "infx.dashboard", "infx.engines", "infx.evals", "infx.flows.block_sizing", "infx.flows.compare",
    "infx.flows.curves", "infx.flows.quickstart", "infx.flows.report", "infx.flows.runs",
    "infx.flows.serving", "infx.flows.summary", "infx.launch", "infx.load.play", "infx.load.rules",
    "infx.metrics", "infx.model.acceptance", "infx.model.agentx", "infx.model.measured",
    "infx.model.replay", "infx.model.result", "infx.model.selftest", "infx.policy", "infx.process",
    "infx.report", "infx.servers", "infx.stats.bootstrap", "infx.store.bundle_audit",
    "infx.store.bundle_reader", "infx.store.bundle_recovery", "infx.store.documents",
    "infx.store.expected", "infx.store.fetch", "infx.store.tree", "infx.store.yaml_syntax",
}  # fmt: skip
FIXED = {"draws", "fixed", "prompts", "shapes"}
CALIBRATED = FIXED | {"calibration", "vocabulary", "word_prompts"}
DATASET = FIXED | {"dataset", "bodies", "dataset_rows"}


@pytest.fixture(scope="module")
def url():
    with truth_server(Script(ttft_s=0, itl_s=0)) as base:
        yield base


def imported(url, folder, *flags, **environment):
    """Return the modules of a bench's process at the moment of its first planned request.

    Its user has no cache: a selftest that is kept there would be read for the manifest.
    """
    (folder / "own.jsonl").write_text('{"prompt": "what is time?"}\n')
    words = ("bench", url, "--osl", "4", "--requests", "2", *flags)
    inherited = {name: value for name, value in os.environ.items() if name != PLUGINS}
    done = subprocess.run(
        (sys.executable, "-c", RUNNER, *words), cwd=folder, capture_output=True, text=True,
        check=False, env={**inherited, "XDG_CACHE_HOME": str(folder), **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(json.loads((folder / "modules.json").read_text()))


def within(modules, roots):
    return {m for m in modules if any(m == root or m.startswith(f"{root}.") for root in roots)}


@pytest.mark.parametrize(
    ("flags", "workloads"),
    [(("--isl", "32"), CALIBRATED), (("--dataset", "own.jsonl"), DATASET)],
    ids=["calibrated", "dataset"],
)
def test_before_the_first_request(url, tmp_path, flags, workloads):
    modules = imported(url, tmp_path, *flags)
    assert within(modules, FOREIGN) == set()
    assert within(modules, ROOMS) == set()
    of_workloads = {m.split(".")[2] for m in modules if m.startswith("infx.workloads.")}
    assert of_workloads - workloads == set()
    assert {m.split(".")[1] for m in modules if m.startswith("infx.")} == {
        "cli", "clock", "errors", "flows", "load", "model", "stats", "store", "telemetry", "wire",
        "workloads",
    }  # fmt: skip


def test_the_command_line_is_parsed_before_pydantic_is_loaded(tmp_path):
    """With it loaded, cyclopts has it check each of the 48 flags again."""
    words = ("bench", "http://127.0.0.1:9", "--osl", "4", "--shape", "1k1k", "--nonsense")
    done = subprocess.run(
        (sys.executable, "-c", REFUSED, *words), cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "\n"), done.stderr
    assert "--nonsense" in done.stderr


@pytest.mark.parametrize(
    ("stated", "loaded"), [({}, False), ({PLUGINS: "other"}, True)], ids=["unsaid", "said"]
)
def test_no_plugins_of_pydantic_are_looked_for_unless_the_user_says_which(
    url, tmp_path, stated, loaded
):
    """The plugin is an installed package that names itself as one."""
    (tmp_path / "a_plugin.py").write_text(
        "def new_schema_validator(*_):\n    return None, None, None\n"
    )
    metadata = tmp_path / "a_plugin-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: a-plugin\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[pydantic]\na = a_plugin\n")
    flags = ("--dataset", "own.jsonl")
    modules = imported(url, tmp_path, *flags, PYTHONPATH=str(tmp_path), **stated)
    assert ("a_plugin" in modules) is loaded
