"""Find the hooks of any format and scope that run a script in another hook's directory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.edit.file_steps import Move
from hooktui.edit.locate_entry import HOSTS
from hooktui.formats import files
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.core.model import Hook
    from hooktui.edit.change_plan import ChangePlan

_LIMIT = 64 * files.KIB


@dataclass(frozen=True, slots=True)
class Caller:
    """A hook that runs a script in another hook's directory. `script` is an absolute path."""

    hook: Hook
    script: str

    @property
    def consequence(self) -> str:
        """Which hook runs which script, and what it does if the script is missing."""
        hook = self.hook
        closed = hook.fail_mode == "block" or hosts.spec(hook.format).fails_closed(hook.event)
        effect = "denies everything" if closed else "allows everything"
        where = f"{HOSTS[hook.format]}, {hook.scope}: {paths.short(hook.file)}"
        return f"{hook.name} ({where}) runs {os.path.basename(self.script)}, and {effect} without it"


def callers(hook: Hook, hooks: Iterable[Hook]) -> list[Caller]:
    """Return the hooks that run a script in a hook's directory, in their order; none for an entry of a file."""
    if not isinstance(hook.source, HookDirectory) or os.path.islink(hook.root):
        return []
    inside = os.path.join(os.path.realpath(hook.root), "")
    return [
        Caller(other, script)
        for other in hooks
        if other.id != hook.id
        for script in [next((path for path in _scripts_of(other) if os.path.realpath(path).startswith(inside)), None)]
        if script is not None
    ]


def broken_by_move(plan: ChangePlan, hooks: Iterable[Hook]) -> list[Caller]:
    """Return the hooks that need the directory that a plan moves."""
    moves = any(isinstance(step, Move) and step.source == plan.hook.root for step in plan.steps)
    return callers(plan.hook, hooks) if moves else []


def remaining_scripts(hook: Hook) -> tuple[str, ...]:
    """Return the scripts that stay when an entry is deleted, relative to the project."""
    return hook.covers if not isinstance(hook.source, HookDirectory) else ()


def _scripts_of(hook: Hook) -> Iterator[str]:
    if isinstance(hook.source, HookDirectory):
        yield from hook.argv[-1:]
        return
    for script in json_command.named([hook]):
        yield script
        yield from (called.path for called in json_command.scripts(hook, _text(script)))


def _text(script: str) -> str:
    """Read a script, which may only call another one; empty if it cannot be read."""
    try:
        return files.read_text(script, _LIMIT)
    except files.Unreadable:
        return ""
