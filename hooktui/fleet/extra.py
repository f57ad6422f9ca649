"""The libraries of the extra `fleet`, which hooktui works without."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from importlib import metadata, util

NEEDED_BY_SHIPPER = ("opentelemetry.exporter.otlp.proto.common", "opentelemetry.sdk", "requests")


class MissingExtraError(Exception):
    """The libraries are not installed; the message has the command that installs them."""


def require(modules: Sequence[str]) -> None:
    """Raise MissingExtraError unless all of these modules can be imported."""
    if not all(map(_is_installed, modules)):
        raise MissingExtraError(f"the libraries of the extra `fleet` are missing; install them: {_command()}")


def _is_installed(module: str) -> bool:
    try:
        return util.find_spec(module) is not None
    except ModuleNotFoundError:  # of a package above it
        return False


def _command() -> str:
    """The command that adds the libraries to the environment that hooktui runs in."""
    packages = shlex.join(_requirements())
    if util.find_spec("pip"):
        return f"{shlex.quote(sys.executable)} -m pip install {packages}"
    return f"uv pip install --python {shlex.quote(sys.executable)} {packages}"


def _requirements() -> list[str]:
    wanted = metadata.requires("hooktui") or []
    return [line.partition(";")[0].strip() for line in wanted if line.replace('"', "'").endswith("extra == 'fleet'")]
