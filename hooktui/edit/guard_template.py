"""The template of a guard that keeps an agent from editing hooks, hooktui's files and the settings of agent programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.formats import yaml_source

if TYPE_CHECKING:
    from hooktui.edit.drafts import HookDraft

NAME = "protect-hooks"  # of the template
EVENT = "pre-tool-call"

_HOOK_MD = """\
---
name: {name}
description: Denies edits of hooks, of hooktui's files and of the settings of agent programs
trigger: {trigger}
timeout: 10000
priority: 1
---

# {name}

An agent that can edit its hooks, the approvals or the log can switch its guards off. This hook denies such edits, also from
shell commands that name those files and write. It cannot see what a program does by itself: approvals and file permissions
remain the protection against that.
"""

_SCRIPT = """\
#!/usr/bin/env python3
# Denies edits of hooks, of hooktui's files and of the settings of agent programs.
import json
import os
import re
import sys

# Edit here: the files to protect, as a regex on absolute paths.
PROTECTED = re.compile(
    r"/\\.agents/hooks(/|$)|/\\.config/agents/hooks(/|$)"
    r"|/\\.(config|local/state|local/share|cache)/hooktui(/|$)"
    r"|/\\.claude/(settings[^/]*\\.json|hooks|agents|commands|skills|plugins)(/|$)|/\\.claude\\.json$"
    r"|/\\.codex/(config\\.toml|hooks)|/\\.github/hooks(/|$)|/\\.copilot/(config\\.json|settings\\.json|hooks)"
    r"|/\\.gemini/settings\\.json|/\\.cursor/hooks|/\\.vscode/settings\\.json|/\\.qwen/settings\\.json|/\\.factory/(settings|hooks)"
)
VARIABLES = ("HOOKTUI_DB", "CLAUDE_CONFIG_DIR", "CODEX_HOME")
WRITES = re.compile(
    r">|\\b(tee|rm|rmdir|mv|cp|ln|sed\\s+-\\S*i|perl|python[0-9.]*|node|ruby|truncate|chmod|chown|dd|install|patch|touch|unlink"
    r"|rsync|tar|unzip|curl|wget|xargs|find|ed|ex|vim?|nano|git\\s+(checkout|restore|apply|stash|reset|clean|rm|mv))\\b"
)
COMMANDS = re.compile(r"\\bhooktui\\s+(trust|untrust|disconnect)\\b")
READERS = re.compile(r"(?i)(read|view|glob|grep|ls|list|search|fetch|cat)(_?\\w*)$")
PATCHED = re.compile(r"^\\*\\*\\* (?:Add|Update|Delete) File: (.+)$|^\\*\\*\\* Move to: (.+)$", re.MULTILINE)
WORD = re.compile(r"[^\\s\\"'`;|&<>()=]+")


def deny(reason):
    print(reason, file=sys.stderr)
    sys.exit(2)


def read_event():
    # Read the event from stdin.
    try:
        event = json.load(sys.stdin.buffer)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        deny("stdin must be a JSON object")
    return event


def is_protected(path, directory):
    # Tell whether a path, also behind links, is one to protect.
    path = os.path.expanduser(os.path.expandvars(path))
    full = os.path.normpath(os.path.join(directory, path))
    own = [os.environ[name] for name in VARIABLES if os.environ.get(name)]
    for place in (full, os.path.realpath(full)):
        if PROTECTED.search(place) or any(place == known or place.startswith(known + os.sep) for known in own):
            return True
    return False


def texts(value, key=""):
    # Yield the texts of a JSON value with the keys above them.
    if isinstance(value, str):
        yield key, value
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield from texts(inner, name)
    for inner in value if isinstance(value, list) else ():
        yield from texts(inner, key)


event = read_event()
tool, given = str(event.get("tool_name") or ""), event.get("tool_input")
directory = str(event.get("work_dir") or event.get("cwd") or os.getcwd())
if READERS.match(tool):
    sys.exit(0)
for key, text in texts(given):
    if "command" in key.lower() or key in ("cmd", "script"):
        if COMMANDS.search(text):
            deny("Only a person approves hooks and connects agents.")
        words = [word for word in WORD.findall(text) if WRITES.search(text)]
    elif "path" in key.lower() or key.lower() in ("file", "filename"):
        words = [text]
    else:
        words = ["".join(match) for match in PATCHED.findall(text)]
    for word in words:
        if is_protected(word, directory):
            deny(f"{word} belongs to the hooks or settings of an agent: a person has to edit it.")
"""


def hook_md(draft: HookDraft) -> str:
    """The text of its HOOK.md."""
    return _HOOK_MD.format(name=yaml_source.scalar(draft.name), trigger=draft.written)


def script() -> str:
    """The text of its script, in Python."""
    return _SCRIPT
