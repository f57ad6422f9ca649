"""Strict mypy, as users of the installed package run it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# Equal options for every caller, so that the standard library and the package are checked once.
_CACHE = Path(__file__).parents[3] / ".mypy_cache/stack"


def strict_mypy(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Check files in a directory."""
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={_CACHE}", *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False, timeout=300)
