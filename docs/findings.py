#!/usr/bin/env python3
"""Print the page of findings over the public recipes: docs/reference/findings.md.

python docs/findings.py "$INFX_REFERENCE_DATA" > docs/reference/findings.md
"""

import sys
from pathlib import Path

from pages.findings import findings, groups

CATALOG = Path(__file__).resolve().parents[1] / "catalog"


def main(arguments: list[str]) -> int:
    """Print the page; return the exit code."""
    if len(arguments) != 1 or not Path(arguments[0], "srt-recipes").is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    print(findings(groups(Path(arguments[0]), CATALOG)), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
