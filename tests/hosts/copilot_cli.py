"""The real Copilot CLI in a home and a project of its own, offline, driven by a scripted model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.command_world import CommandWorld
from tests.hosts.agent_session import ended, play
from tests.hosts.protocols import ChatCompletions
from tests.hosts.scripted_model import ScriptedModel, say, use

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hosts.agent_session import Session
    from tests.hosts.programs import Program
    from tests.hosts.protocols import Block

MARKER = "ran.txt"


def shell(command: str) -> Block:
    """The model calls Copilot CLI's shell."""
    return use("bash", command=command, description="a step")


class CopilotWorld(CommandWorld):
    """`hooktui` and Copilot CLI in one home and a trusted folder: elsewhere Copilot runs no project hooks."""

    def __init__(self, root: Path, program: Program) -> None:
        super().__init__(root)
        self.program = program
        self.write("~/.copilot/config.json", {"trustedFolders": [str(self.project)]})
        unpacked = self.home / ".cache/copilot"
        unpacked.parent.mkdir()
        unpacked.symlink_to(program.directory / "unpacked/copilot")  # otherwise 230 MB for each test

    @property
    def marker(self) -> Path:
        """The file that the usual script's tool leaves in the project."""
        return self.project / MARKER

    def write(self, name: str, content: Any) -> Path:
        """Write a JSON file: below the home with `~/`, else below the project."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2))
        return path

    def session(self, *script: Block, prompt: str = "do it") -> Session:
        """Run the agent; by default it calls its shell once, to leave the marker, and stops."""
        command = (self.program.path, "-p", prompt, "--allow-all-tools", "--no-color", "--log-dir", str(self.home / "logs"))
        with ScriptedModel(*(script or (shell(f"echo original >> {MARKER}"), say("all done"))), api=ChatCompletions()) as model:
            offline = {
                "COPILOT_OFFLINE": "true",
                "COPILOT_AUTO_UPDATE": "false",
                "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
                "COPILOT_PROVIDER_API_KEY": "none",
                "COPILOT_MODEL": "gpt-5-mini",  # a name that it knows; the model is not called
            }
            done = play(command, self.project, {**self.environment, **offline})
            return ended(model, done.stdout + done.stderr)

    def decisions(self, query: str = "") -> list[dict[str, Any]]:
        """The reports in the log."""
        return [json.loads(line) for line in self.run("log", *query.split(), "--json").stdout.splitlines()]
