"""Whether a hook's script still understands its event, and is understood, where another host tells and reads it.

Told by the words that stand in its text: a script in whose text none of them stands is not judged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui import events
from hooktui.changing import own_lines
from hooktui.changing.plan import Row
from hooktui.changing.standing import HOSTS
from hooktui.changing.steps import Tree, Write
from hooktui.formats import dialects, files
from hooktui.formats.host_tools import TWINS
from hooktui.hosts import json_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.changing.steps import Step
    from hooktui.model import Hook

_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_LIMIT = 64 * files.KIB
# What hosts call the fields of an event; Claude Code and VS Code use the same names, and Copilot CLI on the events that it
# spells as they do. Fields that all call alike are left out, but for those by which a script is known to read its event.
_FIELDS: tuple[Mapping[str, str], ...] = (
    {"agenthooks": "tool_name", "claude": "tool_name", "copilot": "toolName", "azure": "tool_name"},
    {"agenthooks": "tool_input", "claude": "tool_input", "copilot": "toolArgs", "azure": "tool_input"},
    {"agenthooks": "tool_output", "claude": "tool_response", "copilot": "toolResult", "azure": "tool_result"},
    {"agenthooks": "event_type", "claude": "hook_event_name", "azure": "hook_event_name"},
    {"agenthooks": "session_id", "claude": "session_id", "copilot": "sessionId"},
    {"agenthooks": "work_dir", "claude": "cwd", "copilot": "cwd"},
    {"agenthooks": "final_message", "azure": "final_output"},
    {"agenthooks": "prompt", "claude": "prompt", "copilot": "prompt"},
)
_JSON_HOSTS = ("claude", "vscode", "copilot")
# What stands in JSON answers, as a regex -> who understands it (formats.md §2, §3, §4).
_ANSWERS: Mapping[str, tuple[str, ...]] = {
    r"hookSpecificOutput": _JSON_HOSTS,
    r"permissionDecision": _JSON_HOSTS,
    r"modifiedArgs": ("copilot",),
    r"updatedInput": ("claude", "vscode"),
    r"modified_input": ("agenthooks",),
    r"additional_context": ("agenthooks",),
    r"systemMessage": _JSON_HOSTS,
    r"decision\W+(?:block|approve)\b": (*_JSON_HOSTS, "azure"),
    r"(?<!permission)decision\W+(?:deny|ask)\b": ("agenthooks",),
    r"[\"']ok\\?[\"']": ("azure",),
}


def rows(source: Hook, result: Hook, steps: Sequence[Step]) -> Iterator[Row]:
    """What becomes of the event that a hook reads, of the tools that its script looks for, of the JSON that it answers with,
    and of its exit code 2. `steps` make the result.
    """
    text = _COMMENT.sub("", _text(source))
    yield from _read(text, source, result)
    yield from _looked_for(text, "\n".join(_made(steps)), source, result)
    yield from _said(text, source, result)
    denied, denies = (_exit_2_denies(hook) for hook in (source, result))
    if denied and denies:
        yield Row("exit 2", "kept", "denies, with stderr as the reason")
    elif denied:
        yield Row("exit 2", "lost", f"denies nothing on {result.event_as_written} of {HOSTS[result.format]}")


def _read(text: str, source: Hook, result: Hook) -> Iterator[Row]:
    before, after = _teller(source), _teller(result)
    if before == after:
        return
    named = [(field[before], field.get(after)) for field in _FIELDS if before in field and _stands(field[before], text)]
    foreign = [(ours, theirs) for ours, theirs in named if ours != theirs and not (theirs and _stands(theirs, text))]
    host = HOSTS[result.format]
    if foreign:
        told = ", ".join(f"{ours}, which {host} {f'calls {theirs}' if theirs else 'does not tell'}" for ours, theirs in foreign)
        yield Row("payload", "lost", f"the script reads {told}: mend it there")
    elif named:
        yield Row("payload", "kept", f"the script reads {', '.join(ours for ours, _ in named)}, and {host} tells that")
    else:
        yield Row("payload", "approximated", f"the event is told as {HOSTS[after]} does, not as {HOSTS[before]} does")


def _looked_for(text: str, made: str, source: Hook, result: Hook) -> Iterator[Row]:
    """The tools that a script looks for itself, where another host calls them by other names."""
    before, after = tuple(own_lines.tools(text)), tuple(own_lines.tools(made))
    wanted = tuple(own_lines.tools(own_lines.renamed(text, source.format, result.format)))
    if before != wanted and set(wanted) <= set(after):
        looks = f"{', '.join(before)} becomes {', '.join(wanted)}"
        yield Row("tools", "approximated", f"{looks}: its script looks for it")
        text = own_lines.without(text)
    pairs = [(row[source.format], row[result.format]) for row in TWINS if {source.format, result.format} <= row.keys()]
    lost = [(ours, theirs) for ours, theirs in pairs if ours != theirs and _is_told(ours, text) and not _is_told(theirs, text)]
    if lost:
        told = ", ".join(f"{ours}, which is {theirs} in {HOSTS[result.format]}" for ours, theirs in lost)
        yield Row("tools", "lost", f"its script looks for {told}: mend it there")


def _is_told(tool: str, text: str) -> bool:
    """Whether a script names a tool; one that is an everyday word must be compared with the tool that the script reads."""
    if "_" in tool:
        return re.search(rf"\b{tool}\b", text) is not None
    compared = rf"[\"'|(^]{tool}[\"'|)$]|=\s*{tool}\b|\b{tool}\)"
    return re.search(r"tool_?name", text, re.IGNORECASE) is not None and re.search(compared, text) is not None


def _made(steps: Sequence[Step]) -> Iterator[str]:
    """The text of the files that steps make."""
    for step in steps:
        if isinstance(step, Write):
            yield (step.after or b"").decode(errors="replace")
        elif isinstance(step, Tree):
            yield from (one.content.decode(errors="replace") for one in step.files)


def _said(text: str, source: Hook, result: Hook) -> Iterator[Row]:
    said = {found[0]: who for answer, who in _ANSWERS.items() if source.format in who and (found := re.search(answer, text))}
    lost = [word for word, who in said.items() if result.format not in who or _is_too_high(text, source, result)]
    host = HOSTS[result.format]
    if lost:
        words = ", ".join(re.sub(r"\W+", " ", word).strip() for word in lost)
        yield Row("answer", "lost", f"{host} does not understand {words}: to deny, let the script exit with 2")
    elif said and source.event == events.GATE and {source.format, result.format} == {"claude", "vscode"}:
        yield Row("answer", "approximated", "a block: VS Code reads it in hookSpecificOutput, Claude Code at the top")
    elif said and {source.format, result.format} != {"claude", "vscode"}:
        yield Row("answer", "approximated", f"its JSON is read as {host} reads it")


def _is_too_high(text: str, source: Hook, result: Hook) -> bool:
    """Whether an answer stands at the top, where Copilot CLI looks and the others do not."""
    return source.format == "copilot" and result.format in ("claude", "vscode") and "hookSpecificOutput" not in text


def _teller(hook: Hook) -> str:
    """The host in whose words a hook's event is told."""
    if hook.format == "copilot":
        return "claude" if hook.event_as_written[:1].isupper() else "copilot"
    return "claude" if hook.format == "vscode" else hook.format


def _stands(word: str, text: str) -> bool:
    """Whether a field is named; one that is an everyday word only counts as a key."""
    before = r"[\"'.]" if word.islower() and "_" not in word else r"\b"
    return re.search(rf"{before}{word}\b", text) is not None


def _exit_2_denies(hook: Hook) -> bool:
    if hook.is_async:
        return False
    return hook.format not in dialects.DIALECTS or json_hosts.heeds_exit_2(hook.format, hook.event)


def _text(hook: Hook) -> str:
    """What of a hook can be read: its script, or its command with the scripts that this starts."""
    if hook.format != "agenthooks":
        scripts = str(hook.extra.get("as_run", "")).removeprefix(hook.text)
        return f"{hook.command or ''}\n{scripts}"
    try:
        return files.read_text(hook.argv[-1], _LIMIT) if hook.argv else ""
    except files.Unreadable:
        return ""
