"""Plan a hook's copy in another scope or format, or its move to another scope, and compare each field."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from hooktui import formats, hosts
from hooktui.core import events, paths
from hooktui.core.model import AzureEntry, Hook, HookDirectory, JsonEntry
from hooktui.edit import command_translation, copy_targets, matcher_translation
from hooktui.edit.change_plan import ChangePlan, ConvertedField
from hooktui.edit.copy_targets import Target
from hooktui.edit.entry_writers import write_hook
from hooktui.edit.file_entries import HOSTS, read_back, remove_entry, require_editable
from hooktui.edit.file_steps import ChangeRefusedError, FileTree, Move, Step, Write, written_files
from hooktui.formats.json_hooks import json_command

_DEFAULT_PRIORITY = 100
_DEFAULT_REJECTIONS = 3


def copy(hook: Hook, target: Target) -> ChangePlan:
    """Plan a copy of a hook at a target, converted to its format. Raises ChangeRefusedError."""
    require_editable(hook)
    try:
        steps = write_hook(hook, target)
        for step in steps:
            step.check()
        result = read_back(steps[-1], _at(target, hook))
    except (ValueError, OSError) as error:
        raise ChangeRefusedError(f"{paths.short(target.file)}: {error}.") from error
    _require_no_circle(hook, result, target)
    fields = [*converted_fields(hook, result, steps)]
    if why := copy_targets.why_not_run(result, target.project):
        fields.append(ConvertedField("the hook", "lost", f"{why}: fix that first"))
    verb = "Copy" if hook.format == target.format else "Convert"
    return ChangePlan(f"{verb} {hook.label} to {target.title}", hook, steps, tuple(fields), result)


def move(hook: Hook, target: Target) -> ChangePlan:
    """Plan a hook's move to a target of its own format. Raises ChangeRefusedError."""
    if hook.format != target.format:
        raise ChangeRefusedError(f"Only a copy can be converted: {hook.label} itself stays a {HOSTS[hook.format]} hook.")
    plan = copy(hook, target)
    assert plan.result is not None
    title = f"Move {hook.label} to {target.title}"
    if isinstance(hook.source, HookDirectory):
        return ChangePlan(title, hook, (Move(hook.root, os.path.dirname(target.file)),), plan.fields, plan.result)
    return ChangePlan(title, hook, (*plan.steps, remove_entry(hook)), plan.fields, plan.result)


def _require_no_circle(hook: Hook, result: Hook, target: Target) -> None:
    """Raise ChangeRefusedError if the copy's script would replace a missing script that the hook calls, and call itself."""
    copied = result.replace(root=os.path.dirname(target.file))
    if needed := copy_targets.callers(copied, [] if isinstance(hook.source, HookDirectory) else [hook]):
        script = paths.short(needed[0].script)
        raise ChangeRefusedError(f"{hook.label} runs {script}, which the copy would replace: restore that script first.")


def _at(target: Target, hook: Hook) -> Hook:
    """Return the hook with the format and file of its copy; a copied directory may have a HOOK.md.off."""
    file = target.file
    if isinstance(hook.source, HookDirectory) and target.is_directory:
        file = os.path.join(os.path.dirname(file), os.path.basename(hook.file))
    return hook.replace(format=target.format, scope=target.scope, file=file, source=formats.detached_source(target.format))


class _Field(NamedTuple):
    """A field to compare. `value` returns None if the hook does not set it; `lost` is shown if the other format lacks it."""

    name: str
    value: Callable[[Hook], Any]
    lost: str = "{host} has no such field"

    def shown(self, hook: Hook) -> str:
        """Format the value for a person; a matcher as written."""
        return hook.tool or "every tool" if self.name == "tools" else _shown(self.name, self.value(hook))


def _on_failure(hook: Hook) -> str | None:
    closed = hosts.spec(hook.format).fails_closed(hook.event) and hook.type == "command"
    return "denies" if closed or hook.fail_mode == "block" else None


