"""The hooks that the administrator requires, compared with those that a project has (docs/managed.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hooktui.catalog.hook_states import needs_approval
from hooktui.core.model import HookDirectory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook


class RequiredState(NamedTuple):
    """A required hook: the versions that satisfy it (none means any), the version that was found, and why it is not ok."""

    name: str
    versions: tuple[str, ...]
    state: Literal["ok", "missing", "differs", "cannot-run"]
    why: str = ""
    found: str = ""

    @property
    def word(self) -> str:
        """The state as a label: `guard missing`."""
        return f"{self.name} {self.state.replace('-', ' ')}"

    @property
    def sentence(self) -> str:
        """What is wrong, "" if nothing is."""
        if self.state == "ok":
            return ""
        verb = {"missing": "is missing", "differs": "differs from the required version", "cannot-run": "cannot run"}[self.state]
        return f"required hook {self.name} {verb}{f': {self.why}' if self.why else ''}"

    def as_json(self) -> dict[str, Any]:
        """An element of `required` in `status --json` and `doctor --json`."""
        return self._asdict()


def states(catalog: Catalog) -> tuple[RequiredState, ...]:
    """The state of each required hook, by name; several versions of a name are alternatives."""
    names = dict.fromkeys(hook.name for hook in catalog.required)
    return tuple(_state(catalog, name, [hook.version for hook in catalog.required if hook.name == name]) for name in names)


def unmet(catalog: Catalog) -> list[RequiredState]:
    """The required hooks that are missing, differ or cannot run."""
    return [state for state in states(catalog) if state.state != "ok"]


def _state(catalog: Catalog, name: str, versions: Sequence[str]) -> RequiredState:
    wanted = () if "" in versions else tuple(dict.fromkeys(versions))
    hooks = [hook for hook in catalog.own_hooks if name in (hook.name, hook.label)]
    if not hooks:
        return RequiredState(name, wanted, "missing")
    able = [hook for hook in hooks if not _why_not(catalog, hook)]
    right = next((hook for hook in able if not wanted or hook.content in wanted), None)
    if right:
        return RequiredState(name, wanted, "ok", found=right.content)
    if not able:
        return RequiredState(name, wanted, "cannot-run", _why_not(catalog, hooks[0]), hooks[0].content)
    return RequiredState(name, wanted, "differs", f"{able[0].file} has {able[0].content or 'an unknown one'}", able[0].content)


def _why_not(catalog: Catalog, hook: Hook) -> str:
    """Why a hook does not run in any agent program, "" if it does."""
    if not hook.enabled:
        return hook.why_disabled or "it is off"
    if hook.obstacle is not None and not hook.obstacle.host_runs:
        return hook.obstacle.why
    if catalog.overridden_by(hook) is not None:
        return "a hook of the project replaces it"
    if needs_approval(catalog, hook):
        return "it is not approved"
    if not isinstance(hook.source, HookDirectory) or catalog.relevant.has_own_agents or catalog.relevant.calls_for(hook):
        return ""
    is_connected = bool(catalog.relevant.connected)
    return f"no agent program calls hooktui for {hook.event}" if is_connected else "no agent program is connected"
