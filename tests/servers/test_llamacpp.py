"""The real llama.cpp server: flags reach it, it answers under its short name, and ends promptly."""

import asyncio
import json
import os
import signal
import sys

import pytest

from infx.clock import SystemClock
from infx.engines import llamacpp as engine
from infx.errors import MachineError
from infx.launch.local import free_port, running
from infx.model.recipe import BoundRecipe, Site
from infx.process import Command, run
from infx.servers import llamacpp as server
from infx.wire.fetch import get


def serve(*words: str, environment=None):
    """Run the program to an end that comes by itself."""
    argv = (sys.executable, "-m", "infx.servers.llamacpp", *words)
    return run(Command(argv, environment or {}), timeout_s=60)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--port 8000", "the following arguments are required: --model"),
        ("--model x --port 0", "argument --port: 0 is not between 1 and 65535"),
        ("--model x --port http", "argument --port: invalid whole number value: 'http'"),
        ("--model x --port 1 --parallel 0", "argument --parallel: 0 is not between 1 and"),
        ("--model x --port 1 --ctx 5", "unrecognized arguments: --ctx 5"),
        ("--model x --port 1 --cache-type-k q8", "argument --cache-type-k: invalid choice: 'q8'"),
        ("--model /no/such.gguf --port 1", "/no/such.gguf: no such model file; give a GGUF file"),
    ],
)
def test_bad_flags_end_with_2_and_one_clear_line(words, says, capsys):
    try:
        code = server.main(words.split())
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert says in capsys.readouterr().err.splitlines()[-1]


def test_a_missing_xllamacpp_is_named_with_the_way_to_get_it(tmp_path, monkeypatch, capsys):
    model = tmp_path / "x.gguf"
    model.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert server.main(["--model", str(model), "--port", "1"]) == 2
    assert "pip install 'infx[quickstart]'" in capsys.readouterr().err


def test_flags_become_settings_and_the_others_keep_their_defaults():
    xllamacpp = pytest.importorskip("xllamacpp", reason="needs infx[quickstart]")
    words = (
        "--model m.gguf --alias smol --host 0.0.0.0 --port 8001 --parallel 3 --ctx-size 999"
        " --threads 5 --no-cache-prompt --kv-unified --metrics --cache-type-k q8_0"
        " --flash-attn off"
    )
    settings = server.configure(server.parser().parse_args(words.split()))
    untouched = xllamacpp.CommonParams()
    assert (settings.model.path, settings.model_alias) == ("m.gguf", {"smol"})
    assert (settings.hostnames, settings.port) == (["0.0.0.0"], 8001)
    assert (settings.n_parallel, settings.n_ctx) == (3, 999)
    assert (settings.cpuparams.n_threads, settings.cpuparams_batch.n_threads) == (5, 5)
    assert (settings.cache_prompt, settings.kv_unified) == (False, True)
    assert settings.endpoint_metrics is True
    assert settings.cache_type_k == xllamacpp.ggml_type.GGML_TYPE_Q8_0
    assert settings.cache_type_v == xllamacpp.ggml_type.GGML_TYPE_F16
    assert settings.flash_attn_type == (
        xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    )
    assert settings.n_batch == untouched.n_batch
    assert settings.warmup == untouched.warmup


def test_every_flag_names_a_setting_that_xllamacpp_has():
    xllamacpp = pytest.importorskip("xllamacpp", reason="needs infx[quickstart]")
    paths = [row[0] for row in (*server.INTEGERS.values(), *server.SWITCHES.values())]
    for path in paths:
        owner, _, name = path.rpartition(".")
        settings = xllamacpp.CommonParams()
        assert hasattr(getattr(settings, owner) if owner else settings, name), path
    for kind in server.CACHE_TYPES:
        assert f"GGML_TYPE_{kind.upper()}" in xllamacpp.ggml_type.__members__


@pytest.mark.engine
def test_a_file_that_is_no_model_ends_with_3_and_llama_cpps_own_words(tmp_path):
    pytest.importorskip("xllamacpp", reason="needs infx[quickstart]")
    junk = tmp_path / "junk.gguf"
    junk.write_bytes(b"\0" * 5000)
    done = serve("--model", str(junk), "--port", str(free_port()))
    assert done.code == 3
    assert "invalid magic" in done.stdout.decode() + done.stderr
    assert "llama.cpp did not start" in done.stderr


def recipe(weights, **flags) -> BoundRecipe:
    return BoundRecipe(
        name="quickstart", model="smollm2", flags=flags, site=Site(paths={"weights": str(weights)})
    )


@pytest.mark.engine
def test_the_whole_way_from_recipe_to_observed_facts(weights, tmp_path):
    """Plan, launch, ready, models, metrics, a death by hand noticed, facts off the log."""
    flags = {"parallel": 2, "ctx-size": 2048, "threads": 1, "cache-type-k": "q8_0"}
    plan = engine.plan(recipe(weights, **flags), port=free_port(), python=sys.executable)

    async def story():
        kwargs = {"environment": {}, "log_dir": tmp_path, "clock": SystemClock()}
        async with running(plan, **kwargs) as live:
            url = live.endpoint.url
            models = json.loads((await get(f"{url}/v1/models", timeout_s=20)).body)
            metrics = await get(url + plan.metrics_path, timeout_s=20)
            assert live.died() is None
            child = live._children["llamacpp"]
            os.kill(child.pid, signal.SIGTERM)
            # Prompt: the signal's default action, not a shutdown that may hang.
            child._process.wait(5)
            problem = live.died()
        return models, metrics, problem, live.logs["llamacpp"].read_text()

    models, metrics, problem, log = asyncio.run(story())
    assert [row["id"] for row in models["data"]] == ["smollm2"]
    assert b"llamacpp:prompt_tokens_total 0" in metrics.body
    assert "llamacpp died while serving (killed by SIGTERM)" in str(problem)
    observed = {name: fact["value"] for name, fact in engine.observe(log).items()}
    asked = {
        "n_slots": 2,
        "n_ctx": 2048,
        "n_ctx_slot": 1024,
        "threads": 1,
        "threads_batch": 1,
        "cache_type_k": "q8_0",
        "cache_type_v": "f16",
        "quantisation": "Q4_1",
        "kv_unified": False,
        "model_path": str(weights),
        "listening": plan.endpoint.url,
    }
    assert {name: observed.get(name) for name in asked} == asked


@pytest.mark.engine
def test_a_port_that_is_taken_is_a_death_with_the_servers_own_words(weights, tmp_path):
    async def story():
        taken = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
        port = taken.sockets[0].getsockname()[1]
        plan = engine.plan(recipe(weights), port=port, python=sys.executable)
        async with taken:
            kwargs = {"environment": {}, "log_dir": tmp_path, "clock": SystemClock()}
            async with running(plan, **kwargs):
                pytest.fail("it never was ready")

    with pytest.raises(MachineError, match=r"llamacpp died while starting \(exit code 3\)") as end:
        asyncio.run(story())
    assert "couldn't bind HTTP server socket" in str(end.value)
