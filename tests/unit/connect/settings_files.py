"""Settings files as people keep them: any spelling of JSON with comments, with and without hooks of their own."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6)
_SCALARS = st.none() | st.booleans() | st.integers(-99, 99) | _NAMES
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=2), max_leaves=4
)
_KEYS = _NAMES.filter(lambda name: name != "hooks")  # which has its own strategy below
_COMMANDS = st.sampled_from(["./check.sh", "echo 'a b' \"$HOME\"", "printf '\\n' # é 😀", "a'b", "jq -r .x | sh -c 'cat'", " "])
_ARGUMENTS = st.lists(st.sampled_from(["-x", "a b", "ü'", "--", ""]), max_size=3)
_COMMENTS = ["", "", "", "// one\n", "/* two */", "/* 3\n   4 */", "// {\n"]


@st.composite
def _claude_entry(draw: st.DrawFn) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "command", "command": draw(_COMMANDS)}
    if draw(st.booleans()):
        entry["args"] = draw(_ARGUMENTS)
    if draw(st.booleans()):
        entry["timeout"] = draw(st.integers(1, 60))
    return entry


_CLAUDE_GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(_claude_entry(), max_size=2)}, optional={"matcher": st.sampled_from(["", "Bash", "Edit|Write"])}
)
_CODEX_ENTRY = st.fixed_dictionaries(
    {"type": st.just("command"), "command": _COMMANDS}, optional={"timeout": st.integers(1, 60)}
)
_CODEX_GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(_CODEX_ENTRY, max_size=2)}, optional={"matcher": st.sampled_from(["", "Bash", "Edit|Write"])}
)
_NAMED_ENTRY = st.fixed_dictionaries(
    {"type": st.just("command"), "command": _COMMANDS}, optional={"name": _COMMANDS, "timeout": st.integers(1000, 60_000)}
)
_NAMED_GROUP = st.fixed_dictionaries({"hooks": st.lists(_NAMED_ENTRY, max_size=2)}, optional={"sequential": st.booleans()})
_VSCODE_ENTRY = st.fixed_dictionaries(
    {"type": st.just("command")}, optional={"command": _COMMANDS, "linux": _COMMANDS, "windows": _COMMANDS, "bash": _COMMANDS}
)
_COPILOT_ENTRY = st.fixed_dictionaries(
    {"type": st.just("command"), "bash": _COMMANDS},
    optional={"powershell": _COMMANDS, "exec": st.just("./check"), "args": _ARGUMENTS},
)


def _hooks(entry: st.SearchStrategy[Any], *names: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(names), st.lists(entry, max_size=3), max_size=len(names))


_DROID_GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(_CODEX_ENTRY, max_size=2)}, optional={"matcher": st.sampled_from(["", "Execute", "Edit|Create"])}
)
_CURSOR_ENTRY = st.fixed_dictionaries(
    {"command": _COMMANDS}, optional={"matcher": st.sampled_from(["", "Shell"]), "failClosed": st.booleans()}
)
_HOOKS = {
    "claude": _hooks(_CLAUDE_GROUP, "PreToolUse", "Stop", "Notification"),
    "codex": _hooks(_CODEX_GROUP, "PreToolUse", "Stop", "Interrupt"),
    "droid": _hooks(_DROID_GROUP, "PreToolUse", "Stop", "Notification"),
    "gemini": _hooks(_NAMED_GROUP, "BeforeTool", "AfterAgent", "BeforeModel"),
    "qwen": _hooks(_NAMED_GROUP, "PreToolUse", "Stop", "TodoCreated"),
    "vscode": _hooks(_VSCODE_ENTRY, "PreToolUse", "Stop"),
    "cursor": _hooks(_CURSOR_ENTRY, "preToolUse", "stop"),
    "copilot": _hooks(_COPILOT_ENTRY, "preToolUse", "agentStop"),
}
_BARE = ("droid",)  # hosts with events at the top


@st.composite
def settings_texts(draw: st.DrawFn, host: str) -> str:
    """The text of a file of a host, byte order mark and all."""
    value: dict[str, Any] = {"version": 1} if host in ("copilot", "cursor") else {}
    if host == "claude":  # with other keys the rest would be another host's file
        value = draw(st.dictionaries(_KEYS, _VALUES, max_size=3))
    if host in _BARE:
        value |= draw(_HOOKS[host])
    elif draw(st.booleans()):
        value["hooks"] = draw(_HOOKS[host])
    writer = _Writer(draw)
    text = writer.trivia() + writer.written(value, 0) + writer.trivia()
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text


class _Writer:
    """Writes a file in one style."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.indent = draw(st.sampled_from([None, "", "  ", "    ", "\t"]))
        self.comments = draw(st.booleans())
        self.trailing = draw(st.booleans())
        self.ascii = draw(st.booleans())

    def trivia(self) -> str:
        return self.draw(st.sampled_from(_COMMENTS)) if self.comments else ""

    def written(self, value: Any, level: int) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=self.ascii)
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        if not value:
            return opening + self.draw(st.sampled_from(["", " ", "\n"])) + self.trivia() + closing
        inner = self._line(level + 1)
        items = (self._member(one, level + 1) for one in (value.items() if isinstance(value, dict) else value))
        comma = "," if self.trailing else ""
        return opening + ",".join(inner + item for item in items) + comma + self._line(level) + closing

    def _member(self, one: Any, level: int) -> str:
        if isinstance(one, tuple):
            key, value = one
            return json.dumps(key, ensure_ascii=self.ascii) + ": " + self.written(value, level) + self.trivia()
        return self.written(one, level) + self.trivia()

    def _line(self, level: int) -> str:
        return "" if self.indent is None else "\n" + self.indent * level
