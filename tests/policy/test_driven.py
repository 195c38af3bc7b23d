"""Real evidence and its mutations drive every check both ways, and so do the case files.

Three kinds of evidence are real: two published reviews, the public recipes, and what `infx evidence
collect` gathers of changes that a test makes. The last are changes of our own catalog: one that our
client measures here, one of TensorRT-LLM with a page of its metrics, and one with the record, the
results and the logs of a public sweep. Their mutations are made before anything is gathered.
"""

import re
from functools import cache

import pytest

import submitted
from bundled import reseal
from factual import judgements
from infx.model.policy_set import PolicyRegistry
from infx.model.scrape import Page
from infx.policy.checks import CHECKS
from infx.policy.signoff_form import OPENING, form, lines
from infx.servers.truth.fault import Fault
from infx.servers.truth.script import Script
from infx.store.registries import registry
from infx.store.samples import SampleJournal
from mutated import TABLE, before
from policy_cases import paths, read_case
from project_text import REFERENCE
from reviewed import ASKED, LOADED, START, Review, comment
from selfmeasured import ASKED as WORKLOAD
from selfmeasured import BUSY, Change
from submitted import RECIPE
from threads import context_of, judged, thread

GOOD, BAD = {"PASS"}, {"FAIL", "WARN"}

UNDRIVEN = {}
"""Checks that collected evidence and public recipes do not drive both ways, and why not."""

APPENDS = "  append-only: true"
SMOL_RECIPE = "recipes/smollm2/cpu/llamacpp.yaml"
TRT_RECIPE = """\
schema: 2
name: toy
engine: {type: trtllm, publish_events_and_metrics: true}
dynamo: {version: 1.5.0}
resources: {gpu_type: gb200, gpus_per_node: 4}
frontend: {type: dynamo, enable_multiple_frontends: false}
roles:
  agg:
    nodes: 1
    workers: 1
    gpus: 4
    args: {tensor-parallel-size: 4, enable_iter_perf_stats: true}
"""
TRT_ENTRY = """
toy-fp8-gb200-dynamo-trt:
  image: nvcr.io/acme/runtime:1.5.0
  model: acme/Toy
  model-prefix: toy
  runner: cluster:gb200
  precision: fp8
  framework: dynamo-trt
  multinode: false
  srt-recipe-dir: toy
  scenarios:
    fixed-seq-len:
      - {isl: 64, osl: 32, search-space: [{conc-start: 1, conc-end: 2, srt-recipe: trt.yaml}]}
"""
KV_PAGE = 'trtllm_kv_cache_utilization{model_name="toy"} 0.25\n'


class Seen(dict):
    """The statuses that each check came to, and the submissions that were judged."""

    def __init__(self):
        super().__init__((check, set()) for check in CHECKS)
        self.submissions = []

    def judge(self, submission, *policies):
        self.submissions.append(submission)
        for policy in policies:
            judgement = judged(submission, policy, titles=False)
            assert judgement.crashes == ()
            for one in judgement.results:
                self[one.check].add(one.status)


@cache
def reviewed():
    """Return every status that a review, or a mutation of one, brings each check to."""
    seen = Seen()
    for name in ("thread-000", "thread-003"):
        recorded, submission = thread(name)
        for policy in (recorded.policy, "infx-1"):
            for one in judged(submission, policy).results:
                seen[one.check].add(one.status)
    for mutation in (*TABLE.mutations, *TABLE.combined):
        for check, status in {**before(), **mutation.turns}.items():
            seen[check].add(status)
    return seen


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """Return the statuses to which collected evidence and its mutations bring each check."""
    root, seen = tmp_path_factory.mktemp("changes"), Seen()
    for gathered in (measured_well, measured_badly, published, swept_well, swept_badly):
        folder = root / gathered.__name__
        folder.mkdir()
        gathered(folder, seen)
    return seen


def measured_well(root, seen):
    """Points are appended and measured; the description says so."""
    change = Change(root, APPENDS)
    seen.judge(change.facts(change.measure(), body="Adds concurrency 16."), "infx-1")


def measured_badly(root, seen):
    """Earlier points change too; the run is short, breaks often and answers nothing."""
    edit = submitted.edited(SMOL_RECIPE, ("ctx-size: 4096", "ctx-size: 8192"))
    change = Change(root, APPENDS, files=edit)
    faults = (Fault("refuse", "500", share=0.2), Fault("empty", every=3))
    short = WORKLOAD.model_copy(update={"requests": 64})
    script = Script(engine=BUSY, faults=faults, fault_seed=1)
    bundle = change.measure(script, workload=short, concurrency=(1, 16))
    seen.judge(change.facts(bundle, body="Adds concurrency 32."), "infx-1")


