"""Answers that a hook's text prints and that some host rejects or misses (formats.md §3, "What goes wrong between hosts").

Only answers that stand there as literals are looked at; what is put together in another way is left alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.core.events import GATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.script_rules import Script
    from hooktui.formats.problems import Span

# A key and its value in JSON, in jq, and in a literal of Python or JavaScript.
_KEY = r"[\"']?\b{0}[\"']?\s*:\s*"
_SPECIFIC = re.compile(_KEY.format("hookSpecificOutput") + r"\{")
_PERMISSION = re.compile(_KEY.format("permissionDecision") + r"[\"'](?:allow|deny|ask)[\"']")
_ASK = re.compile(_KEY.format("permissionDecision") + r"[\"']ask[\"']")
_BLOCK = re.compile(_KEY.format("decision") + r"[\"']block[\"']")
_LONGEST_LITERAL = 4_000
_NAME = "hookEventName"


def rejected(script: Script) -> Iterator[Diagnostic]:
    """A permission decision that Claude or Codex rejects, so that the tool proceeds."""
    text = _unescaped(script.text)
    for start, end in _specific(text):
        found = _PERMISSION.search(text, start, end)
        if found and _NAME not in text[start:end]:
            message = "permissionDecision without hookEventName is rejected by Claude Code and Codex: the tool proceeds"
            hint = 'add "hookEventName": "PreToolUse" beside it'
            yield script.warn("host-rejects-output", message, found, hint).replace(hosts=("claude", "codex"))
            break
    asked = _ASK.search(text)
    if asked:
        message = "Codex fails on permissionDecision ask: the tool proceeds"
        yield script.warn("host-rejects-output", message, asked, "deny with a reason instead").replace(hosts=("codex",))


def missed(script: Script) -> Iterator[Diagnostic]:
    """A block on Stop where one host does not look: VS Code reads it nested, Claude at the top level."""
    if script.hook.event != GATE:
        return
    text = _unescaped(script.text)
    nested = list(_specific(text))
    blocks = list(_BLOCK.finditer(text))
    inner = [found for found in blocks if any(start <= found.start() < end for start, end in nested)]
    if blocks and not inner:
        message = "VS Code reads a block on Stop only inside hookSpecificOutput: it misses this one"
        yield _missed(script, message, blocks[0], "vscode")
    # Claude Code does not read the files of the other hosts.
    elif blocks and len(inner) == len(blocks) and script.hook.format == "claude":
        message = "Claude Code reads a block on Stop only at the top level: it misses this one"
        yield _missed(script, message, blocks[0], "claude")


def _missed(script: Script, message: str, found: re.Match[str], host: str) -> Diagnostic:
    hint = "write decision and reason in both places, or exit 2 with the reason on stderr"
    return script.warn("host-misses-block", message, found, hint).replace(hosts=(host,))


def _specific(text: str) -> Iterator[Span]:
    """Where the objects of hookSpecificOutput stand, braces included; one whose end cannot be told is left out."""
    for found in _SPECIFIC.finditer(text):
        depth = 0
        for brace in re.finditer(r"[{}]", text[found.end() - 1 : found.end() + _LONGEST_LITERAL]):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                yield found.end() - 1, found.end() - 1 + brace.end()
                break


def _unescaped(text: str) -> str:
    r"""The text with `\"` as `"`, as long as before."""
    return text.replace('\\"', ' "')
