"""What the command line refuses before it asks any server: one line each, exit 2, no bundle."""

import pytest

from transcript import refused

NOBODY = "http://127.0.0.1:9"
"""Nobody listens here: a refusal that came after a connection would read otherwise."""

BASE = "give it as http://HOST:PORT or https://HOST"
LONG = "a" * 64


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", f"URL: not an http or https URL; {BASE}"),
        ("localhost:8000", f"localhost:8000: not an http or https URL; {BASE}"),
        ("127.0.0.1", f"127.0.0.1: not an http or https URL; {BASE}"),
        ("ftp://host/x", f"ftp://host/x: not an http or https URL; {BASE}"),
        ("http://", f"http://: not an http or https URL; {BASE}"),
        ("http://host:0", f"http://host:0: port 0 cannot be connected to; {BASE}"),
        (
            "http://host:99999",
            f"http://host:99999: not a URL: Port out of range 0-65535; {BASE}",
        ),
        ("http://[::1", f"http://[::1: not a URL: Invalid IPv6 URL; {BASE}"),
        (
            "https://user:secret@host/v1",
            f"https://host: a base URL carries no user, query or fragment; {BASE}",
        ),
        (
            "http://host/v1?key=secret",
            f"http://host: a base URL carries no user, query or fragment; {BASE}",
        ),
        (
            "http://日本.invalid",
            (
                "http://日本.invalid: a URL has neither spaces nor letters beyond ASCII; "
                "write a path's as %XX, and a host's as xn--..."
            ),
        ),
        (
            "http://host/a b",
            (
                "http://host/a b: a URL has neither spaces nor letters beyond ASCII; "
                "write a path's as %XX, and a host's as xn--..."
            ),
        ),
        (
            f"http://{LONG}.invalid",
            (
                f"http://{LONG}.invalid: a part of the host's name is empty or longer than 63 "
                "letters; check the spelling of the URL"
            ),
        ),
    ],
)
def test_wrong_urls(infx, url, says):
    said = infx("bench", url)
    assert said == refused(2, says)


RESERVED = (
    "leave out messages, prompt, stream, stream_options, model, max_tokens, n: infx sets them"
)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ("--concurrency 0", "--concurrency: concurrency 0 is not possible; use 1 or more"),
        ("--concurrency -2", "--concurrency: concurrency -2 is not possible; use 1 or more"),
        ("--concurrency 1,x", "--concurrency: 'x' is no number; use 1,2,4"),
        ("--concurrency ,", "--concurrency: no concurrency is given; use 1,2,4"),
        (
            "--concurrency 1,2,1",
            ("--concurrency: concurrency 1 is given more than once; "
            "use --repetitions to measure again"),
        ),
        (
            "--shape 1k1kk",
            ("--shape: unknown shape '1k1kk'; did you mean 1k1k? "
            "(or state INPUTxOUTPUT, such as 512x64)"),
        ),
        (
            "--shape big",
            ("--shape: unknown shape 'big'; known are 1k1k, 8k1k, 1k8k "
            "(or state INPUTxOUTPUT, such as 512x64)"),
        ),
        ("--shape 0x5", "--shape: shape '0x5' asks for no tokens; both lengths must be at least 1"),
        (
            "--shape 1k1k --osl 5",
            "--shape: a shape states both lengths already; give --shape, or --isl and --osl",
        ),
        ("--isl 0", "--isl: 0 is not possible; use 1 or more"),
        ("--osl -1", "--osl: -1 is not possible; use 1 or more"),
        ("--requests 0", "--requests: 0 is not possible; use 1 or more"),
        ("--warmup -1", "--warmup: -1 is not possible; use 0 or more"),
        ("--gpus 0", "--gpus: 0 is not possible; use 1 or more"),
        ("--osl 9999999999", "--osl: 9999999999 is too many; use up to 1000000000"),
        ("--repetitions 0", "--repetitions: 0 is not possible; use 1 or more"),
        ("--range-ratio 0", "--range-ratio: 0 is no share; use a number above 0 and up to 1"),
        ("--range-ratio nan", "--range-ratio: nan is no share; use a number above 0 and up to 1"),
        ("--max-error 1.5", "--max-error: 1.5 is no share; use a number from 0 to 1"),
        ("--seed 9007199254740992", ("--seed: seed 9007199254740992 is too large; use a number up "
         "to 9007199254740991")),
        ("--duration 5x", "--duration: '5x' is no duration above 0; use 90s, 20m or 1h"),
        ("--grace 0", "--grace: '0' is no duration above 0; use 90s, 20m or 1h"),
        ("--request-timeout 0", ("--request-timeout: '0' is no duration above 0; use 90s, 20m "
         "or 1h")),
        ("--slo ttf=1", "--slo: unknown target 'ttf'; did you mean ttft?"),
        ("--header token", "--header: 'token' is no header; write it as NAME:VALUE"),
        (
            "--header X:日本",
            "--header: header 'X' cannot be sent; write it as NAME:VALUE, on one line and in ASCII",
        ),
        (
            "--header X:a\nY:b",
            "--header: header 'X' cannot be sent; write it as NAME:VALUE, on one line and in ASCII",
        ),
        (
            "--header :v",
            "--header: header '' cannot be sent; write it as NAME:VALUE, on one line and in ASCII",
        ),
        (
            "--header content-length:5",
            "--header: infx itself sets the header content-length; leave it out",
        ),
        ("--extra-body [1]", "--extra-body: not a JSON object; use '{\"top_k\": 1}'"),
        ("--extra-body {\"n\":2}", f"--extra-body: the extra body sets n; {RESERVED}"),
        ("--api-key-env INFX_NO_KEY", ("--api-key-env: the variable INFX_NO_KEY is not set; "
         "export it")),
        (
            "--dataset none.jsonl",
            ("none.jsonl: cannot read the dataset: No such file or directory; "
            "give a JSONL or ShareGPT file"),
        ),
        (
            "--dataset none.jsonl --isl 5",
            ("--dataset: prompts of a dataset have their own input lengths; "
            "give --osl alone with it"),
        ),
        (
            "--dataset none.jsonl --tokenizer none",
            ("--tokenizer: prompts of a dataset have their own lengths; a tokenizer has nothing to "
            "size; give one of --dataset and --tokenizer"),
        ),
    ],
)  # fmt: skip
def test_flags_with_impossible_values(infx, tmp_path, flags, says):
    said = infx("bench", NOBODY, *flags.split(" "))
    assert said == refused(2, says)
    assert not (tmp_path / "runs").exists()


