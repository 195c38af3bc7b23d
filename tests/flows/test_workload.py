"""Corpora by name, by file, and by parameters."""

import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from infx.errors import MachineError
from infx.flows import workload
from infx.flows.workload import Reading
from infx.model.model_registry import ModelRegistry
from infx.recipes.registries import corpus as corpus_of
from infx.store import datasets, registries
from recorded import corpus, request, session
from refusals import refusal


def test_the_shipped_corpus_is_what_its_command_makes(tmp_path):
    """`infx workload synth --preset demo --seed 42`, byte for byte."""
    made = workload.synthesize(workload.parameters("demo", {"seed": 42}), tmp_path / "demo.jsonl")
    assert made.path.read_bytes() == datasets.demo_path().read_bytes()
    assert made.sha256 == workload.corpus_digest(datasets.demo_path())


def test_a_corpus_is_a_path_or_the_demo_or_a_known_name(tmp_path):
    path = corpus(tmp_path, session([request(0, [1])]))
    assert workload.find_corpus(str(path), tmp_path) == path
    assert workload.find_corpus("demo", tmp_path) == datasets.demo_path()
    kept = datasets.kept_path(datasets.dataset("cc-traces-weka-062126"), tmp_path)
    said = refusal(lambda: workload.find_corpus("cc-traces-weka-062126", tmp_path))
    assert "infx workload fetch cc-traces-weka-062126" in said
    assert str(kept) in said
    kept.parent.mkdir(parents=True)
    kept.write_text("")
    assert workload.find_corpus("semianalysis_cc_traces_weka_062126", tmp_path) == kept


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cc-traces-weka-062127", "no corpus 'cc-traces-weka-062127'; did you mean cc-traces"),
        ("gone.jsonl", "gone.jsonl: no such file; give a corpus, or a name such as demo"),
    ],
)
def test_what_is_neither_is_refused(tmp_path, name, said):
    assert refusal(lambda: workload.find_corpus(name, tmp_path)).startswith(said)


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (session([request(0, [1])]), "weka"),
        ({"input_length": 3}, "mooncake"),
        ({"messages": [{"role": "user", "content": "x"}], "timestamp": 1}, "mooncake"),
        ({"session_id": "a", "turns": [{"messages": [{"role": "user", "content": "x"}]}]}, "dag"),
        ({"messages": [{"role": "user", "content": "x"}]}, "multi-turn"),
    ],
)
def test_the_format_is_told_by_the_first_row(tmp_path, row, name):
    opened = workload.open_corpus(corpus(tmp_path, row), Reading())
    assert opened.format == name
    assert len(list(opened.traces)) == 1


def test_an_unknown_format_is_refused_with_the_fields_that_were_found(tmp_path):
    path = corpus(tmp_path, {"prompt": "x"})
    said = refusal(lambda: workload.open_corpus(path, Reading()))
    assert said == (
        f"{path}:1: no known trace format has the fields prompt; "
        "state one of weka, mooncake, dag, multi-turn"
    )


def test_the_digest_of_a_folder_is_that_of_its_files_and_names(tmp_path):
    """sha256 over lines of digest, two spaces, and name, in the order of the names."""
    for name in ("b", "a"):
        (tmp_path / f"{name}.json").write_text(name)
    lines = "".join(f"{sha256(n.encode()).hexdigest()}  {n}.json\n" for n in ("a", "b"))
    assert workload.corpus_digest(tmp_path) == sha256(lines.encode()).hexdigest()


