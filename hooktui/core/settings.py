"""What the user's configuration can say, as data that the compiled index carries to the fast path."""

from __future__ import annotations

import os

from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal


def host_names() -> tuple[str, ...]:
    """The hosts that hooktui knows: the modules of `hooktui/hosts`, by name."""
    directory = os.path.join(os.path.dirname(os.path.dirname(__file__)), "hosts")
    return tuple(sorted(name[:-3] for name in os.listdir(directory) if name.endswith(".py") and not name.startswith("_")))


class Settings(Record):
    """Defaults are those of formats.md and contract.md.

    `formats`: whose hooks `run` runs when not told. `gate_limit`: 0 is no limit. `redact`: regexes of the user's own secrets.
    `keep_days`, `keep_mb`: how old an event in the log may become, and how large the log, in millions of bytes; 0 is no limit.
    `prompt`: where prompt hooks ask a model: base_url, model (the default), models (by the tier that hooks name), key_env (the
    environment variable that holds the key). `enable`: ids or names of hooks that their own file leaves
    off and the user wants on. `keys`: of the app, by the names of its actions.
    """

    formats: tuple[str, ...] = ("agenthooks",)
    on_hook_failure: Literal["allow", "deny"] = "allow"
    on_error: Literal["allow", "deny"] = "allow"
    gate_limit: int = 3
    log_path: str | None = None
    redact: tuple[str, ...] = ()
    keep_days: int = 0
    keep_mb: int = 0
    prompt: Mapping[str, Any] | None = None
    enable: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = {}
