"""The metadata of a checkpoint out of a hub: what a folder of it says, and no weight fetched."""

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from infx.errors import InputError, MachineError
from infx.store import hub as module
from infx.store.checkpoint import read_checkpoint
from infx.store.hub import FETCHED, Hub, fetch_metadata
from refusals import refusal

REPOSITORY, COMMIT = "acme/Toy-Draft", "5ef1e2" + "0" * 34
WEIGHTS = bytes(50_000)


def tensors(**shapes):
    """Return a whole file of safetensors: its head, and weights that nobody should ask for."""
    head = {name.replace("__", "."): {"dtype": kind, "shape": shape, "data_offsets": [0, 0]}
            for name, (kind, shape) in shapes.items()}  # fmt: skip
    data = json.dumps(head).encode()
    return len(data).to_bytes(8, "little") + data + WEIGHTS


FILES = {
    "config.json": b'{"num_hidden_layers": 1, "torch_dtype": "bfloat16"}',
    "hf_quant_config.json": b'{"quantization": {"quant_algo": "NVFP4"}}',
    "model.safetensors.index.json": json.dumps(
        {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    ).encode(),
    "model-1.safetensors": tensors(model__layers__0__q=("U8", [4, 8]), norm=("BF16", [8])),
    "model-2.safetensors": tensors(mtp__fc__weight=("BF16", [3, 5])),
    "README.md": b"nobody asks for this",
    "onnx/model.safetensors": b"nor for this",
}


class Models:
    """A hub on the loopback: it redirects tensors to another place, and answers ranges there."""

    def __init__(self):
        self.files, self.commit = dict(FILES), COMMIT
        self.asked, self.ranges, self.gated, self.elsewhere = [], True, None, ""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    def answer(self, request):
        path, token = request.path, request.headers["Authorization"]
        self.asked.append((path.rpartition("/")[2], request.headers["Range"], token))
        start = f"/{REPOSITORY}/resolve/{self.commit}/"
        name = path.removeprefix(start if path.startswith(start) else "/elsewhere/")
        if self.gated is not None and token != f"Bearer {self.gated}" and "/elsewhere/" not in path:
            request.send_error(401)
        elif path.startswith(f"/api/models/{REPOSITORY}/revision/"):
            listing = {"sha": self.commit, "siblings": [{"rfilename": one} for one in self.files]}
            self.send(request, json.dumps(listing).encode())
        elif name not in self.files:
            request.send_error(404)
        elif name.endswith(".safetensors") and path.startswith(start):
            request.send_response(302)
            request.send_header("Location", f"{self.elsewhere}/elsewhere/{name}")
            request.end_headers()
        else:
            self.send(request, self.files[name])

    def send(self, request, content):
        asked = request.headers["Range"] if self.ranges else None
        first, last = 0, len(content) - 1
        if asked:
            first, last = (int(one) for one in asked.removeprefix("bytes=").split("-"))
        part = content[first : last + 1]
        request.send_response(206 if asked else 200)
        if asked:
            end = first + len(part) - 1
            request.send_header("Content-Range", f"bytes {first}-{end}/{len(content)}")
        request.send_header("Content-Length", str(len(part)))
        request.end_headers()
        with suppress(OSError):  # whoever asked may have read enough
            request.wfile.write(part)

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def models():
    models = Models()
    yield models
    models.close()


@pytest.fixture
def fetch(models, tmp_path):
    """Fetch metadata; return the checkpoint that its folder holds, and what was said."""

    def fetched(revision=None, *, url=models.url, token=None):
        said = []
        hub = Hub(tmp_path / "cache", url, token)
        folder, commit = fetch_metadata(hub, REPOSITORY, revision, said.append)
        return read_checkpoint(folder, repository=REPOSITORY, revision=commit), said

    return fetched


def test_it_says_what_a_folder_of_the_checkpoint_says(fetch, models, tmp_path):
    whole = tmp_path / "whole"
    whole.mkdir()
    for name, data in FILES.items():
        if "/" not in name:
            (whole / name).write_bytes(data)
    found, said = fetch()
    assert found == read_checkpoint(whole, repository=REPOSITORY, revision=COMMIT)
    assert (found.tensors, found.draft_tensors) == ({"BF16": 23, "U8": 32}, {"BF16": 15})
    assert found.quantization == {"quant_algo": "NVFP4"}
    assert said == [f"fetching the metadata of {REPOSITORY} at {COMMIT[:12]}"]
    asked = {name: span for name, span, _ in models.asked}
    assert "README.md" not in asked
    assert asked["main"] is None
    assert asked["model-1.safetensors"] == f"bytes=0-{module.FIRST_BYTES - 1}"


def test_no_weight_is_kept_and_a_long_head_is_fetched_in_two_parts(fetch, models, monkeypatch):
    monkeypatch.setattr(module, "FIRST_BYTES", 20)
    found, _ = fetch()
    assert found.tensors == {"BF16": 23, "U8": 32}
    spans = [span for name, span, _ in models.asked if name == "model-2.safetensors"]
    size = len(FILES["model-2.safetensors"]) - len(WEIGHTS)
    # each is asked of the hub, and where it sends us
    assert spans == ["bytes=0-19"] * 2 + [f"bytes=20-{size - 1}"] * 2


def test_a_server_without_ranges_is_read_no_further_than_the_head(fetch, models, monkeypatch):
    models.ranges = False
    monkeypatch.setattr(module, "FIRST_BYTES", 20)
    assert fetch()[0].tensors == {"BF16": 23, "U8": 32}


def test_a_commit_that_was_fetched_asks_nobody(fetch, models):
    fetch()
    del models.asked[:]
    assert fetch(COMMIT) == (fetch(COMMIT, url="https://nowhere.invalid")[0], [])
    assert models.asked == []
    fetch("main")
    assert [name for name, _, _ in models.asked] == ["main"]


@pytest.mark.parametrize("harm", ["config.json", FETCHED])
def test_what_changed_in_the_cache_is_fetched_again(fetch, models, tmp_path, harm):
    fetch()
    (kept,) = (tmp_path / "cache").rglob(harm)
    kept.write_bytes(b"{}")
    found, said = fetch(COMMIT)
    assert found.configuration["torch_dtype"] == "bfloat16"
    assert len(said) == 1


def test_a_token_goes_to_the_hub_and_to_no_other_host(fetch, models):
    models.gated = "secret"
    other = Models()
    try:
        fetch(token="secret")
        assert {token for _, _, token in models.asked} == {"Bearer secret"}
        models.elsewhere, models.commit = other.url, "0" * 40
        fetch(token="secret")
    finally:
        other.close()
    assert {token for _, _, token in models.asked} == {"Bearer secret"}
    assert {(name, token) for name, _, token in other.asked} == {
        ("model-1.safetensors", None), ("model-2.safetensors", None),
    }  # fmt: skip
    assert "secret" not in repr(Hub(None, token="secret"))


def test_what_the_hub_does_not_show_is_the_users_to_mend(fetch, models):
    models.gated = "secret"
    said = refusal(fetch)
    assert f"the hub shows no {REPOSITORY} at main: the server answers 401" in said
    assert "give a token with --hub-token-env" in said
    assert f"--checkpoint {REPOSITORY}@COMMIT=FOLDER" in said


def test_without_a_network_it_says_what_to_place(fetch):
    with pytest.raises(MachineError) as failed:
        fetch(url="http://127.0.0.1:9")
    said = str(failed.value)
    assert "it cannot be read: [Errno 111] Connection refused" in said
    assert "place config.json, hf_quant_config.json where it has one, and its *.safetensors" in said


@pytest.mark.parametrize("name", ["acme", "acme/../Toy", "acme/Toy/more", "acme/T oy", "/Toy"])
def test_what_can_be_no_name_is_refused_before_anybody_is_asked(models, tmp_path, name):
    with pytest.raises(InputError, match="no hub has"):
        fetch_metadata(Hub(tmp_path, models.url), name, None, print)
    with pytest.raises(InputError, match="only https"):
        fetch_metadata(Hub(tmp_path, "http://hub.invalid"), REPOSITORY, None, print)
    assert models.asked == []


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ({"model-1.safetensors": b"\xff" * 100}, "it has no head of safetensors"),
        ({"model-1.safetensors": b"\x05"}, "it has no head of safetensors"),
        ({"config.json": b" " * 200}, "more than 100 bytes"),
    ],
)
def test_what_is_no_metadata_is_refused(fetch, models, monkeypatch, harm, said):
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 100)
    models.files = {name: FILES[name] for name in ("config.json", "model-1.safetensors")} | harm
    with pytest.raises(MachineError, match=said):
        fetch()


def test_a_listing_without_a_commit_is_none(fetch, models):
    models.commit = "main"
    with pytest.raises(MachineError, match="no listing of a model"):
        fetch()
