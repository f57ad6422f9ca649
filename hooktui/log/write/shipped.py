"""What of a log has been shipped, as the shipper (`hooktui ship`) noted beside the log."""

from __future__ import annotations

from hooktui.core import fast_json, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def lock_path(db: str) -> str:
    """The path of the file that the shipper of a log locks."""
    return db + ".shipper"


def read(db: str) -> dict[str, Any]:
    """The shipper's state; empty if nothing was shipped, or the file is damaged. Raises OSError."""
    try:
        with open(paths.ship_state(db), "rb") as file:
            values = fast_json.loads(file.read())
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
