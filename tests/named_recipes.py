"""A master whose row names a recipe: the files, and what is said when they do not go together."""

FILE = "toy.yaml"
"""Where a recipe stands that no row names."""
MASTER, RECIPE = "toy-master.yaml", "recipes/toy.yaml"
AGENTIC = "toy.scenarios.agentic-coding.0.search-space.0"
FIXED = "toy.scenarios.fixed-seq-len.0.search-space.0"
REMEDY = "correct the row, or the recipe at the lines named here"
FIT = "ask for what a variant states, or add a variant"
AT = f"({MASTER}:12)"
POINT = "KV offloading none, agg TP8 EP1"
ONE = "tp: 8, kv-offloading: none, conc-list: [4], srt-recipe: toy.yaml"
SHORT = "tp: 8, conc-list: [4], srt-recipe: toy.yaml"
FLEET = "cluster:h200-a"
RUNNERS = """\
labels: {"cluster:h200-a": [h200-a_0], "cluster:plain": [plain_0]}
clusters:
  h200-a:
    gpus-per-node: 8
    available-cpu-dram-mib: 1_000_000
    arch: x86_64
    scheduler: slurm
    slurm:
      partition: main
      exclusive: false
      srt-slurm: {network-interface: eth0, fabric: {nccl-ib-hca: mlx5}}
  plain: {gpus-per-node: 8, arch: x86_64, scheduler: local}
"""
BASE = """\
base:
  schema: 2
  name: toy
  engine: sglang
  resources: {gpu_type: h200, gpus_per_node: 8}
  roles:
    agg:
      nodes: 1
      workers: 1
      gpus: 8
      args:
        tensor-parallel-size: 8
"""
PLAIN = BASE.replace("base:\n", "").replace("\n  ", "\n").removeprefix("  ")
GROUPS = """\
override_c4:
  benchmark: {env: {CONC: '4'}}
override_c20:
  benchmark: {env: {CONC: '20'}}
"""


def recipe(old: str, new: str, text: str = BASE + GROUPS) -> str:
    """Return a recipe with a piece of it replaced, which is in it."""
    assert old in text
    return text.replace(old, new)


def bound(
    *lines: str,
    at: str = "4, 20",
) -> list[str]:
    """Return what is said of an agentic row whose recipe cannot be bound, and why."""
    head = f"{MASTER}:12: {AGENTIC}.srt-recipe: toy.yaml cannot be bound at concurrency {at}"
    return [f"{head}; {REMEDY}", *lines]


def server(**more: object) -> str:
    """Return the plain recipe with more arguments; its arguments begin on line 10."""
    lines = [f"      {name.replace('_', '-')}: {value}\n" for name, value in more.items()]
    return PLAIN + "".join(lines)


def client(text: str) -> str:
    """Return the plain recipe with a benchmark section, on line 12."""
    return f"{PLAIN}benchmark: {{{text}}}\n"


def top(text: str) -> str:
    """Return the plain recipe with a section more, on line 12."""
    return f"{PLAIN}{text}\n"


def placed(*lines: str) -> str:
    """Return lines as they are told: those without a number are of the whole file."""
    return "\ninfx: ".join(
        f"{FILE}:{line}" if line[:1].isdigit() else f"{FILE}: {line}" for line in lines
    )
