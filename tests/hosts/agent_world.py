"""A home and a project with `hooktui` and a real agent program, offline, driven by a scripted model.

A module per program subclasses `AgentWorld` with how to prepare and start it.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from tests.command_world import HOOKTUI, CommandWorld, Ended
from tests.hosts.agent_session import ended, play
from tests.hosts.programs import NODE
from tests.hosts.scripted_model import ScriptedModel, say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from subprocess import CompletedProcess

    from tests.hosts.agent_session import Session
    from tests.hosts.programs import Program
    from tests.hosts.protocols import Api, Block

MARKER = "ran.txt"


class AgentWorld(CommandWorld, ABC):
    """`hooktui` and an agent program in one home and project."""

    host: ClassVar[str]
    api: ClassVar[type[Api]]

    def __init__(self, root: Path, program: Program) -> None:
        super().__init__(root)
        self.program = program
        self.environment["PATH"] = os.pathsep.join((NODE, self.environment["PATH"]))
        self.environment["NODE_COMPILE_CACHE"] = str(program.directory / "compiled")

    @abstractmethod
    def shell(self, command: str) -> Block:
        """The model calls the program's shell."""

    @abstractmethod
    def launch(self, url: str, prompt: str) -> tuple[Sequence[str | Path], Mapping[str, str]]:
        """The command for one prompt, and the variables that lead it to a model at `url`."""

    @property
    def marker(self) -> Path:
        """The file that the usual script's tool leaves in the project."""
        return self.project / MARKER

    def connect(self) -> None:
        """Connect the program, and do what it asks of its user for that."""
        self.run("connect", self.host, "--yes")

    def session(
        self,
        *script: Block,
        prompt: str = "do it",
        options: tuple[str, ...] = (),
        sub: str = "",
        inside: tuple[str, ...] = (),
        **env: str,
    ) -> Session:
        """Run the agent; by default it calls its shell once, to leave the marker, and stops.

        `options` are the program's, `sub` is the subdirectory of the project that it starts in, and `inside` is a prefix
        of its command, such as for a mount namespace.
        """
        usual = (self.shell(f"echo original >> {MARKER}"), say("all done"))
        with ScriptedModel(*(script or usual), api=self.api()) as model:
            command, variables = self.launch(model.url, prompt)
            done = play((*inside, *command, *options), self.project / sub, {**self.environment, **variables, **env})
            return ended(model, self.result(done))

    def hooktui(self, *arguments: str, sub: str = "", inside: tuple[str, ...] = (), **env: str) -> Ended:
        """Run `hooktui` as `session` runs the agent, whatever its exit code."""
        command = (*inside, *HOOKTUI, *arguments)
        done = play(command, self.project / sub, {**self.environment, **env})
        assert "Traceback" not in done.stderr, done.stderr
        return Ended(done.returncode, done.stdout, done.stderr)

    def result(self, done: CompletedProcess[str]) -> str:
        """The agent's final output for the user."""
        return done.stdout + done.stderr

    def write(self, name: str, content: Any) -> Path:
        """Write a JSON file: below the home with `~/`, else below the project."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2))
        return path

    def decisions(self, query: str = "") -> list[dict[str, Any]]:
        """The reports in the log."""
        return [json.loads(line) for line in self.run("log", *query.split(), "--json").stdout.splitlines()]
