"""Hook files with one mistake each, in the shape of every program's own files.

A file has two hooks on the same event, each of which leaves a file in the directory where it runs: BAD, with the mistake if it
is one of an entry, and GOOD.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BAD, GOOD = "bad.hook", "good.hook"
_NUMBER = 777_777  # stands for a number that JSON of Python does not write


@dataclass(frozen=True)
class Place:
    """A file of a program: `event` is before a tool, `other` another event, and `top` the keys beside `hooks`.

    `path` is below the project, or below the home with `~/`. `bare`: events are the keys of the file, `flat`: there are no
    groups around entries."""

    host: str
    path: str
    event: str
    other: str
    shell: str
    command: str = "command"
    timeout: str = "timeout"
    bare: bool = False
    flat: bool = False
    top: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_toml(self) -> bool:
        return self.path.endswith(".toml")

    @property
    def is_list(self) -> bool:
        """Whether the entries name their events, in one list."""
        return self.host == "kimi"

    def entry(self, name: str, /, **values: Any) -> dict[str, Any]:
        """An entry whose command leaves a file; None removes a key."""
        named = {"event": self.event} if self.is_list else {"type": "command"}
        return {key: value for key, value in {**named, self.command: f"touch {name}", **values}.items() if value is not ...}

    def groups(self, matcher: object = ..., **values: Any) -> list[Any]:
        """Both entries, with groups if the program has them; `values` are those of the first."""
        matched = {} if matcher is ... else {"matcher": matcher}
        if self.flat or self.is_list:
            return [self.entry(BAD, **matched, **values), self.entry(GOOD)]
        return [{**matched, "hooks": [self.entry(BAD, **values)]}, {"hooks": [self.entry(GOOD)]}]

    def file(self, groups: list[Any], **events: Any) -> dict[str, Any]:
        """The value of a file with groups for the event, and others."""
        if self.is_list:
            return {"hooks": groups}
        return {**events, self.event: groups} if self.bare else {**self.top, "hooks": {**events, self.event: groups}}

    def text(self, value: object) -> str:
        """A value in JSON or TOML."""
        if not self.is_toml:
            return json.dumps(value, indent=1)
        assert isinstance(value, dict)
        return "".join(f"{json.dumps(key)} = {_toml(member)}\n" for key, member in value.items())

    def write(self, text: str | bytes, home: Path, project: Path) -> None:
        """Write the file."""
        path = home / self.path[2:] if self.path.startswith("~/") else project / self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


PLACES: Mapping[str, Place] = {
    "claude": Place("claude", ".claude/settings.json", "PreToolUse", "Stop", "Bash"),
    "vscode": Place("vscode", ".github/hooks/hooks.json", "PreToolUse", "Stop", "run_in_terminal", flat=True),
    "copilot": Place(
        *("copilot", ".github/hooks/g.json", "preToolUse", "agentStop", "bash", "bash", "timeoutSec"),
        flat=True,
        top={"version": 1},
    ),
    "settings": Place(
        *("copilot", ".github/copilot/settings.json", "preToolUse", "agentStop", "bash", "bash", "timeoutSec"), flat=True
    ),
    "codex": Place("codex", ".codex/hooks.json", "PreToolUse", "Stop", "Bash"),
    "toml": Place("codex", ".codex/config.toml", "PreToolUse", "Stop", "Bash"),
    "gemini": Place("gemini", ".gemini/settings.json", "BeforeTool", "AfterAgent", "run_shell_command"),
    "cursor": Place("cursor", ".cursor/hooks.json", "preToolUse", "stop", "Shell", flat=True, top={"version": 1}),
    "qwen": Place("qwen", ".qwen/settings.json", "PreToolUse", "Stop", "run_shell_command"),
    "droid": Place("droid", ".factory/hooks.json", "PreToolUse", "Stop", "Execute", bare=True),
    "kimi": Place("kimi", "~/.kimi-code/config.toml", "PreToolUse", "Stop", "Bash"),
}


class NotWritableError(Exception):
    """A mistake that a program's files cannot have, such as null in TOML."""


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if value is None:
        raise NotWritableError
    return json.dumps(value)


def _good(place: Place) -> str:
    return place.text(place.file(place.groups(place.shell)))


def _entry(key: str, value: object) -> Callable[[Place], str]:
    """A value of the first entry; `command` and `timeout` are called as in the program's files."""

    def text(place: Place) -> str:
        if key == "type" and place.is_list:
            raise NotWritableError
        own = {"command": place.command, "timeout": place.timeout}.get(key, key)
        return place.text(place.file(place.groups(**{own: value})))

    return text


