"""A home with a project, and hooks of every format written as people write them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hooktui import formats
from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.core.model import Hook
from hooktui.edit import change_plan as planning
from hooktui.edit.change_plan import AppliedChange, ChangePlan
from hooktui.runner import trust

CLAUDE = """{
\t// mine
\t"model": "opus",
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{"matcher": "Bash|Edit", "hooks": [
\t\t\t\t{"type": "command", "command": "./first.sh", "timeout": 5}, // the first
\t\t\t\t{"type": "command", "command": "./second.sh"},
\t\t\t\t{"type": "command", "command": "./third.sh"}
\t\t\t]}
\t\t],
\t\t"Stop": [ { "hooks": [ {"type": "command", "command": "./stop.sh"} ] } ],
\t},
}
"""
VSCODE = """{
  "hooks": {
    "PreToolUse": [
      {"type": "command", "command": "./one.sh", "env": {"A": "1"}},
      /* two */ {"type": "command", "command": "./two.sh", "timeout": 7}
    ]
  }
}
"""
COPILOT = """{"version": 1, "hooks": {
    "preToolUse": [{"type": "command", "bash": "./guard.sh", "timeoutSec": 9, "matcher": "bash"}],
    "agentStop": [{"type": "command", "bash": "./done.sh"}]
}}"""
AZURE = """# the agent
api_version: azuresre.ai/v2
kind: ExtendedAgent
metadata:
  name: keeper
spec:
  hooks:
    Stop:
      # asks
      - type: prompt
        prompt: Is it done? $ARGUMENTS
      - type: command
        command: ./end.sh
    PostToolUse:
      - {type: command, command: ./after.sh, matcher: Bash}
---
api_version: azuresre.ai/v2
kind: GlobalHook
metadata:
  name: audit  # all of them
spec:
  eventType: PostToolUse
  activationMode: always
  hook:
    type: command
    matcher: '*'
    command: ./audit.sh
    timeout: 12
"""
HOOK_MD = """---
name: guard   # of the shell
description: Keeps the shell tidy
trigger: pre-tool-call
matcher:
  tool: '^Shell$'
  pattern: 'rm -rf'
timeout: 5500
priority: 900
---

# guard
"""
SCRIPT = '#!/bin/sh\ncat >/dev/null\necho "not that" >&2\nexit 2\n'
FILES = {
    "agenthooks": ".agents/hooks/guard/HOOK.md",
    "claude": ".claude/settings.json",
    "vscode": ".github/hooks/mine.json",
    "copilot": ".github/hooks/copilot.json",
    "azure": "agents/keeper.yaml",
}
TEXTS = {"agenthooks": HOOK_MD, "claude": CLAUDE, "vscode": VSCODE, "copilot": COPILOT, "azure": AZURE}
# How people's editors write files.
SPELLINGS = {
    "plain": lambda text: text.encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "no newline at the end": lambda text: text.rstrip("\n").encode(),
}


def at_home(patch: pytest.MonkeyPatch, home: str) -> None:
    """Make a directory the home."""
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOOKTUI_DB"):
        patch.delenv(variable, raising=False)
    patch.setenv("HOME", home)


class World:
    """A home and a project."""

    def __init__(self, home: Path) -> None:
        self.home = paths.canonical(str(home))
        self.project = os.path.join(self.home, "shop")
        os.makedirs(self.project)

    def add(self, format_name: str, spelling: str = "plain") -> str:
        """Write the file of a format; its path."""
        path = self.path(FILES[format_name])
        self.write(path, SPELLINGS[spelling](TEXTS[format_name]))
        if format_name == "agenthooks":
            script = os.path.join(os.path.dirname(path), "scripts", "run.sh")
            self.write(script, SCRIPT.encode())
            os.chmod(script, 0o755)
        return path

    def path(self, name: str) -> str:
        """A path below the project, or below the home with `~/`."""
        return os.path.join(self.home, name[2:]) if name.startswith("~/") else os.path.join(self.project, name)

    def write(self, path: str, content: bytes) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)

    def read(self, path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    def hooks(self, format_name: str) -> list[Hook]:
        return list(formats.load(format_name).discover(self.project).hooks)

    def hook(self, format_name: str, number: int = 0) -> Hook:
        return self.hooks(format_name)[number]

    def called(self, format_name: str, command: str) -> Hook:
        """The hook whose command contains a text."""
        return next(hook for hook in self.hooks(format_name) if command in (hook.command or ""))

    def do(self, plan: ChangePlan) -> AppliedChange:
        return planning.carry_out(plan, self.project)

    def undo(self, change: AppliedChange) -> AppliedChange:
        return planning.carry_out(planning.undone(change), self.project)

    def approve_all(self) -> None:
        found = catalog.load(self.project)
        trust.approve(self.project, {hook.identity: trust.digest(hook) for hook in found.hooks if hook.scope != "user"})

    def trusted(self) -> dict[str, str]:
        """The trust of each project hook, by the command it runs."""
        found = catalog.load(self.project)
        return {
            os.path.basename(hook.command or hook.name): found.trust[hook.id] for hook in found.hooks if hook.scope != "user"
        }

    def tree(self) -> dict[str, tuple[int, bytes]]:
        """Mode and bytes of every file of the home, except hooktui's state."""
        found = {}
        for directory, _, names in os.walk(self.home):
            for name in names:
                path = os.path.join(directory, name)
                if os.path.join(".local", "state") not in path and "cache" not in path:
                    found[os.path.relpath(path, self.home)] = (os.lstat(path).st_mode, self.read(path))
        return found