def _systems(hook: Hook) -> dict[str, str] | None:
    same = (None, "", hook.command)
    return {
        system: command
        for system, command in hook.commands.items()
        if system != json_command.THIS_SYSTEM and command and command not in same
    } or None


def _rejections(hook: Hook) -> int | None:
    limit = hook.source.max_rejections if isinstance(hook.source, AzureEntry) else None
    return None if limit == _DEFAULT_REJECTIONS else limit


FIELDS = (
    _Field("event", lambda hook: hook.event),
    _Field("description", lambda hook: hook.description or None),
    _Field("tools", matcher_translation.searched_regex, "{host} ignores matchers: the hook runs for every tool"),
    _Field("pattern", lambda hook: hook.pattern),
    _Field("timeout", lambda hook: hook.timeout_ms),
    _Field("async", lambda hook: hook.is_async or None, "{host} waits for the hook"),
    _Field(
        "priority",
        lambda hook: hook.priority if isinstance(hook.source, HookDirectory) and hook.priority != _DEFAULT_PRIORITY else None,
        "{host} has no priorities",
    ),
    _Field("failure", _on_failure, "if the hook fails, the agent continues"),
    _Field("directory", lambda hook: hook.cwd),
    _Field("environment", lambda hook: dict(hook.env) or None),
    _Field("other systems", _systems, "{host} has one command for every system"),
    _Field("rejections", _rejections, "{host} has a limit of its own"),
    _Field("agent", lambda hook: hook.agent, "{host} runs it for every agent"),
)


def converted_fields(source: Hook, result: Hook, steps: Sequence[Step]) -> Iterator[ConvertedField]:
    """Compare each field that the hook sets. `steps` create the result, its script first."""
    yield _program(source, result, steps)
    if result.enabled and not source.enabled:
        yield ConvertedField("state", "approximated", "off: the copy is on")
    for field in FIELDS:
        yield from _compared(field, source, result, makes_script=len(steps) > 1)
    if source.format != result.format and matcher_translation.MCP in (matcher_translation.searched_regex(source) or ""):
        yield ConvertedField("servers", "approximated", f"{HOSTS[result.format]} may name the tools of MCP servers differently")
    if source.inline_script and not command_translation.runs_at_root(result.format):
        yield ConvertedField("directory", "approximated", "the script runs in the agent's directory, not in the project root")
    yield from _own_fields(source, result)
    if source.type == "command" and source.format != result.format:
        yield from _protocol(source, result)


def _compared(field: _Field, source: Hook, result: Hook, *, makes_script: bool) -> Iterator[ConvertedField]:
    before, after = field.value(source), field.value(result)
    host = HOSTS[result.format]
    if (
        field.name == "tools"
        and source.event in events.TOOL_EVENTS
        and matcher_translation.is_lost(before, source.format, result.format)
    ):
        yield ConvertedField(field.name, "lost", f"{field.shown(source)}: matches no known tool of {host}")
    elif before == after and before is not None:
        yield ConvertedField(field.name, "kept", field.shown(result))
    elif before is not None:
        yield _changed(field, source, result, makes_script=makes_script)
    elif after is not None:
        yield ConvertedField(field.name, "approximated", f"{host}: {field.shown(result)}")


def _changed(field: _Field, source: Hook, result: Hook, *, makes_script: bool) -> ConvertedField:
    """A field with another value in the result, or none; a script made for the result sets what the command had set."""
    before = field.shown(source)
    if field.value(result) is not None:
        return ConvertedField(field.name, "approximated", f"{before} becomes {field.shown(result)}")
    shim = matcher_translation.shim_filter(source, result.format)
    if {"tools": shim.tool, "pattern": shim.pattern}.get(field.name):
        return ConvertedField(field.name, "approximated", f"{before}: the script checks it, {HOSTS[result.format]} does not")
    if field.name in ("directory", "environment") and (makes_script or not command_translation.has_fields(result.format)):
        where = "the script" if makes_script or isinstance(result.source, HookDirectory) else "the command"
        return ConvertedField(field.name, "approximated", f"{where} sets it: {before}")
    return ConvertedField(field.name, "lost", f"{before}: {field.lost.format(host=HOSTS[result.format])}")