def _number(written: str) -> Callable[[Place], str]:
    return lambda place: _entry("timeout", _NUMBER)(place).replace(str(_NUMBER), written)


def _matcher(pattern: object) -> Callable[[Place], str]:
    """A matcher; `T` is the name of the program's shell."""

    def text(place: Place) -> str:
        matcher = pattern.replace("T", place.shell) if isinstance(pattern, str) else pattern
        return place.text(place.file(place.groups(matcher)))

    return text


def _event(name: str, value: object) -> Callable[[Place], str]:
    """A value in place of the list of another event."""

    def text(place: Place) -> str:
        if place.is_list:
            raise NotWritableError
        return place.text(place.file(place.groups(), **{name or place.other: value}))

    return text


def _unknown_event(place: Place) -> str:
    if place.is_list:
        return place.text(place.file(place.groups(event="Nope")))
    bad, good = place.groups()
    return place.text(place.file([good], Nope=[bad]))


def _item(value: object) -> Callable[[Place], str]:
    """A value in place of the first entry or group."""
    return lambda place: place.text(place.file([value, place.groups()[1]]))


def _flat(place: Place) -> str:
    """An entry without a group where the program needs one, or the reverse."""
    if place.is_list:
        raise NotWritableError
    first = {"hooks": [place.entry(BAD)]} if place.flat else place.entry(BAD)
    return _item(first)(place)


def _top(**values: Any) -> Callable[[Place], str]:
    """Keys beside `hooks`; `...` removes one."""

    def text(place: Place) -> str:
        kept = {**place.file(place.groups()), **values}
        return place.text({key: value for key, value in kept.items() if value is not ...})

    return text


def _json(text: Callable[[Place], str | bytes]) -> Callable[[Place], str | bytes]:
    """A mistake that only JSON can have."""

    def checked(place: Place) -> str | bytes:
        if place.is_toml:
            raise NotWritableError
        return text(place)

    return checked


def _wrapper(place: Place) -> str:
    """Events beside the wrapper that the program needs, or in one that it does not have."""
    value = place.file(place.groups())
    if place.bare:
        return place.text({"hooks": value})
    return place.text({**place.top, **value["hooks"]})


# What is wrong, and the file.
MISTAKES: Mapping[str, Callable[[Place], str | bytes]] = {
    "nothing": _good,
    "cut off": lambda place: _good(place).rstrip()[:-3],
    "empty": lambda _place: "",
    "not UTF-8": lambda place: _good(place).replace(BAD, f"{BAD} #\xff").encode("latin-1"),
    "UTF-16": lambda place: _good(place).encode("utf-16"),
    "byte order mark": lambda place: "\ufeff" + _good(place),
    "a list": _json(lambda _place: "[]"),
    "comment": _json(lambda place: _good(place).replace("{", "{ // guards\n", 1)),
    "URL in a string": _entry("command", f"touch {BAD} # http://x"),
    "trailing comma": _json(lambda place: _good(place).rstrip()[:-1].rstrip() + ",}"),
    "duplicate event": _json(
        lambda place: _good(place).replace(f'"{place.event}": [', f'"{place.event}": [], "{place.event}": [', 1)
    ),
    "half a character": _json(lambda place: _good(place).replace(BAD, f"{BAD} #\\ud800")),
    "$schema": _top(**{"$schema": "hooks.schema"}),
    "version 7": _top(version=7),
    "version text": _top(version="1"),
    "version missing": _top(version=...),
    "wrapper": _json(_wrapper),
    "event null": _event("", None),
    "event object": _event("", {}),
    "unknown event": _unknown_event,
    "unknown event null": _event("Nope", None),
    "entry null": _item(None),
    "entry text": _item("touch"),
    "group": _flat,
    "timeout text": _entry("timeout", "30"),
    "timeout 1.5": _number("1.5"),
    "timeout 30.0": _number("30.0"),
    "timeout -1": _number("-1"),
    "timeout 0": _number("0"),
    "timeout 1e20": _number("1e20"),
    "timeout null": _entry("timeout", None),
    "unknown key": _entry("colour", "red"),
    "command missing": _entry("command", ...),
    "command list": _entry("command", ["touch", BAD]),
    "type missing": _entry("type", ...),
    "type unknown": _entry("type", "nope"),
    "matcher number": _matcher(3),
    "matcher null": _matcher(None),
    "matcher empty": _matcher(""),
    "matcher [": _matcher("["),
    "matcher (?P<": _matcher("(?P<n>T)"),
    "matcher (?<": _matcher("(?<n>T)"),
    "matcher (?!": _matcher("^(?!x)T"),
    "matcher (?i)": _matcher("(?i)T"),
    "back-reference": _matcher("(T)(\\1)?"),
}
