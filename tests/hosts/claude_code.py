"""The real Claude Code in a home and a project of its own, driven by a scripted model."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.command_world import CommandWorld
from tests.hosts.scripted_model import ScriptedModel, bash, say

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.seen_in_claude import Did
    from tests.hosts.scripted_model import Block

_QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
_DEADLINE_S = 90
MARKER = "ran.txt"


@dataclass(frozen=True, slots=True)
class Session:
    """One run of the agent: the requests that its model got, all it was told, and the agent's last words."""

    turns: int
    heard: str
    result: str


class ClaudeWorld(CommandWorld):
    """`hooktui` and Claude Code side by side."""

    def __init__(self, root: Path, program: Path) -> None:
        super().__init__(root)
        self.program = program

    @property
    def marker(self) -> Path:
        """What the usual script's tool leaves in the project."""
        return self.project / MARKER

    def settings(self, name: str = "~/.claude/settings.json") -> Path:
        """A settings file: below the home with `~/`, else below the project. Its directory is made."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def session(self, *script: Block, prompt: str = "do it") -> Session:
        """Let the agent work; by default it calls its shell once, to leave the marker, and stops."""
        with ScriptedModel(*(script or (bash(f"echo original >> {MARKER}"), say("all done")))) as model:
            done = subprocess.run(
                [self.program, "-p", prompt, "--allowedTools", "Bash", "--output-format", "json"],
                env={**self.environment, **_QUIET, "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none"},
                cwd=self.project,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_DEADLINE_S,
                check=False,
            )
            answer: dict[str, Any] = json.loads(done.stdout or "{}")
            return Session(len(model.requests), model.heard(), str(answer.get("result", done.stderr)))

    def did(self, session: Session, event: str) -> Did:
        """What came of the usual script, in the words of the table of what Claude was seen to do."""
        if session.turns == 0:
            return "unheard"
        if event == "Stop":
            return "on" if session.turns > 2 else "stopped"
        return "ran" if self.marker.exists() else "kept"

    def decisions(self, query: str = "") -> list[dict[str, Any]]:
        """The reports in the log."""
        return [json.loads(line) for line in self.run("log", *query.split(), "--json").stdout.splitlines()]
