"""What of a log has been shipped, as the shipper (`hooktui ship`) noted beside the log; and the start of a shipper."""

from __future__ import annotations

import sys
from typing import Any

from hooktui import config
from hooktui.core import background, fast_json, paths
from hooktui.runner import upkeep

_SHIPPER_S = 30  # between two starts
_configured: dict[object, bool] = {}  # whether the configuration ships, by the stamps of its files


def lock_path(db: str) -> str:
    """The path of the file that the shipper of a log locks."""
    return db + ".shipper"


def read(db: str) -> dict[str, Any]:
    """The shipper's state; empty if nothing was shipped, or the file is damaged. Raises OSError."""
    try:
        with open(paths.ship_state(db), "rb") as file:
            return fast_json.parse_object(file.read())
    except FileNotFoundError:
        return {}


def start_shipper(db: str) -> None:
    """Start a process that ships the log, if the configuration wants that, unless one runs or was started seconds ago."""
    stamps = (paths.stamp(paths.config_file()), paths.stamp(paths.managed_file()))
    if stamps not in _configured:
        _configured.clear()
        _configured[stamps] = config.load_or_defaults()[0].ships
    if _configured[stamps] and upkeep.is_due(lock_path(db), _SHIPPER_S):
        background.start(sys.executable, "-I", "-m", "hooktui", "ship", "--auto", "--db", db)
