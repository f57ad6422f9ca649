"""The user's settings, as records that the compiled plan carries to the fast path."""

from __future__ import annotations

import os

from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from hooktui.core.model import Mismatches, Run, Trust


def host_names() -> tuple[str, ...]:
    """The hosts that hooktui knows: the modules of `hooktui/hosts` but for their base, by name."""
    directory = os.path.join(os.path.dirname(os.path.dirname(__file__)), "hosts")
    modules = {name[:-3] for name in os.listdir(directory) if name.endswith(".py") and not name.startswith("_")}
    return tuple(sorted(modules - {"base"}))


class ModelEndpoint(Record):
    """An OpenAI-compatible endpoint.

    `model` is the default, `models` the model for each tier that hooks name. `key_env` is the environment variable that holds
    the API key.
    """

    base_url: str
    model: str
    key_env: str | None = None
    models: Mapping[str, str] = {}


class Settings(Record):
    """The user's settings, with the defaults of formats.md and contract.md.

    `formats`: the formats that `run` uses without `--format`. `env_keep`: variables that project hooks get although they look
    like secrets, by name or `PREFIX*`. `require_covered`: a project hook whose approval does not cover all that it loads does
    not run. `allow_override`: an approved project hook replaces the user's of the same name. `gate_limit`: 0 means no limit.
    `warm`: an event starts the warm runner. `redact`: regexes of the user's own secrets. `keep_days`, `keep_mb`: limits for the
    age of logged events and for the size of the log in millions of bytes; 0 means no limit. `prompt`: the model that answers
    prompt hooks. `enable`: IDs or names of hooks that their file disables and the user enables. `keys`: the app's keys, by
    action. `history_*`: which transcripts of agents are read; no hosts means all. `ships`: events are shipped to a fleet
    without being asked for.
    """

    formats: tuple[str, ...] = ("agenthooks",)
    env_keep: tuple[str, ...] = ()
    require_covered: bool = False
    allow_override: bool = True
    on_hook_failure: Literal["allow", "deny"] = "allow"
    on_error: Literal["allow", "deny"] = "deny"
    gate_limit: int = 3
    warm: bool = False
    log_path: str | None = None
    redact: tuple[str, ...] = ()
    keep_days: int = 0
    keep_mb: int = 0
    prompt: ModelEndpoint | None = None
    enable: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = {}
    history_enabled: bool = True
    history_hosts: tuple[str, ...] = ()
    history_since: str = "30d"
    history_exclude: tuple[str, ...] = ()
    ships: bool = False

    @property
    def prunes(self) -> bool:
        return bool(self.keep_days or self.keep_mb)


class Verified(Record):
    """How an approved hook of a project runs: `argv`, from the files in its `copy` ("": in place).

    `in_root`: in the project's root, whatever the host's choice. `facts` are what was loaded of the hook. `gaps` name what its
    approval does not cover. `stamps` are those of everything that was hashed; None: hash it again before each run. `fault` says
    why it cannot run.
    """

    facts: tuple[Any, ...]
    digest: str
    argv: tuple[str, ...]
    copy: str
    gaps: tuple[str, ...]
    in_root: bool = False
    stamps: tuple[Any, ...] | None = None
    fault: str = ""


class DispatchContext(Record):
    """What a dispatch needs besides its event and hooks.

    `trust` and `denials_in_a_row` are asked only when an answer depends on them: they read files. `verified` gives
    how an approved project's hook runs, by its ID, None for any other hook.
    `on_async_start` and `on_async_end(run, dispatch id, position)` are called in the supervisor's process before and after an
    async hook; `meanwhile` while a hook works. `model_endpoint`: the model that answers prompt hooks. `started_in`: where the
    agent was started, if not at the project's root. `mismatches` are not among the hooks.
    """

    project: str
    env: Mapping[str, str]
    trust: Callable[[str], Trust]
    denials_in_a_row: Callable[[], int]
    on_async_end: Callable[[Run, int, int], None]
    on_async_start: Callable[[Run, int, int], None] = lambda *_: None
    verified: Callable[[str], Verified | None] = lambda _: None
    require_covered: bool = False
    env_keep: tuple[str, ...] = ()
    meanwhile: Callable[[], None] = lambda: None
    gate_limit: int = 3
    on_hook_failure: Literal["allow", "deny"] = "allow"
    on_error: Literal["allow", "deny"] = "deny"
    model_endpoint: ModelEndpoint | None = None
    dry_run: bool = False
    synthetic: bool = False
    started_in: str = ""
    mismatches: Mismatches | None = None