def _program(source: Hook, result: Hook, steps: Sequence[Step]) -> ConvertedField:
    if isinstance(source.source, HookDirectory) and isinstance(result.source, HookDirectory):
        return ConvertedField("command", "kept", "its directory with every file")
    if result.scope == "user" and source.scope != "user" and (needed := _needed_scripts(source, steps)):
        return ConvertedField("command", "approximated", f"needs {', '.join(needed)}, which other projects do not have")
    if isinstance(result.source, HookDirectory):
        return ConvertedField("command", "kept", "becomes the script of a HOOK.md")
    match steps:
        case (FileTree(path=path), _, *_):
            return ConvertedField("command", "kept", f"its script is copied with the files beside it: {paths.short(path)}")
        case (Write(path=path, after=after), _, *_):
            runs = not source.inline_script and (source.command or "").encode() in (after or b"")
            becomes = "a new script runs it" if runs else "its script is copied"
            return ConvertedField("command", "kept", f"{becomes}: {paths.short(path)}")
    if isinstance(source.source, HookDirectory):
        return ConvertedField("command", "kept", "its script is copied into the hook itself")
    shown = result.command or result.prompt or result.url or ""
    return ConvertedField(source.type, "kept", shown.partition("\n")[0])


def _needed_scripts(source: Hook, steps: Sequence[Step]) -> list[str]:
    """The scripts of an entry that its copy still runs in their place."""
    text = b"\n".join(file.content for file in written_files(steps)).decode(errors="replace")
    return [name for name in source.covers if name in text and os.path.isfile(os.path.join(source.root, name))]


def _protocol(source: Hook, result: Hook) -> Iterator[ConvertedField]:
    """Compare what the formats say of stdin and answers."""
    here, there = HOSTS[source.format], HOSTS[result.format]
    if _blocks_by_exit_code(source) and not _blocks_by_exit_code(result):
        yield ConvertedField("exit code 2", "lost", f"does not block {result.event_as_written} in {there}")
    note = f"This script was written for {here}: it may not read this host's input or print its answers."
    yield ConvertedField("script", "approximated", note)


def _blocks_by_exit_code(hook: Hook) -> bool:
    if hook.is_async:
        return False
    return hosts.json_spec(hook.format) is None or hosts.spec(hook.format).denies_by_exit_2(hook.event)


def _own_fields(source: Hook, result: Hook) -> Iterator[ConvertedField]:
    before, after = ({**hook.metadata, **_host_fields(hook)} for hook in (source, result))
    compared = (hosts.spec(source.format).entry.fails_closed_by or ("",))[0]  # above, whatever its name
    for key, value in before.items():
        if key == compared:
            continue
        if key in after and after[key] == value:
            yield ConvertedField(key, "kept", _shown(key, value))
        elif key in after:
            yield ConvertedField(key, "approximated", f"{_shown(key, value)} becomes {_shown(key, after[key])}")
        else:
            yield ConvertedField(key, "lost", f"{_shown(key, value)}: {HOSTS[result.format]} has no such field")


def _host_fields(hook: Hook) -> dict[str, Any]:
    """Fields that only some hosts have, under their JSON names."""
    values: dict[str, Any] = {"prompt": hook.prompt, "model": hook.model, "url": hook.url}
    if isinstance(hook.source, JsonEntry):
        entry = hook.source
        values |= {"if": entry.condition, "headers": entry.headers or None}
        values["allowedEnvVars"] = list(entry.allowed_variables) or None
    return {key: value for key, value in values.items() if value is not None}


def _shown(name: str, value: Any) -> str:
    if name == "timeout":
        return f"{value / 1000:g} s"
    if name == "headers":
        return ", ".join(value)  # their values may be secrets
    if isinstance(value, dict):
        return ", ".join(f"{key}={inner}" for key, inner in value.items())
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
