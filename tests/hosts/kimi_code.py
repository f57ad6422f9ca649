"""The real Kimi Code in a home and a project of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.hosts.agent_world import AgentWorld
from tests.hosts.protocols import ChatCompletions
from tests.hosts.scripted_model import use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.hosts.protocols import Block


class KimiWorld(AgentWorld):
    """`hooktui` and Kimi Code in one home and project."""

    host = "kimi"
    api = ChatCompletions

    @property
    def config(self) -> Path:
        """The user's configuration, which has the hooks."""
        return self.home / ".kimi-code/config.toml"

    def configure(self, text: str) -> None:
        """Write the user's configuration."""
        self.config.parent.mkdir(exist_ok=True)
        self.config.write_text(text)

    def shell(self, command: str) -> Block:
        return use("Bash", command=command)

    def launch(self, url: str, prompt: str) -> tuple[Sequence[str | Path], Mapping[str, str]]:
        return (self.program.path, "-p", prompt), {
            "KIMI_CODE_NO_AUTO_UPDATE": "1",
            "KIMI_MODEL_NAME": "stub",
            "KIMI_MODEL_API_KEY": "none",
            "KIMI_MODEL_BASE_URL": f"{url}/v1",
            "KIMI_MODEL_PROVIDER_TYPE": "openai",
        }
