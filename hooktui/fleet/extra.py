"""The libraries of the extra `fleet`, which hooktui works without."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata, util


class MissingExtraError(Exception):
    """The libraries are not installed; the message has the command that installs them."""


@contextmanager
def needed() -> Iterator[None]:
    """Raise MissingExtraError in place of an ImportError of the block."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(f"the libraries of the extra `fleet` are missing; install them: {_command()}") from error


def _command() -> str:
    """The command that adds the libraries to the environment that hooktui runs in."""
    wanted = [line for line in metadata.requires("hooktui") or () if line.replace('"', "'").endswith("extra == 'fleet'")]
    packages = shlex.join(line.partition(";")[0].strip() for line in wanted)
    if util.find_spec("pip"):
        return f"{shlex.quote(sys.executable)} -m pip install {packages}"
    return f"uv pip install --python {shlex.quote(sys.executable)} {packages}"
