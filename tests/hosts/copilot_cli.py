"""The real Copilot CLI in a home and a project of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.hosts.agent_world import AgentWorld
from tests.hosts.protocols import ChatCompletions
from tests.hosts.scripted_model import use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.hosts.programs import Program
    from tests.hosts.protocols import Block


class CopilotWorld(AgentWorld):
    """`hooktui` and Copilot CLI in one home and a trusted folder: elsewhere Copilot runs no project hooks."""

    host = "copilot"
    api = ChatCompletions

    def __init__(self, root: Path, program: Program) -> None:
        super().__init__(root, program)
        self.write("~/.copilot/config.json", {"trustedFolders": [str(self.project)]})
        unpacked = self.home / ".cache/copilot"
        unpacked.parent.mkdir()
        unpacked.symlink_to(program.directory / "unpacked/copilot")  # otherwise 230 MB for each test

    def shell(self, command: str) -> Block:
        return use("bash", command=command, description="a step")

    def launch(self, url: str, prompt: str) -> tuple[Sequence[str | Path], Mapping[str, str]]:
        command = (self.program.path, "-p", prompt, "--allow-all-tools", "--no-color", "--log-dir", str(self.home / "logs"))
        return command, {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "gpt-5-mini",  # a name that it knows; the model is not called
        }
