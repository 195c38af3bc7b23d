"""/metrics speaks the dialect, and its counters agree with the log."""

import re

import pytest

from infx.servers.truth.script import EngineModel

LINE = re.compile(r"([a-z0-9_]+:[a-zA-Z0-9_:]+)\{(.*)\} ([-+.e0-9]+)")
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


def read(text):
    """Every sample by its name and the labels that are not the server's own."""
    values = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = LINE.fullmatch(line).groups()
            own = tuple(
                pair for pair in LABEL.findall(labels) if pair[0] not in ("engine", "model_name")
            )
            assert (name, own) not in values
            values[name, own] = float(value)
    return values


@pytest.fixture
def worked(start, complete, chat, get):
    """Serve a mix with ends of every kind; return the page and the log."""

    def worked(**script):
        site = start(**script)
        gone, cut = site.connect(), site.connect()
        cut.send(chat(words=100, max_tokens=500))
        site.at(0.3, cut.leave)
        site.wait(1)
        gone.send(complete(100))
        gone.leave()
        for words in (10, 40, 100, 100, 100):
            site.ask(complete(words, max_tokens=20))
        site.ask(chat(max_tokens=5, stream=False), chat(max_tokens=0))
        return read(site.ask(get("/metrics")).response.body.decode()), site.log

    return worked


@pytest.mark.parametrize("engine", [None, EngineModel(prefill_rate=2000)])
def test_vllm_counters_agree_with_the_log(worked, engine):
    page, log = worked(engine=engine)
    begun = [sent for sent in log if sent.first_token_ns is not None]
    ends = [sent.end for sent in log]
    assert {"completed", "client-closed", "refused"} == set(ends)
    assert page["vllm:prompt_tokens_total", ()] == sum(sent.prompt_tokens for sent in begun)
    assert page["vllm:generation_tokens_total", ()] == sum(sent.completion_tokens for sent in log)
    success = {
        dict(own)["finished_reason"]: value
        for (name, own), value in page.items()
        if name == "vllm:request_success_total"
    }
    assert success == {
        "length": ends.count("completed"),
        "abort": ends.count("client-closed"),
        "stop": 0,
        "error": 0,
    }
    assert page["vllm:time_to_first_token_seconds_count", ()] == len(begun)
    ttft = sum(sent.first_token_ns - sent.received_ns for sent in begun) / 1e9
    assert page["vllm:time_to_first_token_seconds_sum", ()] == pytest.approx(ttft)
    admitted = [sent for sent in log if sent.admitted_ns is not None]
    assert page["vllm:request_queue_time_seconds_count", ()] == len(admitted)
    assert page["vllm:e2e_request_latency_seconds_count", ()] == ends.count("completed")
    assert page["vllm:num_requests_running", ()] == 0
    assert page["vllm:num_requests_waiting", ()] == 0


def test_vllm_cache_figures_agree_with_the_log(worked):
    page, log = worked(engine=EngineModel(prefill_rate=2000))
    admitted = [sent for sent in log if sent.admitted_ns is not None]
    begun = [sent for sent in log if sent.first_token_ns is not None]
    cached = sum(sent.cached_tokens for sent in begun)
    assert cached > 0
    assert page["vllm:prefix_cache_queries_total", ()] == sum(s.prompt_tokens for s in admitted)
    assert page["vllm:prefix_cache_hits_total", ()] == sum(s.cached_tokens for s in admitted)
    name = "vllm:prompt_tokens_by_source_total"
    assert page[name, (("source", "local_cache_hit"),)] == cached
    computed = sum(sent.prompt_tokens for sent in begun) - cached
    assert page[name, (("source", "local_compute"),)] == computed
    assert page["vllm:kv_cache_usage_perc", ()] == 0


def test_sglang_counters_agree_with_the_log(worked):
    page, log = worked(engine=EngineModel(prefill_rate=2000, kv_tokens=5000), dialect="sglang")
    begun = [sent for sent in log if sent.first_token_ns is not None]
    admitted = [sent for sent in log if sent.admitted_ns is not None]
    assert page["sglang:prompt_tokens_total", ()] == sum(sent.prompt_tokens for sent in begun)
    assert page["sglang:generation_tokens_total", ()] == sum(s.completion_tokens for s in log)
    cached = sum(sent.cached_tokens for sent in begun)
    assert page["sglang:cached_tokens_total", (("cache_source", "device"),)] == cached
    rate = sum(s.cached_tokens for s in admitted) / sum(s.prompt_tokens for s in admitted)
    assert page["sglang:cache_hit_rate", ()] == pytest.approx(rate)
    assert page["sglang:max_total_num_tokens", ()] == 5000
    assert page["sglang:token_usage", ()] == 0
    assert page["sglang:num_running_reqs", ()] == 0
    assert page["sglang:num_queue_reqs", ()] == 0
    ends = [sent.end for sent in log]
    assert page["sglang:num_requests_total", ()] == ends.count("completed")
    assert page["sglang:num_aborted_requests_total", ()] == ends.count("client-closed")
    assert all(name.startswith("sglang:") for name, _ in page)


def test_gauges_show_the_moment(start, complete, get):
    site = start(engine=EngineModel(slots=2, prefill_rate=1000, kv_tokens=1000))
    for n in range(3):
        site.connect().send(complete(f"w{n} " * 100, max_tokens=50))
    site.wait(0.2001)  # two prompts of 100 share 1000 a second, the first token is out
    client = site.connect()
    client.send(get("/metrics"))
    site.wait(0.001)
    page = read(client.response.body.decode())
    assert page["vllm:num_requests_running", ()] == 2
    assert page["vllm:num_requests_waiting", ()] == 1
    assert page["vllm:kv_cache_usage_perc", ()] == pytest.approx(202 / 1000)


@pytest.mark.parametrize("dialect", ["vllm", "sglang"])
def test_without_a_cache_no_figure_of_one_is_shown(start, get, dialect):
    page = read(start(dialect=dialect).ask(get("/metrics")).response.body.decode())
    assert not [name for name, _ in page if re.search("cache|kv|usage|max_total", name)]
    assert page


def test_each_family_has_help_and_type_and_the_page_is_prometheus_text(start, get):
    response = start(model='a"b\\c', engine=EngineModel()).ask(get("/metrics")).response
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    text = response.body.decode()
    lines = text.splitlines()
    assert 'vllm:num_requests_running{engine="0",model_name="a\\"b\\\\c"} 0.0' in lines
    assert lines[0] == "# HELP vllm:num_requests_running Requests in execution."
    assert lines[1] == "# TYPE vllm:num_requests_running gauge"
    families = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    for name, _ in read(text):
        assert name in families or re.sub("_(bucket|count|sum)$", "", name) in families


def test_histograms_are_cumulative(start, complete, get):
    site = start(ttft_s=0.05)
    site.ask(complete("x"))
    page = read(site.ask(get("/metrics")).response.body.decode())
    bucket = "vllm:time_to_first_token_seconds_bucket"
    assert page[bucket, (("le", "0.04"),)] == 0
    assert page[bucket, (("le", "0.06"),)] == 1
    assert page[bucket, (("le", "+Inf"),)] == 1
