"""Whether a hook's script still understands its event where another host tells it in other words.

Told by the words that stand in its text, and in that of the files which it takes in: what is not found there is not judged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.core import events
from hooktui.core.hook_source import HookDirectory
from hooktui.edit import own_lines, replies
from hooktui.edit.change_plan import Row
from hooktui.edit.file_steps import Tree, Write
from hooktui.edit.locate_entry import HOSTS
from hooktui.formats import beside, host_tools
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.core.model import Hook
    from hooktui.edit.file_steps import Step

    Names = tuple[str, str | None]  # what two hosts call the same; the other one may have no such thing

_COMMENT = re.compile(r"^[ \t]*(?:#|//|\*).*$", re.MULTILINE)
# What hosts call the fields of an event; Claude Code and VS Code use the same names, and Copilot CLI on the events that it
# spells as they do. Fields that all call alike are left out, but for those by which a script is known to read its event.
_FIELDS: tuple[Mapping[str, str], ...] = (
    {"agenthooks": "tool_name", "claude": "tool_name", "copilot": "toolName", "azure": "tool_name"},
    {"agenthooks": "tool_input", "claude": "tool_input", "copilot": "toolArgs", "azure": "tool_input"},
    {"agenthooks": "tool_output", "claude": "tool_response", "copilot": "toolResult", "azure": "tool_result"},
    {"agenthooks": "event_type", "claude": "hook_event_name", "azure": "hook_event_name"},
    {"agenthooks": "session_id", "claude": "session_id", "copilot": "sessionId"},
    {"agenthooks": "work_dir", "claude": "cwd", "copilot": "cwd"},
    {"agenthooks": "final_message", "claude": "last_assistant_message", "azure": "final_output"},
    {"claude": "stop_hook_active", "azure": "stop_hook_active"},
    {"claude": "transcript_path", "copilot": "transcriptPath", "azure": "execution_summary"},
    {"agenthooks": "prompt", "claude": "prompt", "copilot": "prompt"},
)
# The same of the inputs of tools (the examples of trying/payloads.py), which go by the host alone.
_INPUTS: tuple[Mapping[str, str], ...] = (
    {"agenthooks": "path", "claude": "file_path", "vscode": "filePath", "copilot": "path"},
    {"agenthooks": "content", "claude": "content", "vscode": "content", "copilot": "file_text"},
    {"agenthooks": "edit", "claude": "old_string", "vscode": "oldString", "copilot": "old_str"},
    {"agenthooks": "edit", "claude": "new_string", "vscode": "newString", "copilot": "new_str"},
)
_READS_TOOL = re.compile(r"tool_?name", re.IGNORECASE)
_TAKES_APART = re.compile(
    r"tool_?name.{0,99}(?:startswith|includes|=~)|(?:match|search|test)\(.{0,99}tool_?name", re.IGNORECASE
)


def rows(source: Hook, result: Hook, steps: Sequence[Step]) -> Iterator[Row]:
    """What becomes of the event that a hook reads, of the tools that its script looks for, and of what it answers.

    `steps` make the result.
    """
    text = _COMMENT.sub("", _text(source))
    yield from _read(text, source, result)
    own = tuple(_looked_for(text, "\n".join(made(steps)), source, result))
    yield from own or _meant(own_lines.without(text), source, result)
    yield from replies.rows(text, source, result)


def _read(text: str, source: Hook, result: Hook) -> Iterator[Row]:
    before, after = _teller(source), _teller(result)
    named = list(_named(_FIELDS, before, after, text)) if before != after else []
    if source.event in events.TOOL_EVENTS:
        named += _named(_INPUTS, source.format, result.format, text)
    foreign = [(ours, theirs) for ours, theirs in named if ours != theirs and not (theirs and _stands(theirs, text))]
    host = HOSTS[result.format]
    if foreign:
        told = ", ".join(f"{ours}, which {host} {f'calls {theirs}' if theirs else 'does not tell'}" for ours, theirs in foreign)
        yield Row("payload", "lost", f"the script reads {told}: mend it there")
    elif named and before != after:
        yield Row("payload", "kept", f"the script reads {', '.join(ours for ours, _ in named)}, and {host} tells that")
    elif before != after:
        yield Row("payload", "approximated", f"the event is told as {HOSTS[after]} does, not as {HOSTS[before]} does")


def _named(fields: Sequence[Mapping[str, str]], before: str, after: str, text: str) -> Iterator[Names]:
    """The fields that stand in a text, each with what another host calls it."""
    return ((field[before], field.get(after)) for field in fields if before in field and _stands(field[before], text))


def _looked_for(text: str, made_text: str, source: Hook, result: Hook) -> Iterator[Row]:
    """The tools that a script looks for in lines that hooktui wrote, where another host calls them by other names."""
    before, after = tuple(own_lines.tools(text)), tuple(own_lines.tools(made_text))
    wanted = tuple(own_lines.tools(own_lines.renamed(text, source.format, result.format)))
    found, meant = ", ".join(before), ", ".join(wanted)
    if before == wanted:
        return
    if set(wanted) <= set(after):
        yield Row("tools", "approximated", f"{found} becomes {meant}: its script looks for it")
    else:
        yield Row("tools", "lost", f"its script looks for {found}, which is {meant} in {HOSTS[result.format]}: mend it there")


def _meant(text: str, source: Hook, result: Hook) -> Iterator[Row]:
    """The tools that a script looks for in its own way; where it only names them and reads the tool's name, nobody can tell."""
    twins = host_tools.twins(source.format, result.format).items()
    pairs = [(ours, theirs) for ours, theirs in twins if ours != theirs]
    lost = [(ours, theirs) for ours, theirs in pairs if _is_told(ours, text) and not _is_told(theirs, text)]
    named = [pair for pair in pairs if re.search(rf"\b{pair[0]}\b", text, re.IGNORECASE) and not _is_told(pair[1], text)]
    host = HOSTS[result.format]
    if lost:
        yield Row("tools", "lost", f"its script looks for {_others(lost, host)}: mend it there")
    elif pairs and not named and _TAKES_APART.search(text):
        yield Row(
            "tools", "approximated", f"its script takes the tool's name apart: {host} has others than {HOSTS[source.format]}"
        )
    elif named and _READS_TOOL.search(text):
        yield Row("tools", "approximated", f"its script reads the tool's name: see whether it means {_others(named, host)}")


