"""A small repository with a catalog, a recipe and a changelog, in its own words."""

from pathlib import Path

import gitted

RUNNERS = """\
labels:
  h200: [h200-0, h200-1]
  cluster:h200-a: [h200-0, h200-1]
hardware:
  h200: {available-cpu-dram-mib: 1000000, gpus-per-node: 8}
  cluster:h200-a: {available-cpu-dram-mib: 1000000, gpus-per-node: 8}
"""

MASTER = """\
# what the toys run
toy-fp8-h200-sglang:
  image: acme/sglang:v1
  model: acme/Toy
  model-prefix: toy
  runner: h200
  precision: fp8
  framework: sglang
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 8192
      osl: 1024
      search-space:
      - tp: 4
        ep: 4
        conc-list: [4, 8]

toy-fp4-h200-sglang-agentic:
  image: acme/sglang:v1
  model: acme/Toy
  model-prefix: toy
  runner: cluster:h200-a
  precision: fp4
  framework: sglang
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - tp: 8
        kv-offloading: none
        conc-list: [1, 2]
        srt-recipe: toy.yaml

toy-fp8-h200-vllm:
  image: acme/vllm:v1
  model: acme/Toy
  model-prefix: toy
  runner: cluster:h200-a
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - tp: 2
        conc-list: [16]
    agentic-coding:
    - search-space:
      - tp: 2
        kv-offloading: none
        conc-list: [1]
"""

RECIPE = """\
schema: 2
name: toy
engine: sglang
resources: {gpu_type: h200, gpus_per_node: 8}
frontend: {type: sglang, enable_multiple_frontends: false}
roles:
  agg:
    nodes: 1
    workers: 1
    gpus: 8
    args:
      tensor-parallel-size: 8
      chunked-prefill-size: 8192  # tuned
"""

SHARED = "benchmark:\n  type: custom\n  command: replay\n"

LINK = "https://github.com/acme/bench/pull/"
CHANGELOG = f"""\
- config-keys:
    - toy-fp8-h200-sglang
  description:
    - "Begin."
  pr-link: {LINK}1
"""

FILES: dict[str, str | bytes] = {
    "configs/toy-master.yaml": MASTER,
    "configs/runners.yaml": RUNNERS,
    "configs/srt-recipes/agentic-single.yaml": SHARED,
    "recipes/toy.yaml": RECIPE,
    "perf-changelog.yaml": CHANGELOG,
}


def master(*edits: tuple[str, str]) -> str:
    """Return the master's text with pieces of it replaced, each of which is in it."""
    text = MASTER
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def entry(*keys: str, link: str = f"{LINK}2", more: str = "") -> str:
    """Return the text that appends an entry."""
    listed = "".join(f"    - {key}\n" for key in keys)
    text = f'\n- config-keys:\n{listed}  description:\n    - "Change."\n  pr-link: {link}\n'
    return text + more


def repository(root: Path) -> gitted.Repo:
    """Return the repository on a branch `topic` that has not changed anything yet."""
    repo = gitted.repository(root, FILES)
    repo.git("checkout", "-q", "-b", "topic")
    return repo
