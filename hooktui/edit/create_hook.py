"""Plan a new hook and its script, for `hooktui new` and the app."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hooktui import formats, hosts
from hooktui.core import atomic_write, paths
from hooktui.core.model import AzureEntry, HookDirectory, HookSource, JsonEntry
from hooktui.edit import command_translation, script_templates
from hooktui.edit.change_plan import ChangePlan
from hooktui.edit.document import Document
from hooktui.edit.drafts import HookDraft
from hooktui.edit.entry_writers import add_document, add_entry
from hooktui.edit.file_entries import read_back
from hooktui.edit.file_steps import ChangeRefusedError, FileTree, TreeFile, Write, text, tree, write
from hooktui.edit.gallery import rule_script
from hooktui.formats.agenthooks.hook_file import HOOK_FILE
from hooktui.formats.azure.azure_entry import DEFAULT_TIMEOUT_S

_EXECUTABLE = 0o755
_TIMEOUT_S = 30


class EditPosition(NamedTuple):
    """The part of a new hook's script to edit first: a range of a line, 1-based, the end exclusive."""

    file: str
    line: int
    column: int
    end_column: int


def plan(draft: HookDraft, *, own: bool) -> ChangePlan:
    """Plan a hook. `own`: a person asked for it interactively, so it is approved.

    Raises ChangeRefusedError with a message for the person.
    """
    for fault in draft.faults.values():
        raise ChangeRefusedError(fault)
    _require_new(draft)
    try:
        steps = _WRITERS[type(formats.detached_source(draft.place.format))](draft)
        result = read_back(steps[-1], draft.listener, draft.place.agent)
        for step in steps:
            step.check()  # now, while the person can still choose another place
    except OSError as error:
        raise ChangeRefusedError(atomic_write.error_message(error)) from error
    except ValueError as error:
        raise ChangeRefusedError(f"{paths.short(draft.target.file)}: {error}.") from error
    return ChangePlan(f"Create {draft.name}", result, steps, result=result, own=own)


def refusal(draft: HookDraft) -> str:
    """Say why a hook cannot be created, as a sentence; empty if it can."""
    try:
        plan(draft, own=True)
    except ChangeRefusedError as error:
        return str(error)
    return ""


def edit_position(created: ChangePlan) -> EditPosition:
    """Find the part of a new hook's script to edit first."""
    first = created.steps[0]
    if isinstance(first, FileTree):
        script = first.files[-1]
        return EditPosition(os.path.join(first.path, script.name), *script_templates.part_to_edit(script.content.decode()))
    assert isinstance(first, Write)
    begins = created.hook.line if first.path == created.hook.file else 1
    return EditPosition(first.path, *script_templates.part_to_edit((first.after or b"").decode(), begins))


def script_path(draft: HookDraft) -> str:
    """Return the path of a JSON hook's script."""
    return os.path.join(draft.target.scripts, f"{draft.name}.{draft.syntax}")


def script(draft: HookDraft) -> str:
    """Return the text of the script."""
    return rule_script.script(draft, draft.rule) if draft.rule else script_templates.script(draft)


def _directory(draft: HookDraft) -> tuple[FileTree]:
    hook_md = rule_script.hook_md(draft, draft.rule) if draft.rule else script_templates.hook_md(draft)
    run = TreeFile(os.path.join("scripts", f"run.{draft.syntax}"), script(draft).encode(), _EXECUTABLE)
    return (tree(os.path.dirname(draft.target.file), (TreeFile(HOOK_FILE, hook_md.encode()), run)),)


def _entry(draft: HookDraft) -> tuple[Write, Write]:
    """Write the script before the entry that runs it."""
    target, path, spec = draft.target, script_path(draft), hosts.spec(draft.place.format)
    written = text(target.file) or ""
    command_key = _known(written, "bash", "command") if "bash" in spec.connect_entry("", "") else "command"
    timeout_key = _known(written, *spec.entry.timeout_keys)
    timeout = _timeout_s(draft, _TIMEOUT_S) * 1000 // spec.entry.unit_ms
    command = {command_key: command_translation.shell_path(path, target), timeout_key: timeout}
    entry = add_entry(target, draft.written, draft.matcher, {"type": "command", **command})
    return write(path, script(draft), mode=_EXECUTABLE), entry


def _timeout_s(draft: HookDraft, default: int) -> int:
    return draft.rule.timeout_s if draft.rule else default


def _known(written: str, *keys: str) -> str:
    """Return the first key that a file already uses, else the first of all, which the host's documentation uses."""
    return next((key for key in keys if f'"{key}":' in written), keys[0])


def _document(draft: HookDraft) -> tuple[Write]:
    """Write a global hook as a document, or an entry of a custom agent, with the script inside."""
    matcher = {} if draft.matcher is None else {"matcher": draft.matcher}
    timeout_s = _timeout_s(draft, DEFAULT_TIMEOUT_S)
    entry = {"type": "command", "script": script(draft), **matcher, "timeout": timeout_s}
    step = _of_agent(draft, entry) if draft.place.agent else add_document(draft.target, draft.name, draft.written, entry)
    return (step,)


def _of_agent(draft: HookDraft, entry: Mapping[str, Any]) -> Write:
    file, path = draft.target.file, (draft.place.document, "spec", "hooks", draft.written)
    return write(file, Document(text(file) or "", draft.target.format, file).insert(path, entry).text)


def _require_new(draft: HookDraft) -> None:
    """Raise ChangeRefusedError if a file or directory of the hook's name exists."""
    target = draft.target
    own = [os.path.dirname(target.file) if target.is_directory else target.file] if draft.place.is_named else []
    scripts = [script_path(draft)] if hosts.json_spec(target.format) else []
    for path in (*own, *scripts):
        if os.path.lexists(path):
            raise ChangeRefusedError(f"{paths.short(path)} already exists: choose another name or edit it.")


_WRITERS: Mapping[type[HookSource], Callable[[HookDraft], tuple[Write | FileTree, ...]]] = {
    HookDirectory: _directory,
    JsonEntry: _entry,
    AzureEntry: _document,
}
