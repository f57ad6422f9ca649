"""Transcripts that an agent has compressed with Zstandard: read by Python 3.14's own module, else by the program `zstd`."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from typing import Any

from hooktui.transcripts.transcript_files import LONGEST_LINE, Portion

SUFFIX = ".zst"
_LARGEST = 64 << 20  # bytes of a transcript
_MISSING = "compressed with Zstandard: reading it takes Python 3.14 or the program zstd"


def portion(path: str) -> Portion:
    """All lines of a transcript, which does not grow any more. Raises OSError with a reason."""
    content = _decompressed(path)
    *lines, rest = content.split(b"\n")
    short = [line for line in lines if len(line) <= LONGEST_LINE]
    return Portion(short, 0, too_long=len(lines) - len(short), cut=int(bool(rest)))


def _decompressed(path: str) -> bytes:
    try:
        zstd: Any = importlib.import_module("compression.zstd")
    except ImportError:
        return _by_program(path)
    try:
        with zstd.open(path) as stream:
            content: bytes = stream.read(_LARGEST)
            return content
    except (zstd.ZstdError, EOFError) as error:
        raise OSError(str(error)) from error


def _by_program(path: str) -> bytes:
    program = shutil.which("zstd")
    if program is None:
        raise OSError(_MISSING)
    command = [program, "-dcq", "--", path]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with process:
        assert process.stdout is not None
        content = process.stdout.read(_LARGEST)
        process.kill()  # of a larger one, the rest is left out
    if not content:
        raise OSError("zstd cannot read it")
    return content
