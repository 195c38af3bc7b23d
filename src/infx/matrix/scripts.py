"""Rows that name no recipe: the script that launches them, and what it is told.

The public launchers make a script's name of a row's model, precision, hardware and framework, and
hand it the row as variables.
"""

from collections.abc import Collection, Iterator

from pydantic import JsonValue

from infx.matrix.affected import Row

_FOLDERS = {True: ("agentic", ""), False: ("fixed_seq_len", "")}
"""Where scripts of agentic rows and of others stand; older ones stand beside the folders."""

_NAMES = {
    "MODEL": "model",
    "MODEL_PREFIX": "model-prefix",
    "IMAGE": "image",
    "FRAMEWORK": "framework",
    "PRECISION": "precision",
    "SPEC_DECODING": "spec-decoding",
    "TP": "tp",
    "PP_SIZE": "pp",
    "DCP_SIZE": "dcp-size",
    "PCP_SIZE": "pcp-size",
    "EP_SIZE": "ep",
    "DP_ATTENTION": "dp-attn",
    "ISL": "isl",
    "OSL": "osl",
    "MAX_MODEL_LEN": "max-model-len",
    "KV_OFFLOADING": "kv-offloading",
    "TOTAL_CPU_DRAM_GB": "total-cpu-dram-gb",
}
"""Variables of the public job templates, and the fields of a row that they are of."""


def script(row: Row, hardware: str, paths: Collection[str]) -> str | None:
    """Return the path of the script that launches a row on `hardware` (a SKU), None for none.

    A script that names the framework comes before one that does not, a folder of the row's
    scenario before the folder above.
    """
    for end in _ends(row, hardware):
        found = [path for path in paths if path == end or path.endswith(f"/{end}")]
        if found:
            return min(found, key=len)
    return None


def environment(row: Row) -> dict[str, str]:
    """Return what a script is told of a row, but what differs along one curve."""
    agentic = "isl" not in row
    told = {
        "IS_AGENTIC": "1" if agentic else "0",
        "IS_MULTINODE": "true" if "prefill" in row else "false",
        "SCENARIO_TYPE": "agentic-coding" if agentic else "fixed-seq-len",
    }
    for name, field in _NAMES.items():
        value = row.get(field)
        if value is not None and not isinstance(value, dict | list):
            told[name] = _word(value)
    return told


def _ends(row: Row, hardware: str) -> Iterator[str]:
    """Yield the ends of the paths that a row's script may have, the first one first."""
    several = "prefill" in row
    stem = f"{row['model-prefix']}_{row['precision']}_{hardware}"
    spec = "_mtp" if row.get("spec-decoding") == "mtp" else ""
    for framework in (f"_{row['framework']}", ""):
        for folder in _FOLDERS["isl" not in row]:
            home = "multi_node" if several else "single_node"
            name = f"{stem}{framework}{spec}.sh"
            yield "/".join(part for part in ("benchmarks", home, folder, name) if part)


def _word(value: JsonValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
