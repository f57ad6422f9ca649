"""The real Codex CLI in a home and a project of its own, offline, driven by a scripted model."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from tests.command_world import DEADLINE_S, CommandWorld
from tests.hosts.agent_session import ended, play
from tests.hosts.protocols import Responses
from tests.hosts.scripted_model import ScriptedModel, say, use

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hosts.agent_session import Session
    from tests.hosts.programs import Program
    from tests.hosts.protocols import Block

MARKER = "ran.txt"
_HOOKS = ".codex/hooks.json"


def shell(command: str) -> Block:
    """The model calls Codex CLI's shell, which hooks know as `Bash`."""
    return use("exec_command", cmd=command)


class CodexWorld(CommandWorld):
    """`hooktui` and Codex CLI in one home and a trusted project."""

    def __init__(self, root: Path, program: Program) -> None:
        super().__init__(root)
        self.program = program
        self._config = self.home / ".codex/config.toml"
        self._config.parent.mkdir()
        self._config.write_text(
            'model = "gpt-5"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n'
            f'[projects."{self.project}"]\ntrust_level = "trusted"\n'
        )

    @property
    def marker(self) -> Path:
        """The file that the usual script's tool leaves in the project."""
        return self.project / MARKER

    @property
    def hooks(self) -> Path:
        """The project's hook file."""
        return self.project / _HOOKS

    def write_hooks(self, *commands: str, event: str = "PreToolUse") -> None:
        """Write a hook file with a group for each command."""
        groups = [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]} for command in commands]
        self.hooks.parent.mkdir(exist_ok=True)
        self.hooks.write_text(json.dumps({"hooks": {event: groups}}, indent=2))

    def session(self, *script: Block, prompt: str = "do it") -> Session:
        """Run the agent; by default it calls its shell once, to leave the marker, and stops."""
        with ScriptedModel(*(script or (shell(f"echo original >> {MARKER}"), say("all done"))), api=Responses()) as model:
            provider = f'{{name="stub", base_url="{model.url}/v1", wire_api="responses", env_key="STUB_KEY"}}'
            settings = ("-c", f"model_providers.stub={provider}", "-c", 'model_provider="stub"')
            command = (self.program.path, "exec", "--skip-git-repo-check", *settings, prompt)
            done = play(command, self.project, {**self.environment, "STUB_KEY": "none"})
            return ended(model, done.stdout + done.stderr)

    def trust(self) -> None:
        """Trust every hook, as the user does in `/hooks`."""
        trusted = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in self.listed()}
        edit = {"keyPath": "hooks.state", "value": trusted, "mergeStrategy": "upsert"}
        self._ask("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})

    def listed(self) -> list[dict[str, Any]]:
        """The hooks as Codex lists them, with its trust in each."""
        answer = self._ask("hooks/list", {"cwds": [str(self.project)]})
        return [hook for place in answer["data"] for hook in place["hooks"]]

    def decisions(self, query: str = "") -> list[dict[str, Any]]:
        """The reports in the log."""
        return [json.loads(line) for line in self.run("log", *query.split(), "--json").stdout.splitlines()]

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
