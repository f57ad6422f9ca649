"""The real Codex CLI in a home and a project of its own."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from tests.command_world import DEADLINE_S
from tests.hosts.agent_world import AgentWorld
from tests.hosts.protocols import Responses
from tests.hosts.scripted_model import use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.hosts.programs import Program
    from tests.hosts.protocols import Block

_HOOKS = ".codex/hooks.json"


class CodexWorld(AgentWorld):
    """`hooktui` and Codex CLI in one home and a trusted project."""

    host = "codex"
    api = Responses

    def __init__(self, root: Path, program: Program) -> None:
        super().__init__(root, program)
        self._config = self.home / ".codex/config.toml"
        self._config.parent.mkdir()
        self._config.write_text(
            'model = "gpt-5"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n'
            f'[projects."{self.project}"]\ntrust_level = "trusted"\n'
        )

    def shell(self, command: str) -> Block:
        """The model calls Codex CLI's shell, which hooks know as `Bash`."""
        return use("exec_command", cmd=command)

    def launch(self, url: str, prompt: str) -> tuple[Sequence[str | Path], Mapping[str, str]]:
        provider = f'{{name="stub", base_url="{url}/v1", wire_api="responses", env_key="STUB_KEY"}}'
        settings = ("-c", f"model_providers.stub={provider}", "-c", 'model_provider="stub"')
        return (self.program.path, "exec", "--skip-git-repo-check", *settings, prompt), {"STUB_KEY": "none"}

    def connect(self) -> None:
        super().connect()
        self.trust()

    @property
    def hooks(self) -> Path:
        """The project's hook file."""
        return self.project / _HOOKS

    def write_hooks(self, *commands: str, event: str = "PreToolUse") -> None:
        """Write a hook file with a group for each command."""
        groups = [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]} for command in commands]
        self.hooks.parent.mkdir(exist_ok=True)
        self.hooks.write_text(json.dumps({"hooks": {event: groups}}, indent=2))

    def trust(self) -> None:
        """Trust every hook, as the user does in `/hooks`."""
        trusted = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in self.listed()}
        edit = {"keyPath": "hooks.state", "value": trusted, "mergeStrategy": "upsert"}
        self._ask("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})

    def listed(self) -> list[dict[str, Any]]:
        """The hooks as Codex lists them, with its trust in each."""
        answer = self._ask("hooks/list", {"cwds": [str(self.project)]})
        return [hook for place in answer["data"] for hook in place["hooks"]]

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The result of a request to Codex's app server, which ends with its stdin."""
        greeting = {"clientInfo": {"name": "test", "version": "1"}}
        requests = (
            {"id": 1, "method": "initialize", "params": greeting},
            {"method": "initialized"},
            {"id": 2, "method": method, "params": parameters},
        )
        with subprocess.Popen(
            [self.program.path, "app-server"],
            env=self.environment,
            cwd=self.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            assert server.stdin and server.stdout
            server.stdin.write("".join(f"{json.dumps(request)}\n" for request in requests))
            server.stdin.flush()
            answers = map(json.loads, server.stdout)
            result: dict[str, Any] = next(answer["result"] for answer in answers if answer.get("id") == 2)
            server.stdin.close()
            server.wait(DEADLINE_S)
        return result