def published(root, seen):
    """TensorRT-LLM behind Dynamo comes first, and a page of the run has its metrics."""
    master = submitted.text("nvidia-master.yaml") + TRT_ENTRY
    files = {"nvidia-master.yaml": master, "recipes/toy/trt.yaml": TRT_RECIPE}
    change = Change(root, files=files)
    bundle = change.measure(concurrency=(1, 2))
    point = min((bundle / "points").iterdir())
    with SampleJournal(point / "samples.jsonl.zst") as journal:
        journal.add(Page("http://worker:8081/metrics", 0, 1, KV_PAGE))
    reseal(bundle)
    found = change.facts(f"toy-fp8-gb200-dynamo-trt={bundle}")
    (facts,) = found.publication
    assert facts.scraped
    seen.judge(found, "infx-1")


def swept_well(root, seen):
    """A sweep with its logs, signed by a person out of the form that is filled from it."""
    review = Review(root)
    unsigned = review.collect().submission
    seen.judge(unsigned, "2026-10")
    context, _ = context_of("2026-10", "2026-10")
    judgement = judged(unsigned, "2026-10", titles=False)
    filled = form(lines(unsigned, judgement, context.checklist), judgement)
    signed = OPENING + filled.partition(OPENING)[2].replace("- [ ]", "- [x]").rstrip()
    review.comments.append(comment(2, f"{signed} @ada"))
    seen.judge(review.collect().submission, "2026-10", "infx-1")


def swept_badly(root, seen):
    """An indexer is skipped, a script may patch, a draft is cheaper, acceptance and score wrong."""
    review = Review(root)
    override = "        trust-remote-code: true\n        json-model-override-args: '{\"%s\": %s}'\n"
    edit = ("        trust-remote-code: true\n", override % ("index_topk_freq", 4))
    base = ("base:\n", "base:\n  setup_script: patches.sh\n")
    review.repo.commit(submitted.edited(RECIPE, edit, base))
    raw, short = ASKED.replace("chat/", ""), START.replace("4.05", "4.5")
    fp8 = LOADED.replace("bfloat16", "bfloat16, quant=fp8")
    review.logs[0] = review.log("agg:1", short + fp8 + raw)
    review.overview = []
    scores = [submitted.eval_row(score=0.5)]
    low = submitted.artifacts(root / "low", submitted.agentic_rows(), scores)
    seen.judge(review.collect(artifacts=(str(low),)).submission, "2026-10", "infx-1")


@cache
def of_recipes():
    """Return the statuses of public recipes, from the page that a test of its own keeps true."""
    seen = Seen()
    page = (REFERENCE / "findings.md").read_text("utf-8").partition("## Recipes of our catalog")[0]
    rows = re.findall(r"^\| \[`([\w-]+)`\]\(\S+\) \| (.*) \|$", page, re.MULTILINE)
    for check, cells in rows:
        passed, _, broken, unverified = map(int, cells.split(" | ")[:4])
        seen[check] |= {"PASS"} if passed else set()
        seen[check] |= {"FAIL"} if broken or unverified else set()
    assert len({check for check, _ in rows}) == 6
    return seen


def lacking(*all_seen):
    """Return the checks that were not seen to pass, or not to fail."""
    seen = {check: set().union(*(one[check] for one in all_seen)) for check in CHECKS}
    return {check: got for check, got in seen.items() if not (got & GOOD and got & BAD)}


def test_the_case_files_drive_every_check_to_pass_and_to_fail():
    seen = {check: {read_case(path)[0].status for path in paths(check)} for check in CHECKS}
    assert lacking(seen) == {}


def test_the_reviews_and_their_mutations_drive_every_check_to_pass_and_to_fail():
    assert lacking(reviewed()) == {}


def test_collected_evidence_drives_every_check_to_pass_and_to_fail(collected):
    assert lacking(collected, of_recipes()) == UNDRIVEN


def test_what_is_collected_holds_no_judgement(collected):
    assert [judgements(one) for one in collected.submissions] == [[]] * 6


def test_every_check_of_the_registry_has_a_module():
    assert set(CHECKS) == {row.id for row in registry(PolicyRegistry).checks}
