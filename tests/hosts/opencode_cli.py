"""The real opencode in a home and a project of its own."""

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

_LOOK_UPS = ("AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS", "LSP_DOWNLOAD")
_OFFLINE = "http://127.0.0.1:9"  # where nothing listens: what opencode looks up elsewhere fails at once
# What a person's second session finds: without it each one starts npm's installer, for seconds.
_INSTALLED = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1"}}}}
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy")


class OpencodeWorld(AgentWorld):
    """`hooktui` and opencode in one home and project."""

    host = "opencode"
    api = ChatCompletions

    def shell(self, command: str) -> Block:
        return use("bash", command=command, description="a step")

    def launch(self, url: str, prompt: str) -> tuple[Sequence[str | Path], Mapping[str, str]]:
        options = {"baseURL": f"{url}/v1", "apiKey": "none"}
        limit = {"context": 200_000, "output": 8_000}
        models = {"stub": {"name": "stub", "tool_call": True, "limit": limit}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "stub", "options": options, "models": models}
        config = {"model": "stub/stub", "permission": {"*": "allow"}, "provider": {"stub": provider}, "snapshot": False}
        directory = Path(self.environment.get("XDG_CONFIG_HOME", self.home / ".config")) / "opencode"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "opencode.json").write_text(json.dumps(config))
        for place in filter(Path.is_dir, (directory, self.project / ".opencode")):
            (place / "node_modules").mkdir(exist_ok=True)
            (place / "package-lock.json").write_text(json.dumps(_INSTALLED))
        variables = {f"OPENCODE_DISABLE_{what}": "1" for what in _LOOK_UPS}
        variables |= dict.fromkeys(_PROXIES, _OFFLINE) | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        return (self.program.path, "run", "--title", "a test", prompt), variables | {"npm_config_offline": "true"}
