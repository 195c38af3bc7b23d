"""A repository with our own catalog, a change to it, and what a sweep of the change uploaded."""

import json
from pathlib import Path

import gitted

CATALOG = Path(__file__).parents[1] / "catalog"
MASTER, RECIPE = "nvidia-master.yaml", "recipes/musespark/gb200/agentic.yaml"
CHANGELOG = "perf-changelog.yaml"
MUSE = "musespark-fp4-gb200-sglang-agentic-dflash"
SMOL = "smollm2-q4-cpu-llamacpp"
IMAGE = (
    "lmsysorg/sglang:dev-muse-spark-open"
    "@sha256:8cfc5a72cb296771f5f8a4a4688cb6d05685610a830cbb616fa4ab0eb7bb2b0a"
)
RUN = 39195111790


def text(path: str) -> str:
    return (CATALOG / path).read_text("utf-8")


def edited(path: str, *edits: tuple[str, str]) -> dict[str, str]:
    found = text(path)
    for old, new in edits:
        assert old in found
        found = found.replace(old, new)
    return {path: found}


def entry(key: str, *more: str) -> dict[str, str]:
    """Return the changelog with an entry for a key, with `more` fields."""
    lines = (f"- config-keys:\n    - {key}", "  description:\n    - said", "  pr-link: XXX", *more)
    return {CHANGELOG: text(CHANGELOG) + "\n" + "\n".join(lines) + "\n"}


def repository(root: Path) -> gitted.Repo:
    """Return a repository whose `main` has our catalog, on a branch of its own."""
    files = {
        str(path.relative_to(CATALOG)): path.read_bytes()
        for path in sorted(CATALOG.rglob("*.yaml"))
    }
    repo = gitted.repository(root, files)
    repo.git("checkout", "-q", "-b", "change")
    return repo


def smaller_cache(root: Path) -> gitted.Repo:
    """Return a repository in which a change gives Muse Spark less host memory, and says so."""
    repo = repository(root)
    cache = edited(RECIPE, ("hicache-size: 120", "hicache-size: 100"))
    repo.commit({**cache, **entry(MUSE)})
    return repo


def agentx_row(concurrency: int, *, p90: object, p75: object, per_gpu: object) -> dict:
    """Return the row of one agentic point."""
    counts = {"records_total": 10, "records_profiled": 10, "records_dropped_total": 0}
    dropped = {"records_warmup_dropped": 0, "records_error_dropped": 0, "error_categories": {}}
    return {
        "result_schema_version": 1, "hw": "gb200", "conc": concurrency, "image": IMAGE,
        "recipe_fingerprint": "", "model": "muse-spark-open-816b-a42b-nvfp4",
        "infmax_model_prefix": "musespark", "framework": "sglang", "precision": "fp4",
        "spec_decoding": "draft_model", "disagg": False, "scenario_type": "agentic-coding",
        "num_gpus": 4, "tp": 4, "ep": 4, "dp_attention": "false", "kv_offloading": "dram",
        "kv_offload_backend": {"name": "hicache"}, "allocated_cpu_dram_gb": 600,
        "num_requests_total": 10, "num_requests_successful": 10,
        "request_accounting": {**counts, **dropped}, "is_multinode": False, "pp": 1,
        "dcp_size": 1, "pcp_size": 1, "server_metrics": {}, "kv_cache_pool_tokens": None,
        "request_metrics": {
            "latency": {"e2el": {"p75": p75, "p90": p90}},
            "throughput": {"per_gpu": {"total_tput_tps": per_gpu}},
        },
    }  # fmt: skip


def agentic_rows():
    """Twelve points whose latency and throughput both grow, but for c24 which is dominated."""
    concurrencies = (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
    rows = []
    for place, concurrency in enumerate(concurrencies):
        speed = 50.0 if concurrency == 24 else 100.0 * (place + 1)
        rows.append(
            agentx_row(concurrency, p90=10.0 * (place + 1), p75=8.0 * (place + 1), per_gpu=speed)
        )
    return rows


def eval_row(**changes: object) -> dict:
    """Return the row of the eval at the highest concurrency."""
    return {
        "hw": "gb200", "infmax_model_prefix": "musespark", "framework": "sglang",
        "precision": "fp4", "conc": 32, "task": "gsm8k", "score": 0.9803, "score_se": 0.0038,
        "score_name": "em_strict", "n_eff": 1319, "infrastructure_success": True,
        "integration_error": None, "image": IMAGE, "isl": None, "osl": None, **changes,
    }  # fmt: skip


def artifacts(root: Path, rows: list[dict], scores: list[dict] | str = "[]") -> Path:
    """Write the aggregates of a run into a folder that has its number."""
    folder = root / str(RUN)
    folder.mkdir(parents=True)
    (folder / "agg_bmk.json").write_text(json.dumps(rows, indent=1))
    written = scores if isinstance(scores, str) else json.dumps(scores, indent=1)
    (folder / "agg_eval_all.json").write_text(written)
    return folder
