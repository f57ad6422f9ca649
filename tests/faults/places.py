"""Places that not even root can write: mounted file systems if we may mount, permissions if we are not root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(directory: Path, kib: int) -> Iterator[Callable[[int], None]]:
    """A file system of so many KiB, and a function that resizes it.

    Skips the test if we may not mount; tests with a limit on file sizes cover those machines.
    """
    directory.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(directory))
    try:
        yield lambda kib: _mount("-o", f"remount,size={kib}k", str(directory))
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Nothing writes to this file or below this directory."""
    if os.geteuid():
        mode = path.stat().st_mode
        path.chmod(0o500 if path.is_dir() else 0o400)
        try:
            yield
        finally:
            path.chmod(mode)
        return
    _mount("--bind", str(path), str(path))
    try:
        _mount("-o", "remount,bind,ro", str(path))
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def _mount(*arguments: str) -> None:
    try:
        subprocess.run(["mount", *arguments], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the right to mount")
