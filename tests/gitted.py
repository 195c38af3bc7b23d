"""A real git repository in a folder of its own, made commit by commit."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}


@dataclass(frozen=True)
class Repo:
    root: Path

    def git(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            ("git", *words),
            cwd=self.root,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, files: dict[str, str | bytes]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, files: dict[str, str | bytes], *, branch: str | None = None) -> str:
        """Write files and commit them, on a new branch if one is named; return the commit."""
        if branch is not None:
            self.git("checkout", "-q", "-b", branch)
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")


def repository(root: Path, files: dict[str, str | bytes] | None = None) -> Repo:
    """Return a new repository with one commit on `main`."""
    root.mkdir(parents=True, exist_ok=True)
    repo = Repo(root)
    repo.git("init", "-q", "-b", "main")
    repo.commit(files or {})
    return repo
