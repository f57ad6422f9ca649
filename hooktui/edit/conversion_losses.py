"""What becomes of each field of a hook in another format: told by comparing the hook with what is read from the new text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hooktui.core import events, paths
from hooktui.core.hook_source import AzureEntry, HookDirectory, JsonEntry
from hooktui.edit import command_translation, matcher_shim, matcher_translation, script_copy, vocabulary
from hooktui.edit.change_plan import Row
from hooktui.edit.file_steps import Tree, Write
from hooktui.edit.locate_entry import HOSTS
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hooktui.core.model import Hook
    from hooktui.edit.file_steps import Step

_KEYED = ("vscode", "copilot")
_USUAL_PRIORITY = 100
_USUAL_REJECTIONS = 3


@dataclass(frozen=True, slots=True)
class _Field:
    """`value` is None where the hook says nothing; `lost` is said when the other format has no such thing."""

    name: str
    value: Callable[[Hook], Any]
    lost: str = "{host} has nothing like it"

    def told(self, hook: Hook) -> str:
        """The value for a person; a matcher as it is written."""
        return hook.tool or "every tool" if self.name == "tools" else _shown(self.name, self.value(hook))


def _fails(hook: Hook) -> str | None:
    closed = hook.format == "copilot" and hook.event == "pre-tool-call" and hook.type == "command"
    return "denies" if closed or hook.fail_mode == "block" else None


def _systems(hook: Hook) -> dict[str, str] | None:
    given = {system: command for system, command in hook.commands.items() if system != json_command.THIS_SYSTEM}
    others = {system: command for system, command in given.items() if command and command != hook.command}
    return others or None


def _rejections(hook: Hook) -> int | None:
    limit = hook.source.max_rejections if isinstance(hook.source, AzureEntry) else None
    return None if limit == _USUAL_REJECTIONS else limit


FIELDS = (
    _Field("event", lambda hook: hook.event),
    _Field("description", lambda hook: hook.description or None),
    _Field("tools", matcher_translation.searched, "{host} ignores matchers: the hook runs for every tool"),
    _Field("pattern", lambda hook: hook.pattern),
    _Field("timeout", lambda hook: hook.timeout_ms),
    _Field("async", lambda hook: hook.is_async or None, "{host} waits for it"),
    _Field(
        "priority",
        lambda hook: hook.priority if isinstance(hook.source, HookDirectory) and hook.priority != _USUAL_PRIORITY else None,
        "{host} has no priorities",
    ),
    _Field("failure", _fails, "a failure lets the agent go on"),
    _Field("directory", lambda hook: hook.cwd),
    _Field("environment", lambda hook: dict(hook.env) or None),
    _Field("other systems", _systems, "{host} has one command for every system"),
    _Field("rejections", _rejections, "{host} counts its own"),
    _Field("agent", lambda hook: hook.agent, "{host} runs it for every agent"),
)


def rows(source: Hook, result: Hook, steps: Sequence[Step]) -> Iterator[Row]:
    """One row for each field that the hook says something in, and for the words that it reads and answers in.

    `steps` make the result, the script that was taken along with it first.
    """
    yield _program(source, result, steps)
    if result.enabled and not source.enabled:
        yield Row("state", "approximated", "off: the copy is on")
    for field in FIELDS:
        before, after = field.value(source), field.value(result)
        if field.name == "tools" and source.event in events.TOOL_EVENTS and _finds_none(source, result):
            none = f"matches no tool of {HOSTS[result.format]} that is known"
            yield Row(field.name, "lost", f"{field.told(source)}: {none}")
        elif before == after and before is not None:
            yield Row(field.name, "kept", field.told(result))
        elif before is not None:
            yield _other(field, source, result, is_made=len(steps) > 1)
        elif after is not None:
            yield Row(field.name, "approximated", f"{HOSTS[result.format]}: {field.told(result)}")
    if source.format != result.format and matcher_translation.MCP in (matcher_translation.searched(source) or ""):
        yield Row("servers", "approximated", f"{HOSTS[result.format]} may call the tools of MCP servers otherwise: see how")
    if source.inline_script and result.format not in command_translation.AT_ROOT:
        yield Row("directory", "approximated", "its script runs where the agent is, not in the project's root")
    yield from _own(source, result)
    if source.type == "command" and source.format != result.format:
        yield from vocabulary.rows(source, result, steps)


def _program(source: Hook, result: Hook, steps: Sequence[Step]) -> Row:
    if source.format == result.format == "agenthooks":
        if script_copy.finds_beyond(source):
            return Row("command", "lost", "its script finds files from where it stands now, and not from there: mend it there")
        return Row("command", "kept", "its directory with every file")
    if result.scope == "user" and source.scope != "user" and (needed := _needed(source, steps)):
        return Row("command", "approximated", f"needs {', '.join(needed)}, which other projects do not have")
    if result.format == "agenthooks":
        return Row("command", "kept", "becomes the script of a HOOK.md")
    if script_copy.stays(source):
        stays = f"its script stays at {paths.short(source.argv[-1])}: it finds files from there, do not delete the original"
        return Row("command", "approximated", stays)
    match steps:
        case (Tree(path=path), _, *_):
            return Row("command", "kept", f"its script is copied with the files beside it: {paths.short(path)}")
        case (Write(path=path, after=after), _, *_):
            whole = source.format != "agenthooks" and not source.inline_script
            runs = whole and (source.command or "").encode() in (after or b"")
            becomes = "a script that is made for it runs it" if runs else "its script is copied"
            return Row("command", "kept", f"{becomes}: {paths.short(path)}")
    if source.format == "agenthooks":
        return Row("command", "kept", "its script is copied into the hook itself")
    shown = result.command or result.prompt or _fields(result).get("url") or ""
    return Row(source.type, "kept", shown.partition("\n")[0])


def _needed(source: Hook, steps: Sequence[Step]) -> list[str]:
    """The scripts of an entry that are still run where they stand."""
    made = "\n".join(vocabulary.made(steps))
    return [name for name in source.covers if name in made]


def _other(field: _Field, source: Hook, result: Hook, *, is_made: bool) -> Row:
    """A field that is not kept; `is_made`: a script was made of the command, which sets what the command had."""
    before = field.told(source)
    if field.value(result) is not None:
        return Row(field.name, "approximated", f"{before} becomes {field.told(result)}")
    itself = dict(zip(("tools", "pattern"), matcher_shim.sought(source, result.format), strict=True)).get(field.name)
    if itself:
        return Row(field.name, "approximated", f"{itself}: its script looks for it, which {HOSTS[result.format]} does not")
    if field.name in ("directory", "environment") and (is_made or result.format not in _KEYED):
        where = "the script" if is_made or result.format == "agenthooks" else "the command"
        return Row(field.name, "approximated", f"{where} sets it: {before}")
    return Row(field.name, "lost", f"{before}: {field.lost.format(host=HOSTS[result.format])}")


def _finds_none(source: Hook, result: Hook) -> bool:
    return matcher_translation.is_lost(matcher_translation.searched(source), source.format, result.format)


def _own(source: Hook, result: Hook) -> Iterator[Row]:
    """What only some formats know, and what nobody but its author does."""
    before, after = ({**hook.metadata, **_fields(hook)} for hook in (source, result))
    for key, value in before.items():
        if key in after and after[key] == value:
            yield Row(key, "kept", _shown(key, value))
        elif key in after:
            yield Row(key, "approximated", f"{_shown(key, value)} becomes {_shown(key, after[key])}")
        else:
            yield Row(key, "lost", f"{_shown(key, value)}: {HOSTS[result.format]} has nothing like it")


def _fields(hook: Hook) -> dict[str, Any]:
    """The hook's own settings as JSON hosts call them."""
    values: dict[str, Any] = {"prompt": hook.prompt, "model": hook.model}
    if isinstance(hook.source, JsonEntry):
        entry = hook.source
        values |= {"if": entry.condition, "url": entry.url, "headers": entry.headers or None}
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
