"""The real Factory droid in a home and a project of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.hosts.agent_world import AgentWorld
from tests.hosts.protocols import ChatCompletions
from tests.hosts.scripted_model import use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.hosts.protocols import Block


class DroidWorld(AgentWorld):
    """`hooktui` and droid in one home and project."""

    host = "droid"
    api = ChatCompletions

    def shell(self, command: str) -> Block:
        """The model calls droid's shell, `Execute`."""
        return use("Execute", command=command, timeout=60, riskLevel="low", riskLevelReason="It is a test.")

    def launch(self, url: str, prompt: str) -> tuple[Sequence[str | Path], Mapping[str, str]]:
        model = {"model": "stub", "displayName": "stub", "baseUrl": f"{url}/v1", "apiKey": "none"}
        model |= {"provider": "generic-chat-completion-api"}
        settings = Path(self.environment.get("FACTORY_HOME_OVERRIDE", self.home)) / ".factory/settings.json"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(json.dumps({"customModels": [model | {"maxOutputTokens": 1000}]}))
        return (self.program.path, "exec", "--auto", "high", "-m", "custom:stub-0", prompt), {"FACTORY_API_KEY": "none"}

    @property
    def hooks(self) -> Path:
        """The project's hook file."""
        return self.project / ".factory/hooks.json"
