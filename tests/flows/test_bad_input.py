"""Servers that cannot be measured: one clear line each, its exit code, and the bundle so far."""

import pytest

from infx.flows.runs import open_run, verify_run
from infx.launch.local import free_port
from infx.model.result import Absent
from infx.servers.truth.script import Script
from served import truth_server
from transcript import only_run, refused
from web import Answer, openai, self_signed, web_server

QUICK = Script(ttft_s=0.0, itl_s=0.0)
SMALL = ("--isl", "32", "--osl", "4", "--range-ratio", "1")
IS_IT = "is this the base URL of an OpenAI-compatible server?"


def test_an_unknown_host(infx, tmp_path):
    said = infx("bench", "http://no-such-host.invalid:8000/v1")
    assert said == refused(
        3,
        "http://no-such-host.invalid:8000: unknown host no-such-host.invalid; "
        "check the spelling of the URL",
    )
    assert not (tmp_path / "runs").exists()


def test_a_refused_connection(infx, tmp_path):
    url = f"http://127.0.0.1:{free_port()}"
    said = infx("bench", url)
    assert said == refused(
        3, f"{url}: connection refused; is the server running, and is the port right?"
    )
    assert not (tmp_path / "runs").exists()


def test_https_to_a_server_without_tls(infx):
    with truth_server(QUICK) as url:
        secure = url.replace("http://", "https://")
        said = infx("bench", secure)
    assert (said.code, said.out) == (3, "")
    (line,) = said.err.splitlines()
    assert line.startswith(f"infx: {secure}: TLS failed: ")
    assert line.endswith("; does this port speak https?")


def test_a_certificate_that_nobody_vouches_for(infx, tmp_path):
    with web_server(openai(), tls=self_signed(tmp_path)) as url:
        said = infx("bench", url)
    assert (said.code, said.out) == (3, "")
    (line,) = said.err.splitlines()
    assert line.startswith(f"infx: {url}: TLS: self")
    assert line.endswith("; trust its authority or use its real name")


def test_a_trusted_certificate_is_measured(infx, tmp_path, monkeypatch):
    """The same server, once its certificate is one of the system's authorities."""
    context = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    with web_server(openai(), tls=context) as url:
        said = infx("bench", url, *SMALL, "--requests", "3")
    assert (said.code, said.verdict) == (0, [])
    assert "concurrency 1: 3 ok" in said.err


@pytest.mark.parametrize("given", [None, "wrong"])
def test_a_missing_or_wrong_key(infx, monkeypatch, given):
    flags = ()
    if given:
        monkeypatch.setenv("KEY", given)
        flags = ("--api-key-env", "KEY")
    with truth_server(Script(api_key="sesame")) as url:
        said = infx("bench", url, *flags)
    assert said == refused(
        2,
        f"{url}/v1/models: HTTP 401: not authorised; "
        "name the variable that holds the right key with --api-key-env",
    )


def test_the_right_key_is_sent_and_written_nowhere(infx, monkeypatch, tmp_path):
    monkeypatch.setenv("KEY", "sesame-open")
    with truth_server(Script(api_key="sesame-open", ttft_s=0, itl_s=0)) as url:
        said = infx("bench", url, *SMALL, "--api-key-env", "KEY", "--header", "X-Two: sesame-open")
    assert said.code == 0
    assert "concurrency 1: 10 ok" in said.err
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if b"sesame-open" in path.read_bytes()] == []
    assert "X-Two:***" in only_run(tmp_path / "runs").joinpath("manifest.json").read_text()
    assert "sesame-open" not in said.out + said.err


def page(method, path, body):
    return Answer(200, "text/html", b"<html>welcome to the proxy</html>")


def test_html_instead_of_json(infx):
    with web_server(page) as url:
        said = infx("bench", url)
    assert said == refused(
        3,
        f"{url}/v1/models: expected JSON, got text/html: "
        f"'<html>welcome to the proxy</html>'; {IS_IT}",
    )


def test_a_path_that_is_not_served(infx):
    with truth_server(QUICK) as url:
        said = infx("bench", f"{url}/api")
    assert said.code == 3
    (line,) = said.err.splitlines()
    assert line.startswith(f"infx: {url}/api/v1/models: HTTP 404: ")
    assert line.endswith(IS_IT)


def test_what_a_terminal_would_obey_is_not_said(infx):
    with web_server(lambda *_: Answer(500, "text/plain", b"\x1b[2Jboo\r\n")) as url:
        said = infx("bench", url)
    assert said.code == 3
    assert "\\x1b[2Jboo" in said.err
    assert "\x1b" not in said.err


