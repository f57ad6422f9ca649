"""The real Claude Code in a home and a project of its own, driven by a scripted model."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.hosts import programs
from tests.hosts.agent_session import play
from tests.hosts.agent_world import AgentWorld
from tests.hosts.protocols import Messages
from tests.hosts.scripted_model import bash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.conformance.seen_in_claude import Did
    from tests.hosts.agent_session import Session
    from tests.hosts.programs import Program
    from tests.hosts.protocols import Block

_QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
_NEW_ANSWERS = (2, 1, 300)
# For what differs between versions, or is said of both.
IN_BOTH_VERSIONS = pytest.mark.parametrize("world", [programs.PINNED, programs.NEWEST], indirect=True)


class ClaudeWorld(AgentWorld):
    """`hooktui` and Claude Code in one home and project."""

    host = "claude"
    api = Messages

    def __init__(self, root: Path, program: Program) -> None:
        super().__init__(root, program)
        self.debug_log = root / "debug.log"
        self.logs_at_home = False  # a debug log of each session where Claude Code puts it

    @property
    def new_answers(self) -> bool:
        """Whether this version obeys `onFailure`, and stops on `continue: false` with a denial (formats.md: 2.1.330)."""
        return self.program.version >= _NEW_ANSWERS

    def settings(self, name: str = "~/.claude/settings.json") -> Path:
        """The path of a settings file, below the home with `~/`, else below the project; creates its directory."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def connect(self) -> None:
        self.run("connect", self.host, "--yes")

    def shell(self, command: str) -> Block:
        return bash(command)

    def launch(self, url: str, prompt: str) -> tuple[Sequence[str | Path], Mapping[str, str]]:
        self.debug_log.unlink(missing_ok=True)
        debug = ("--debug",) if self.logs_at_home else ("--debug-file", str(self.debug_log))
        command = (self.program.path, "-p", prompt, "--allowedTools", "Bash,Skill", "--output-format", "json", *debug)
        return command, {**_QUIET, "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"}

    def result(self, done: subprocess.CompletedProcess[str]) -> str:
        answer: dict[str, Any] = json.loads(done.stdout or "{}")
        return str(answer.get("result", done.stderr))

    def program_command(self, *arguments: str, may_fail: bool = False) -> str:
        """Run a command of Claude Code itself, such as `plugin install`; return its output."""
        done = play((self.program.path, *arguments), self.project, {**self.environment, **_QUIET})
        assert may_fail or done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def accept_folder(self) -> None:
        """Trust the project's folder, as a person would in Claude's dialog."""
        trusted = {"projects": {str(self.project): {"hasTrustDialogAccepted": True}}}
        (self.home / ".claude.json").write_text(json.dumps(trusted))

    def commit(self) -> None:
        """Make the project a repository with all files committed."""
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        for words in (["init", "-q"], ["add", "--all"], [*who, "commit", "-qm", "all"]):
            subprocess.run(["git", *words], cwd=self.project, env=self.environment, check=True)

    def changes_in_git(self) -> str:
        """What git would add or change."""
        command = ("git", "status", "--porcelain", "--untracked-files=all")
        return play(command, self.project, self.environment).stdout

    def answers_in_debug_log(self) -> set[str]:
        """The lines that hooks printed, from Claude's own debug log."""
        text = self.debug_log.read_text(encoding="utf-8").replace("\\n", "\n")
        return set(re.findall(r"Hook \S+ \(\w+\) success:\n(.+?)\"?$", text, re.MULTILINE))

    def did(self, session: Session, event: str) -> Did:
        """The result of the usual script, in the words of the table "Seen in the real Claude Code"."""
        if session.turns == 0:
            return "unheard"
        if event == "Stop":
            return "on" if session.turns > 2 else "stopped"
        return "ran" if self.marker.exists() else "kept"

    def shown(self) -> list[str]:
        """The hook messages that Claude showed to the user, from its own transcripts."""
        attachments = [line.get("attachment") or {} for line in self._transcripts()]
        return [item["content"] for item in attachments if item.get("type") == "hook_system_message"]

    def _transcripts(self) -> list[dict[str, Any]]:
        files = sorted(self.home.glob(".claude/projects/*/*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]

    def trust(self) -> None:
        """Approve the project's hooks."""
        self.run("trust", "--hash", self.run("status", "--json").json()["hash"])
