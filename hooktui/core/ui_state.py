"""What the screens remember from one day to the next: small JSON values by name, in the user's state.

Nothing depends on it: what cannot be read is forgotten, and what cannot be written is not remembered.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from hooktui.core import paths

if TYPE_CHECKING:
    from typing import Any


def recall(name: str) -> Any:
    """What was kept under a name; None when there is nothing."""
    return _all().get(name)


def keep(name: str, value: Any) -> None:
    """Keep a JSON value under a name; None forgets it."""
    from hooktui.security import documents  # not before the first paint, which recalls the theme

    values = {key: held for key, held in {**_all(), name: value}.items() if held is not None}
    try:
        os.makedirs(paths.state_dir(), mode=0o700, exist_ok=True)
        documents.put(_path(), json.dumps(values).encode(), mode=0o600)
    except OSError:
        return


def _all() -> dict[str, Any]:
    try:
        with open(_path(), encoding="utf-8") as file:
            values = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _path() -> str:
    return os.path.join(paths.state_dir(), "screens.json")
