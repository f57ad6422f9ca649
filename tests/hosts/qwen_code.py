"""The real Qwen Code in a home and a project of its own."""

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


class QwenWorld(AgentWorld):
    """`hooktui` and Qwen Code in one home and a trusted folder."""

    host = "qwen"
    api = ChatCompletions

    def __init__(self, root: Path, program: Program) -> None:
        super().__init__(root, program)
        self.settings = self.project / ".qwen/settings.json"
        offline = {"general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False}}
        quiet = {"memory": {"enabled": False}}
        self.write("~/.qwen/settings.json", {**offline, **quiet, "security": {"auth": {"selectedType": "openai"}}})

    def shell(self, command: str) -> Block:
        return use("run_shell_command", command=command, description="a step", is_background=False)

    def launch(self, url: str, prompt: str) -> tuple[Sequence[str | Path], Mapping[str, str]]:
        command = (self.program.path, "--approval-mode", "yolo", "-p", prompt)
        model = {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "scripted"}
        return command, {**model, "QWEN_CODE_NO_RELAUNCH": "true"}