def test_a_model_that_is_not_served(infx, tmp_path):
    with truth_server(Script(model="smollm2-135m")) as url:
        said = infx("bench", url, "--model", "smolm2-135m")
    assert said == refused(
        2, f"{url}/v1/models: model smolm2-135m is not served; did you mean smollm2-135m?"
    )
    assert not (tmp_path / "runs").exists()


def test_several_models_and_none_named(infx):
    with web_server(openai(models=("a", "b"))) as url:
        said = infx("bench", url)
    assert (said.code, said.err) == (
        2,
        f"infx: {url}/v1/models: serves 2 models: a, b; name one with --model\n",
    )


def test_no_usage_in_the_stream(infx, tmp_path):
    """Prompts are sized by whole answers; what needs the stream's usage is absent with a reason."""
    with web_server(openai(stream_usage=False)) as url:
        said = infx("bench", url, *SMALL, "--requests", "5")
    assert said.code == 0
    assert "\n".join(said.verdict) == (
        f"infx: {url}: some answers came without usage, so figures per token are missing; "
        "let the server honour stream_options.include_usage"
    )
    (point,) = open_run(only_run(tmp_path / "runs")).result.points
    assert (point.counts.ok, point.certified) == (5, False)
    assert "usage-missing" in point.reasons
    for name in ("tpot", "itl", "output_throughput", "total_throughput"):
        assert isinstance(point.metrics[name], Absent), name
    assert not isinstance(point.metrics["ttft"], Absent)


def test_no_usage_at_all(infx, tmp_path):
    with web_server(openai(usage=False, stream_usage=False)) as url:
        said = infx("bench", url, *SMALL)
    assert (said.code, said.out, said.err.splitlines()) == (
        3,
        "",
        [
            "bundle runs/RUN",
            "calibrating prompt lengths against the server's own token count",
            (
                f"infx: {url}/v1/chat/completions: the answer has no usage.prompt_tokens; "
                "give --tokenizer PATH, or prompts of your own with --dataset FILE"
            ),
        ],
    )
    run = only_run(tmp_path / "runs")
    assert open_run(run).manifest.state == "failed"
    assert verify_run(run) == ()


def test_no_usage_at_all_is_measured_with_prompts_of_ones_own(infx, tmp_path):
    (tmp_path / "own.jsonl").write_text('{"prompt": "what is time?"}\n')
    with web_server(openai(usage=False, stream_usage=False)) as url:
        said = infx("bench", url, "--dataset", "own.jsonl", "--osl", "4", "--requests", "1",
                    "--warmup", "0")  # fmt: skip
    assert said.code == 0
    assert len(said.verdict) == 1
    assert "some answers came without usage" in said.verdict[0]
    (point,) = open_run(only_run(tmp_path / "runs")).result.points
    assert point.counts.ok == 1


def test_a_server_that_refuses_every_request_says_why(infx, tmp_path):
    error = b'{"error": {"message": "ignore_eos is unknown", "type": "invalid_request_error"}}'
    with web_server(openai(refuse=error)) as url:
        said = infx("bench", url, *SMALL, "--requests", "5")
    assert said.code == 3
    assert "\n".join(said.verdict) == (
        f"infx: {url}: no request at concurrency 1 ended ok: HTTP 400: ignore_eos is unknown "
        "(invalid_request_error); all that it answered is in runs/RUN"
    )
    run = only_run(tmp_path / "runs")
    (point,) = open_run(run).result.points
    assert (point.counts.issued, point.counts.error) == (5, 5)
    assert verify_run(run) == ()


def test_a_file_in_the_place_of_the_folder(infx, tmp_path):
    """Root may write anywhere, so a file stands where the folder would be."""
    (tmp_path / "taken").write_text("")
    with truth_server(QUICK) as url:
        for out, why in (("taken", "File exists"), ("taken/runs", "Not a directory")):
            said = infx("bench", url, *SMALL, "--out", out)
            assert said == refused(
                3, f"{out}: cannot make the folder: {why}; choose a path that is a folder"
            )


def test_prompts_too_short_for_the_servers_template(infx):
    with truth_server(Script(template_tokens=40)) as url:
        said = infx("bench", url, *SMALL)
    assert said.code == 2
    assert "\n".join(said.verdict) == (
        "infx: --isl: input length 32 with range ratio 1.0 asks for prompts of 32 tokens, and "
        "the shortest that this server counts is 41; ask for at least 41"
    )
