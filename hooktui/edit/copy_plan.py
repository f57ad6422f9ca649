"""Copying a hook to another scope, moving it there, converting it to another format: with what becomes of each field."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.edit import conversion_losses, outlook, script_callers
from hooktui.edit.change_plan import ChangePlan, ConvertedField
from hooktui.edit.entry_writers import written
from hooktui.edit.file_steps import CannotChange, FileTree, Move, Write, read_tree, tree
from hooktui.edit.locate_entry import HOSTS, read, require_not_connection
from hooktui.edit.remove_entry import taken_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Hook
    from hooktui.edit.copy_targets import Target


def copy(hook: Hook, target: Target) -> ChangePlan:
    """The plan that writes a hook at a target too, converted if that has another format. Raises CannotChange."""
    require_not_connection(hook)
    try:
        steps = (_tree(hook, target),) if hook.format == target.format == "agenthooks" else written(hook, target)
        for step in steps:
            step.check()
        result = _read_back(steps[-1], hook, target)
    except (ValueError, OSError) as error:
        raise CannotChange(f"{paths.short(target.file)}: {error}.") from error
    _require_no_circle(hook, result, target)
    fields = [*conversion_losses.converted_fields(hook, result, steps), *_left_out(result, target)]
    verb = "Copy" if hook.format == target.format else "Convert"
    return ChangePlan(f"{verb} {hook.name} to {target.title}", hook, steps, tuple(fields), result)


def move(hook: Hook, target: Target) -> ChangePlan:
    """The plan that has a hook stand at a target of its own format instead. Raises CannotChange."""
    if hook.format != target.format:
        raise CannotChange(f"Only a copy can be converted: {hook.name} stays what it is for {HOSTS[hook.format]}.")
    plan = copy(hook, target)
    assert plan.result is not None
    title = f"Move {hook.name} to {target.title}"
    if isinstance(hook.source, HookDirectory):
        return ChangePlan(title, hook, (Move(hook.root, os.path.dirname(target.file)),), plan.fields, plan.result)
    return ChangePlan(title, hook, (*plan.steps, taken_out(hook)), plan.fields, plan.result)


def _require_no_circle(hook: Hook, result: Hook, target: Target) -> None:
    """A script that is written where the hook's own one calls another, which is gone, would call itself without end."""
    there = result.replace(root=os.path.dirname(target.file))
    if needed := script_callers.callers(there, [] if isinstance(hook.source, HookDirectory) else [hook]):
        script = paths.short(needed[0].script)
        raise CannotChange(f"{hook.name} runs {script}, where the copy would stand: bring that back first.")


def _left_out(result: Hook, target: Target) -> Iterator[ConvertedField]:
    """What is lost with the whole hook, where its new host does not run it."""
    if why := outlook.hindrance(result, target.project):
        yield ConvertedField("the hook", "lost", f"{why}: fix that first")


def _tree(hook: Hook, target: Target) -> FileTree:
    return tree(os.path.dirname(target.file), read_tree(hook.root))


def _read_back(step: Write | FileTree, hook: Hook, target: Target) -> Hook:
    """The hook as the target's format reads it: what a plan says is what it will be."""
    name = os.path.basename(hook.file) if hook.format == target.format == "agenthooks" else os.path.basename(target.file)
    file = os.path.join(os.path.dirname(target.file), name)
    content = step.after if isinstance(step, Write) else next(one.content for one in step.files if one.name == name)
    like = hook.replace(format=target.format, scope=target.scope, file=file)
    found = [one for one in read((content or b"").decode().removeprefix("\ufeff"), like) if one.event == hook.event]
    if not found:
        raise CannotChange(f"{paths.short(file)} would not hold the hook: its host reads it in another way.")
    return found[-1]