def test_extra_body_that_is_no_json(infx):
    said = infx("bench", NOBODY, "--extra-body", "{top_k: 1}")
    assert (said.code, len(said.err.splitlines())) == (2, 1)
    assert said.err.startswith("infx: --extra-body: not JSON: ")
    assert said.err.endswith("""; use '{"top_k": 1}'\n""")


def test_a_key_with_a_line_end(infx, monkeypatch):
    monkeypatch.setenv("KEY", "sesame\n")
    said = infx("bench", NOBODY, "--api-key-env", "KEY")
    assert (said.code, said.err) == (
        2,
        (
            "infx: --api-key-env: the API key has a character that no header can carry; "
            "does the variable hold a line end?\n"
        ),
    )


def test_a_tokenizer_that_is_not_there(infx):
    pytest.importorskip("tokenizers", reason="needs infx[tokenizer]")
    said = infx("bench", NOBODY, "--tokenizer", "none")
    assert (said.code, said.err) == (
        2,
        (
            "infx: none: cannot read the tokenizer: No such file or directory; "
            "give a tokenizer.json or the model directory that holds one\n"
        ),
    )


def test_a_tokenizer_that_is_none(infx, tmp_path):
    pytest.importorskip("tokenizers", reason="needs infx[tokenizer]")
    (tmp_path / "tokenizer.json").write_text("{}")
    said = infx("bench", NOBODY, "--tokenizer", ".")
    assert (said.code, len(said.err.splitlines())) == (2, 1)
    assert said.err.startswith(
        "infx: tokenizer.json: not a tokenizer.json of Hugging Face's tokenizers: "
    )
    assert said.err.endswith("; give the tokenizer.json that stands beside the model's weights\n")


def test_every_bad_row_of_a_dataset_is_named_by_its_line(infx, tmp_path):
    rows = ['{"prompt": "good"}', "{", '{"prompt": ""}', '{"text": "x"}']
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    said = infx("bench", NOBODY, "--dataset", "rows.jsonl")
    assert (said.code, said.out) == (2, "")
    first, second, third = said.err.splitlines()
    assert first.startswith("infx: rows.jsonl:2: not JSON: ")
    assert first.endswith("; each line must be one JSON object")
    assert second == "infx: rows.jsonl:3: prompt: expected text, found an empty text"
    assert third == "infx: rows.jsonl:4: expected either prompt or messages, found only text"


def test_several_problems_are_told_together(infx):
    said = infx("bench", NOBODY, "--isl", "0", "--gpus", "0", "--max-error", "2")
    assert [line.split(":")[1] for line in said.verdict] == [" --gpus", " --isl", " --max-error"]
    said = infx("bench", NOBODY, "--concurrency", "0,2,2", "--header", "Host:x")
    assert len(said.verdict) == 3
    assert said.code == 2


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("bnch URL", ['"bnch"', '"bench"', "See: infx --help"]),
        ("runs shw", ['"shw"', '"show"', "See: infx runs --help"]),
        ("bench", ["URL", "See: infx bench --help"]),
        ("bench URL more", ["'more'", "See: infx bench --help"]),
        ("bench URL --concurency 1", ["--concurency", "--concurrency", "See: infx bench --help"]),
        ("bench URL --format yaml", ['"yaml"', "--format", "json", "See: infx bench --help"]),
        ("bench URL --workload agentik", ["'agentik'", "--workload", "did you mean agentic"]),
        ("bench URL --workload agentic", ["needs sessions", "--workload", "agentic:demo"]),
        ("bench URL --workload fixed:f", ["no corpus", "--workload", "--dataset"]),
        ("bench URL --workload agentic:nope.jsonl", ["nope.jsonl"]),
        ("bench URL --workload agentic:demo --isl 5", ["--isl", "replay"]),
        ("bench URL --workload agentic:demo --rate 5", ["--rate", "replay"]),
        ("bench URL --workload agentic:demo --fast --demo", ["--demo", "give one"]),
        ("bench URL --demo", ["--workload", "agentic:demo"]),
        ("bench URL --api chats", ['"chats"', "--api", "chat"]),
        ("bench URL --isl many", ['"many"', "--isl", "See: infx bench --help"]),
        ("bench URL --isl", ["--isl", "See: infx bench --help"]),
        ("report", ["RUN", "See: infx report --help"]),
        ("quickstart --lanes 5", ["--lanes", "See: infx quickstart --help"]),
    ],
)
def test_what_cannot_be_parsed_is_one_line_that_names_it(infx, words, names):
    said = infx(*words.split())
    assert (said.code, said.out) == (2, "")
    (line,) = said.err.splitlines()
    assert line.startswith("infx: ")
    assert [name for name in names if name not in line] == []