def _others(pairs: Sequence[tuple[str, str]], host: str) -> str:
    return ", ".join(f"{ours}, which is {theirs} in {host}" for ours, theirs in pairs)


def _is_told(tool: str, text: str) -> bool:
    """Whether a script names a tool; one that is an everyday word must be compared with the tool that the script reads."""
    if "_" in tool:
        return re.search(rf"\b{tool}\b", text) is not None
    compared = rf"(?:^|[\s\"'|(^]){tool}[\"'|)$]|=\s*{tool}\b"
    return _READS_TOOL.search(text) is not None and re.search(compared, text, re.MULTILINE) is not None


def made(steps: Sequence[Step]) -> Iterator[str]:
    """The text of the files that steps make."""
    for step in steps:
        if isinstance(step, Write):
            yield (step.after or b"").decode(errors="replace")
        elif isinstance(step, Tree):
            yield from (one.content.decode(errors="replace") for one in step.files)


def _teller(hook: Hook) -> str:
    """The host in whose words a hook's event is told."""
    if hook.format == "copilot":
        return "claude" if hook.event_as_written[:1].isupper() else "copilot"
    return "claude" if hook.format == "vscode" else hook.format


def _stands(word: str, text: str) -> bool:
    """Whether a field is named; one that is an everyday word only counts as a key."""
    if not word.islower() or "_" in word:
        return re.search(rf"\b{word}\b", text) is not None
    key = rf"(?<!require\()[\"']{word}\\?[\"']|(?<!\bos)(?<!\bsys)\.{word}\b(?!\s*[.\[(])"
    return re.search(key, text) is not None


def _text(hook: Hook) -> str:
    """What of a hook can be read: its command, and its script or those that it starts, with all that they take in."""
    if isinstance(hook.source, HookDirectory):
        return "\n".join(beside.texts(hook.argv[-1])) if hook.argv else ""
    scripts = (text for script in json_command.scripts(hook) for text in beside.texts(script.path))
    return "\n".join((hook.command or "", *scripts))
