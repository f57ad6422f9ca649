"""The form of an entry in a JSON hook file: the keys that its host reads for its type (formats.md §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.formats import form_fields
from hooktui.formats.form_fields import FormField
from hooktui.formats.json_hooks import file_syntax, json_command
from hooktui.formats.json_hooks.entry_fields import in_group
from hooktui.formats.node import find_unique
from hooktui.scripts import hooktui_commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import EntryPath, Hook
    from hooktui.formats.node import Node
    from hooktui.hosts import Host

_FIELDS: Mapping[str | int, FormField] = {
    field.path[-1]: field
    for field in (
        FormField("Type", ("type",), "choice", "command", required=True, help="the kind of hook"),
        FormField("Command", ("command",), help="a shell command; it reads the event as JSON from stdin"),
        FormField("bash", ("bash",), help="the command on Linux and macOS"),
        FormField("Linux", ("linux",), help="the command on Linux"),
        FormField("macOS", ("osx",), help="the command on macOS"),
        FormField("Windows", ("windows",), help="the command on Windows"),
        FormField("pwsh", ("powershell",), help="the command on Windows, for PowerShell"),
        FormField("Exec", ("exec",), help="a program, run without a shell"),
        FormField("Args", ("args",), "json", help="arguments; with them the command runs without a shell"),
        FormField("Shell", ("shell",), help="bash or powershell"),
        FormField("URL", ("url",), help="an http or https URL that receives the event by POST"),
        FormField("Headers", ("headers",), "json", help="an object of strings; $NAME inserts an allowed variable"),
        FormField("Allowed", ("allowedEnvVars",), "json", help="variables that headers may use"),
        FormField("Prompt", ("prompt",), help="the question for the model; $ARGUMENTS is the event"),
        FormField("Model", ("model",), help="the model to ask"),
        FormField("Server", ("server",), help="the MCP server"),
        FormField("Tool", ("tool",), help="the server's tool"),
        FormField("Input", ("input",), "json", help="the tool's input"),
        FormField("If", ("if",), help="a permission rule such as Bash(git *); the hook runs only if it matches"),
        FormField("Directory", ("cwd",), help="working directory; ~ is your home, relative paths start at the project"),
        FormField("Env", ("env",), "json", help='environment variables, such as {"NAME": "value"}'),
        FormField("Timeout", ("timeout",), "number"),
        FormField("Timeout", ("timeoutSec",), "number"),
        FormField("Async", ("async",), "flag", "false", help="the agent does not wait; the hook cannot block"),
        FormField("Rewake", ("asyncRewake",), "flag", "false", help="async; exit 2 wakes the agent with the reason"),
        FormField("Fail closed", ("failClosed",), "flag", "false", help="deny if the hook fails or prints nothing"),
        FormField("Loop limit", ("loop_limit",), "json", "5", help="how often it may make the agent continue; null: always"),
        FormField("Once", ("once",), "flag", "false", help="works in skills only"),
        FormField("Status", ("statusMessage",), help="shown to you while it runs"),
    )
}
_FOR_TYPE: Mapping[str, tuple[str, ...]] = {
    "command": (
        *("command", "bash", "linux", "osx", "windows", "powershell", "exec", "args", "shell", "cwd", "env"),
        *("async", "asyncRewake", "failClosed", "loop_limit"),
    ),
    "http": ("url", "headers", "allowedEnvVars"),
    "prompt": ("prompt", "model"),
    "agent": ("prompt", "model"),
    "mcp_tool": ("server", "tool", "input"),
}
_RARE = frozenset(
    (
        *("linux", "osx", "windows", "powershell", "exec", "args", "shell", "asyncRewake", "once", "statusMessage"),
        *("headers", "allowedEnvVars", "model", "input", "loop_limit", "if", "cwd", "env", "async", "failClosed"),
    )
)


def fields(text: str, hook: Hook) -> tuple[FormField, ...]:
    """The form of the hook's entry in `text`. Raises ValueError if the text cannot be read or has no such entry."""
    root = _root(text, hook)
    path = hook.entry_path
    entry = find_unique(root, path)
    if entry is None or not isinstance(entry.value, dict):
        raise ValueError(f"{hook.label} no longer exists")
    fields = form_fields.filled(_fields(hosts.spec(hook.format), hook, path, entry), root)
    return tuple(_unwrapped(field, entry, hook) for field in fields)


def _unwrapped(field: FormField, entry: Node, hook: Hook) -> FormField:
    """The field with the person's own command or arguments where `hooktui connect --observe` wrapped them."""
    key = field.path[-1] if field.path else ""
    inside = hooktui_commands.original(field.value, hook.format)
    if key in json_command.SHELL_KEYS and inside is not None:
        return field._replace(value=inside, observed=field.value)
    started = json_command.program_with_args(entry, hook.format)
    words = hooktui_commands.observed([node.value for node in (started[0], *started[1].items)], hook.format) if started else ()
    if words and key in (hosts.spec(hook.format).entry.program_key, "args"):
        return field._replace(value=list(words[1:]) if key == "args" else words[0], locked="observed: edit the source")
    return field


def _root(text: str, hook: Hook) -> Node:
    if hook.file.endswith(".md"):
        from hooktui.formats.json_hooks import markdown_hooks  # imports PyYAML

        root = markdown_hooks.parse(text, hook.file, hook.scope)
        if root is None or root.root is None:
            raise ValueError(f"{hook.label} no longer exists")
        return root.root
    syntax = file_syntax.of(hook.file)
    read = syntax.read(text)
    if read.root is None:
        raise ValueError(f"fix the {syntax.name} first: {read.fault}")
    return read.root


def _fields(spec: Host, hook: Hook, path: EntryPath, entry: Node) -> Iterator[FormField]:
    choices = tuple(dict.fromkeys((hook.event_as_written, *spec.events)))
    yield FormField("Event", (), "choice", choices=choices, required=True, value=hook.event_as_written, help=form_fields.MOVES)
    matcher = _matcher(spec, hook, path)
    if matcher is not None:
        yield matcher
    read = (*_FOR_TYPE.get(hook.type, ()), "type", "if", "once", "statusMessage", _timeout_key(spec, entry))
    for key, field in _FIELDS.items():
        if key in read and key in spec.entry.keys:
            yield field._replace(path=(*path, key), rare=key in _RARE, **_filled_in(spec, hook, key))


def _matcher(spec: Host, hook: Hook, path: EntryPath) -> FormField | None:
    """The matcher of the group, or of the entry if its host reads one there."""
    if hook.event_as_written in spec.matcher.ignored_on:
        return None
    shared_by_group = in_group(path)
    if not shared_by_group and "matcher" not in spec.entry.keys:
        return None
    shared = " (shared by the group)" if shared_by_group else ""
    place = (*(path[:-2] if shared_by_group else path), "matcher")
    return FormField("Matcher", place, "regex", "everything", help=spec.matcher.field_help + shared)


def _timeout_key(spec: Host, entry: Node) -> str:
    """The effective key: the strongest written one, else the documented one."""
    return next((key for key in spec.entry.timeout_keys if entry.entry(key)), spec.entry.timeout_keys[0])


def _filled_in(spec: Host, hook: Hook, key: str) -> dict[str, Any]:
    """The parts that depend on the host: its types, and the unit and default of its timeout."""
    if key == "type":
        return {"choices": spec.entry.types}
    if key in spec.entry.timeout_keys:
        unit, default = spec.entry.timeout_unit, spec.entry.default_timeout(hook.type, hook.event_as_written)
        return {"default": str(default), "unit": unit, "help": f"{form_fields.UNITS[unit]}; then the hook is stopped"}
    return {}
