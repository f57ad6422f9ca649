"""Settings that the screens remember between sessions: small JSON values by name, in the user's state directory.

Nothing depends on them: an unreadable file counts as empty, and a failed write is ignored.
"""

from __future__ import annotations

import json
import os
from typing import Any

from hooktui.core import fast_json, paths


def recall(name: str) -> Any:
    """The value stored under a name; None without one."""
    return fast_json.read_object(_path()).get(name)


def keep(name: str, value: Any) -> None:
    """Store a JSON value under a name; None removes it."""
    from hooktui.core import atomic_write  # not needed before the first paint, which recalls the theme

    values = {key: stored for key, stored in {**fast_json.read_object(_path()), name: value}.items() if stored is not None}
    try:
        paths.make_directories(paths.state_dir())
        atomic_write.write(_path(), json.dumps(values).encode(), mode=0o600)
    except OSError:
        return


def _path() -> str:
    return os.path.join(paths.state_dir(), "screens.json")