def test_parameters_are_changed_by_name():
    changed = workload.parameters("demo", {"new_input.mean": 30, "fan_out": 1, "traces": 3})
    assert (changed.new_input.mean, changed.fan_out, changed.traces) == (30.0, 1.0, 3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fanout": 1}, "--set: no parameter 'fanout'; did you mean fan_out?"),
        ({"new_input": 1}, "--set: no parameter 'new_input'; did you mean new_input.mean?"),
        ({"fan_out": 2}, "infx workload synth: fan_out: Input should be less than or equal to 1"),
        ({"traces": 1.5}, "infx workload synth: traces: Input should be a valid integer"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(changes, said):
    assert refusal(lambda: workload.parameters("demo", changes)).startswith(said)


def test_a_file_that_is_there_is_replaced_only_by_force(tmp_path):
    out = tmp_path / "a" / "b.jsonl"
    workload.write_corpus([b"1\n"], out, force=False)
    assert "--force" in refusal(lambda: workload.write_corpus([b"2\n"], out, force=False))
    workload.write_corpus([b"3\n"], out, force=True)
    assert out.read_bytes() == b"3\n"


def test_a_corpus_that_fails_half_way_leaves_nothing(tmp_path):
    def lines():
        yield b"1\n"
        raise MachineError("the cat pulled the plug")

    with pytest.raises(MachineError):
        workload.write_corpus(lines(), tmp_path / "b.jsonl", force=False)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def hub(monkeypatch):
    """A hub on this machine that has one file, and a registry that points to it."""
    content = b"one\n"

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/traces.jsonl" else 404)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/traces.jsonl"
    monkeypatch.setattr("infx.model.dataset.TraceDataset.url", url)
    yield content
    server.shutdown()
    server.server_close()


def test_a_corpus_is_fetched_once_and_checked(tmp_path, hub, monkeypatch):
    one = datasets.dataset("cc-traces-weka-062126")
    genuine = one.model_copy(update={"sha256": sha256(hub).hexdigest()})
    monkeypatch.setattr(datasets, "dataset", lambda name: genuine)
    seen = []
    kept = workload.fetch_corpus(one.name, cache=tmp_path, progress=lambda *n: seen.append(n))
    assert kept == datasets.kept_path(one, tmp_path)
    assert kept.read_bytes() == hub
    assert seen == [(4, 4)]
    workload.fetch_corpus(one.name, cache=tmp_path, progress=lambda *n: seen.append(n))
    assert len(seen) == 1


def test_what_cannot_be_fetched_says_which_file_to_place_where(tmp_path, hub):
    """The file on that hub is not the corpus: its digest is another one."""
    one = datasets.dataset("cc-traces-weka-062126")
    with pytest.raises(MachineError) as caught:
        workload.fetch_corpus(one.name, cache=tmp_path)
    wrong, by_hand = map(str, caught.value.problems)
    assert f"not {one.sha256}" in wrong
    assert by_hand == (
        "or place traces.jsonl of semianalysisai/cc-traces-weka-062126 (a dataset of "
        f"huggingface.co) at {datasets.kept_path(one, tmp_path)}"
    )


def test_a_corpus_that_nobody_vouches_for_is_not_fetched(tmp_path):
    name = "cc-traces-weka-no-subagents-051826"
    said = refusal(lambda: workload.fetch_corpus(name, cache=tmp_path))
    assert said.startswith(f"{name} cannot be checked: no public note states")


def test_the_corpus_of_a_model_follows_from_its_prefix():
    registry = datasets.registry()
    models = registries.registry(ModelRegistry)
    full = ("dsv4", "glm5.2", "glm5.3", "kimik3", "minimaxm3", "musespark")
    names = {registry.of(corpus_of(models, prefix)).loader for prefix in full}
    assert names == {"semianalysis_cc_traces_weka_062126"}
    assert registry.of(corpus_of(models, "qwen3.5")).name == "cc-traces-weka-062126-256k"
    assert corpus_of(models, "nobody") == "capped"


def test_every_known_corpus_says_what_is_unknown_about_it():
    for one in datasets.registry().datasets:
        assert (one.unknown is None) == (one.sha256 is not None and one.revision is not None)
        assert one.url.startswith("https://huggingface.co/datasets/semianalysisai/")
    assert isinstance(datasets.demo_path(), Path)


def test_logs_are_imported_from_files_and_folders(tmp_path):
    from agent_log import write_log

    write_log(tmp_path / "logs" / "deep" / "a.jsonl")
    write_log(tmp_path / "b.jsonl")
    (tmp_path / "logs" / "bad.jsonl").write_text("{")
    out = tmp_path / "out.jsonl"
    logs = [tmp_path / "logs", tmp_path / "b.jsonl"]
    said = refusal(lambda: workload.import_logs(logs, out, skip_bad=False, force=False))
    assert said.startswith(f"{tmp_path}/logs/bad.jsonl:1: not JSON")
    assert not out.exists()
    written, passed = workload.import_logs(logs, out, skip_bad=True, force=False)
    assert (written.traces, len(passed)) == (2, 2)
    assert len(list(workload.open_corpus(out, Reading()).traces)) == 2
