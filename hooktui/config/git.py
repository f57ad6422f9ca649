"""What git knows of a path. Without git, or outside a repository, it knows nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

_GIT: Final = ("git", "-c", "core.fsmonitor=false")  # a repository's own configuration starts no program
_DEADLINE_S: Final = 10.0


def output(path: str, *arguments: str) -> str | None:
    """What git prints in the repository of a path; None if it fails or is not installed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"  # reading a repository changes nothing in it
    command = (*_GIT, "-C", nearest_directory(path), *arguments)
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=_DEADLINE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None


def ignored(directory: str) -> frozenset[str]:
    """The files and directories in a directory that git ignores, as relative paths; of a directory only itself."""
    listed = output(
        os.path.join(directory, "."), "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"
    )
    return frozenset(path.rstrip("/") for path in (listed or "").split("\0") if path)


def is_ignored(path: str) -> bool:
    """Whether git ignores a path, which need not exist. Outside a repository git is not started."""
    directory = Path(os.path.realpath(nearest_directory(path)))
    in_repository = any(os.path.lexists(above / ".git") for above in (directory, *directory.parents))
    return in_repository and output(path, "check-ignore", "-q", path) is not None


def is_tracked(path: str) -> bool:
    """Whether git tracks a file."""
    return output(path, "ls-files", "--error-unmatch", path) is not None


def nearest_directory(path: str) -> str:
    """The nearest directory above a path that exists."""
    while not os.path.isdir(path := os.path.dirname(path)):
        continue
    return path
