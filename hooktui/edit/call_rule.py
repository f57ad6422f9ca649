"""The rule that would have matched a logged event: its event, tool, and a pattern for what was called, not for its details."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from hooktui import hosts, scripts
from hooktui.core.events import TOOL_EVENTS
from hooktui.formats import host_tools
from hooktui.runner import matching

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hooktui.edit.new_hook_places import NewHookPlace

_PATHS = ("file_path", "filePath", "notebook_path", "path")
_COMMANDS = frozenset((
    *("apt", "apt-get", "aws", "brew", "cargo", "docker", "gcloud", "gh", "git", "go", "helm", "kubectl", "npm", "pip", "pip3"),
    *("pnpm", "podman", "poetry", "systemctl", "terraform", "uv", "yarn"),
))  # fmt: skip  # programs whose first word after options is a subcommand
_WITH_VALUE = ("-C", "-c", "--context", "--namespace", "-n", "--profile", "--region")  # options before a subcommand
_GROUPS = ("compose", "run", "remote", "stash")  # subcommands with subcommands
_FLAGGED = ("rm", "chmod", "chown")  # programs whose options make the danger
_SUBCOMMAND = re.compile(r"[a-z][\w:-]*")
_SPECIAL = re.compile(r"[.^$*+?{}\[\]()|\\]")


class CallRule(NamedTuple):
    """What a hook would have listened to and matched. `tool` is the name that the `host` gave."""

    event: str
    host: str
    tool: str | None = None
    pattern: str | None = None

    def matcher(self, place: NewHookPlace) -> str | None:
        """The matcher for the tool as a hook at a place writes it; None for an event without a tool."""
        if not self.tool:
            return None
        known = self.host in hosts.names() and place.format not in (self.host, hosts.DEFAULT)  # a HOOK.md sees every host's own
        name = host_tools.twins(self.host, place.format).get(self.tool, self.tool) if known else self.tool
        rule = place.spec.matcher
        is_regex = rule.rule == "search" or not rule.is_list(name)
        return f"^{escaped(name)}$" if is_regex and rule.rule != "whole" else name


def of_event(event: str, host: str, tool: str | None, payload: Mapping[str, Any]) -> CallRule:
    """The rule for an event of the log; for one after a tool ran, the rule that would have stopped it."""
    if event not in matching.WITH_TOOL:
        return CallRule(event, host)
    tool_input = next((payload[name] for name in ("tool_input", "toolInput", "toolArgs") if name in payload), None)
    pattern = pattern_of(tool_input) if isinstance(tool_input, dict) else None
    return CallRule("pre-tool-call" if event in TOOL_EVENTS else event, host, tool, pattern)


def pattern_of(tool_input: Mapping[str, Any]) -> str | None:
    """A regex for calls like one: a command's program and subcommand, a file's name, a URL's host; None for others."""
    return next(_patterns(tool_input), None)


def _patterns(tool_input: Mapping[str, Any]) -> Iterator[str]:
    command, url = tool_input.get("command"), tool_input.get("url")
    if isinstance(command, str):
        words = scripts.main_program(command) or command.split()
        yield from (pattern for pattern in _of_words(words) if re.search(pattern, command))
        return
    for path in (tool_input.get(name) for name in _PATHS):
        if isinstance(path, str) and os.path.basename(path):
            yield f"(^|/){escaped(os.path.basename(path))}$"
    if isinstance(url, str) and "://" in url and (host := _host(url)):
        yield bounded(host)


def _host(url: str) -> str:
    """The host of a URL and its port; empty if the URL is not valid."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return ""


def _of_words(words: Sequence[str]) -> Iterator[str]:
    """The patterns for a program and its arguments, the closest first."""
    if not words:
        return
    program = os.path.basename(words[0]) or words[0]
    if program in _FLAGGED and len(words) > 1 and words[1].startswith("-"):
        yield bounded(f"{program} {words[1]}")
    subcommand = _subcommand(words) if program in _COMMANDS else ()
    if subcommand:
        yield bounded(" ".join((program, *subcommand)))
        yield ".*".join(map(bounded, (program, *subcommand)))
    yield bounded(program)


def _subcommand(words: Sequence[str]) -> tuple[str, ...]:
    """The subcommand among a program's words, with its own subcommand if it is a group."""
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in _WITH_VALUE else 1]
    length = 2 if rest and rest[0] in _GROUPS else 1
    found = rest[:length]
    return tuple(found) if found and all(map(_SUBCOMMAND.fullmatch, found)) else ()


def bounded(text: str) -> str:
    """A regex for a text that does not go on in the middle of a word."""
    start, end = (r"\b" if letter.isalnum() or letter == "_" else "" for letter in (text[0], text[-1]))
    return f"{start}{escaped(text)}{end}"


def escaped(text: str) -> str:
    """A regex for a text; unlike `re.escape` it leaves spaces and hyphens readable."""
    return _SPECIAL.sub(r"\\\g<0>", text)
