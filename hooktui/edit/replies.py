"""Whether a hook's script is understood by another host: its JSON, its exit code 2, its plain text (formats.md §2, §3, §4).

Told by the words that stand in its text, in the manner of vocabulary.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.core import events
from hooktui.edit.change_plan import Row
from hooktui.edit.locate_entry import HOSTS
from hooktui.formats.json_hooks import dialects
from hooktui.hosts import json_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Hook

    Formats = tuple[str, ...]

_JSON_HOSTS = ("claude", "vscode", "copilot")
# What stands in JSON answers, as a regex -> who understands it. AgentHooks has other values for a decision than the others.
_DECISION = r"(?<![\w$])decision(?:\\?[\"']|\s*[:=](?!=)|\W+(?:deny|ask|block|approve)\b)"
_ANSWERS: tuple[tuple[str, Formats], ...] = (
    (r"hookSpecificOutput", _JSON_HOSTS),
    (r"permissionDecision", _JSON_HOSTS),
    (r"modifiedArgs", ("copilot",)),
    (r"updatedInput", ("claude", "vscode")),
    (r"modified_input", ("agenthooks",)),
    (r"additional_context", ("agenthooks",)),
    (r"systemMessage", _JSON_HOSTS),
    (r"\bcontinue\\?[\"']?\s*[:=]\s*[Ff]alse", ("claude", "vscode")),
    (_DECISION, (*_JSON_HOSTS, "azure")),
    (_DECISION, ("agenthooks",)),
    (r"[\"']ok\\?[\"']", ("azure",)),
)
# An exit code 2, or one that stands elsewhere: in a variable, in what another program ends with.
_EXIT_2 = re.compile(r"(?:exit|return|code)\w*\W{1,4}2\b|exit[\s(]+[\"']?\$?[\w?{(]*[a-z?{(]|\bexec\b", re.IGNORECASE)
_PRINTS = re.compile(r"\b(?:echo|printf|cat|print|console\.log|puts)\b")
_TEXT_IS_CONTEXT = ("pre-session", "pre-agent-turn")
_CAN_DENY = ("pre-tool-call", "pre-agent-turn", events.GATE, "post-subagent")


def rows(text: str, source: Hook, result: Hook) -> Iterator[Row]:
    """What becomes of the JSON that a hook answers with, of its exit code 2 and of its plain text."""
    said = [(found, who) for answer, who in _ANSWERS if source.format in who and (found := re.search(answer, text))]
    lost = [_word(found) for found, who in said if result.format not in who or _is_too_high(text, source, result)]
    exits = not text.strip() or _EXIT_2.search(text) is not None
    denied, denies = (_exit_2_denies(hook) for hook in (source, result))
    host = HOSTS[result.format]
    if lost:
        yield _lost(", ".join(lost), host, also=bool(re.search(r"\bexit\W{1,3}2\b", text)) and denies)
    elif said:
        yield from _read(text, source, result)
    elif not exits and source.format == "claude" and source.event in _TEXT_IS_CONTEXT and _PRINTS.search(text):
        yield Row("answer", "approximated", f"text on stdout, which Claude Code takes as context, is none in {host}")
    elif not exits and denied and source.event in _CAN_DENY:
        yield Row("answer", "approximated", f"no denial is found in its text: {host} takes exit 2 for one")
    if denied and denies and exits:
        yield Row("exit 2", "kept", "denies, with stderr as the reason")
    elif denied and exits:
        yield Row("exit 2", "lost", f"denies nothing on {result.event_as_written} of {host}")


def _word(found: re.Match[str]) -> str:
    return re.sub(r"\W+", " ", found[0]).strip()


def _lost(words: str, host: str, *, also: bool) -> Row:
    """An answer that is not understood; `also`: the script exits with 2 as well, which is."""
    if also:
        return Row(
            "answer", "approximated", f"{host} does not understand {words}: it denies only where the script exits with 2"
        )
    return Row("answer", "lost", f"{host} does not understand {words}: to deny, let the script exit with 2")


def _read(text: str, source: Hook, result: Hook) -> Iterator[Row]:
    """An answer that is understood, where it is read in another place or manner."""
    host, alike = HOSTS[result.format], {source.format, result.format} == {"claude", "vscode"}
    if source.event == events.GATE and alike:
        yield Row("answer", "approximated", "a block: VS Code reads it in hookSpecificOutput, Claude Code at the top")
    elif source.format == "claude" and source.event == "pre-tool-call" and result.format in _JSON_HOSTS and _is_old(text):
        says = f"decision before a tool is Claude Code's older word: {host} may read permissionDecision alone"
        yield Row("answer", "approximated", says)
    elif not alike:
        yield Row("answer", "approximated", f"its JSON is read as {host} reads it")


def _is_old(text: str) -> bool:
    return re.search(_DECISION, text) is not None and "permissionDecision" not in text


def _is_too_high(text: str, source: Hook, result: Hook) -> bool:
    """Whether an answer stands at the top, where Copilot CLI looks and the others do not."""
    return source.format == "copilot" and result.format in ("claude", "vscode") and "hookSpecificOutput" not in text


def _exit_2_denies(hook: Hook) -> bool:
    if hook.is_async:
        return False
    return hook.format not in dialects.DIALECTS or json_hosts.heeds_exit_2(hook.format, hook.event)
