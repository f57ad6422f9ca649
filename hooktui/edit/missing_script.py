"""The script that a hook starts and that is not there: the template of its event, which decides nothing as it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui.core.model import HookDirectory
from hooktui.edit import script_templates
from hooktui.edit.drafts import HookDraft
from hooktui.edit.new_hook_places import NewHookPlace
from hooktui.formats.agenthooks import entry_script
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from hooktui.core.model import Hook


def named(hook: Hook) -> tuple[str, ...]:
    """The paths of the scripts that a hook starts, there or not."""
    if isinstance(hook.source, HookDirectory):
        return entry_script.candidates(hook.root)
    return tuple(script.path for script in json_command.scripts(hook))


def script(hook: Hook, path: str) -> str:
    """The text of the script at a path, in the language that its suffix names."""
    stem, suffix = os.path.splitext(os.path.basename(path))
    place = NewHookPlace(hook.format, hook.scope, hook.root, hook.file, hook.agent or "")
    name = hook.name if isinstance(hook.source, HookDirectory) else stem
    return script_templates.script(HookDraft(place, name, hook.event_as_written, language="py" if suffix == ".py" else "sh"))
