"""What of a log has been shipped, as the shipper (`hooktui ship`) noted beside the log; its start and its lock."""

from __future__ import annotations

import os
import sys
from typing import Any

from hooktui import config
from hooktui.core import background, fast_json, paths
from hooktui.runner import upkeep
from hooktui.runner.journal import spool

PAUSE_S = 30.0  # between two starts of a shipper
_PATIENCE_S = 0.05  # for the lock, which those who ask whether a shipper runs hold for a moment
_configured: dict[object, bool] = {}  # whether the configuration ships, by the stamps of its files


def lock_path(db: str) -> str:
    """The path of the file that the shipper of a log locks, and writes its process ID to."""
    return db + ".shipper"


def request_path(db: str) -> str:
    """The path of the file with the sequence that `requested` returns."""
    return db + ".ship-from"


def requested(db: str) -> int:
    """The sequence from which the shipper is asked to send again (`ship --from`), 0 for none."""
    try:
        with open(request_path(db), "rb") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


def lock(db: str) -> spool.Lock:
    """The lock of the process that ships a log; not `held` if another one does. Raises OSError."""
    return spool.Lock(lock_path(db), _PATIENCE_S)


def read(db: str) -> dict[str, Any]:
    """The shipper's state; empty if nothing was shipped, or the file is damaged. Raises OSError."""
    try:
        with open(paths.ship_state(db), "rb") as file:
            return fast_json.parse_object(file.read())
    except FileNotFoundError:
        return {}


def start_shipper(db: str, pause_s: float = PAUSE_S) -> bool:
    """Start a process that ships the log unless one runs or was started within a pause; whether the configuration wants one."""
    stamps = (paths.stamp(paths.config_file()), paths.stamp(paths.managed_file()))
    if stamps not in _configured:
        _configured.clear()
        _configured[stamps] = config.load_or_defaults()[0].ships
    if _configured[stamps] and not is_running(db) and upkeep.is_due(lock_path(db), pause_s):
        background.start(sys.executable, "-I", "-m", "hooktui", "ship", "--auto", "--db", db)
    return _configured[stamps]


def is_running(db: str) -> bool:
    """Whether a process ships the log."""
    if not os.path.exists(lock_path(db)):
        return False
    try:
        with spool.Lock(lock_path(db), 0.0) as own:
            return not own.held
    except OSError:
        return False
