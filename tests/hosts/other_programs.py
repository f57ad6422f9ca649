"""The real agent programs other than Claude Code and Codex CLI, each in a home and a project of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.hosts.agent_world import AgentWorld
from tests.hosts.protocols import ChatCompletions, GenerateContent
from tests.hosts.scripted_model import use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.hosts.programs import Program
    from tests.hosts.protocols import Block

_LOOK_UPS = ("AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS", "LSP_DOWNLOAD")
_OFFLINE = "http://127.0.0.1:9"  # where nothing listens: what opencode looks up elsewhere fails at once
# What a person's second session finds: without it each one starts npm's installer, for seconds.
_INSTALLED = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1"}}}}
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy")


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
