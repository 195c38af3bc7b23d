"""A session log of a coding agent, as small as it can be."""

import json
from pathlib import Path


def write_log(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    usage = {"input_tokens": 640, "output_tokens": 5}
    message = {"id": "m1", "model": "m", "content": [], "usage": usage}
    lines = [
        {"type": "user", "timestamp": "2026-03-01T12:00:00Z", "message": {"content": "x"}},
        {"type": "assistant", "timestamp": "2026-03-01T12:00:01Z", "message": message},
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
