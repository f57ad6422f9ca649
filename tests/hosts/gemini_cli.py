"""The real Gemini CLI in a home and a project of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.hosts.agent_world import AgentWorld
from tests.hosts.protocols import GenerateContent
from tests.hosts.scripted_model import use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.hosts.programs import Program
    from tests.hosts.protocols import Block


class GeminiWorld(AgentWorld):
    """`hooktui` and Gemini CLI in one home and a trusted folder."""

    host = "gemini"
    api = GenerateContent

    def __init__(self, root: Path, program: Program) -> None:
        super().__init__(root, program)
        self.settings = self.project / ".gemini/settings.json"
        offline = {"general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False}}
        security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
        self.write("~/.gemini/settings.json", {**offline, "security": security, "telemetry": {"enabled": False}})

    def shell(self, command: str) -> Block:
        return use("run_shell_command", command=command, description="a step")

    def launch(self, url: str, prompt: str) -> tuple[Sequence[str | Path], Mapping[str, str]]:
        command = (self.program.path, "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", prompt)
        return command, {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",  # half the start
        }
