"""Which other hooks stop working when a hook's directory goes: those of any format and scope that run something in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    """A hook that runs a script of another one's directory. `script` is the script's absolute path."""

    hook: Hook
    script: str

    @property
    def told(self) -> str:
        """Who it is, where it stands, what it runs, and what comes of it without that, for a person."""
        hook = self.hook
        closed = hook.fail_mode == "block" or (hook.format == "copilot" and hook.event == "pre-tool-call")
        comes = "denies everything" if closed else "lets everything through"
        where = f"{HOSTS[hook.format]}, {hook.scope}: {paths.short(hook.file)}"
        return f"{hook.name} ({where}) runs {os.path.basename(self.script)}, and {comes} without it"


def callers(hook: Hook, hooks: Iterable[Hook]) -> list[Caller]:
    """Those of some hooks that need a hook's directory, in their order; none where an entry of a file goes, not a directory."""
    if not isinstance(hook.source, HookDirectory) or os.path.islink(hook.root):
        return []
    inside = os.path.join(os.path.realpath(hook.root), "")
    return [
        Caller(other, script)
        for other in hooks
        if other.id != hook.id
        for script in [next((path for path in _run_by(other) if os.path.realpath(path).startswith(inside)), None)]
        if script is not None
    ]


def left_alone(plan: ChangePlan, hooks: Iterable[Hook]) -> list[Caller]:
    """Those of some hooks that need the directory which a plan moves elsewhere."""
    moves = any(isinstance(step, Move) and step.source == plan.hook.root for step in plan.steps)
    return callers(plan.hook, hooks) if moves else []


def left_behind(hook: Hook) -> tuple[str, ...]:
    """The scripts of an entry, which stay when it goes, as seen from the project."""
    return hook.covers if not isinstance(hook.source, HookDirectory) else ()


def _run_by(hook: Hook) -> Iterator[str]:
    if isinstance(hook.source, HookDirectory):
        yield from hook.argv[-1:]
        return
    for script in json_command.named([hook]):
        yield script
        yield from (one.path for one in json_command.scripts(hook, _text(script)))


def _text(script: str) -> str:
    """A script of a hook, which may do no more than call another one; nothing where it cannot be read."""
    try:
        return files.read_text(script, _LIMIT)
    except files.Unreadable:
        return ""
