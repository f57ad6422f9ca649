"""An agent that calls `hooktui run` with any bytes, in any environment."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests import fork_server
from tests.command_world import DEADLINE_S, HOOKTUI, CommandWorld, Ended, ended

DENY = "#!/bin/sh\necho no >&2\nexit 2\n"


class Agent(CommandWorld):
    """`world` for the hooks and the commands, `call` for the events."""

    def event(self, name: str = "pre-tool-call", **fields: object) -> dict[str, Any]:
        """A valid payload."""
        common = {"event_type": name, "session_id": "s1", "work_dir": str(self.project)}
        return {**common, "tool_name": "Shell", "tool_input": {"command": "ls"}, **fields}

    def call(
        self,
        stdin: bytes | Mapping[str, Any] | None = None,
        *arguments: str,
        command: Sequence[str] | None = None,
        cwd: Path | None = None,
        in_child: Callable[[], None] | None = None,
        env: Mapping[str, str | None] | None = None,
    ) -> Ended:
        """Send an event, by default a valid one; `env` adds variables, and removes those that are None.

        An interpreter starts only for a `command`, in a `cwd` of its own or after `in_child`: else the process is forked.
        """
        payload = self.event() if stdin is None else stdin
        text = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        variables = {name: value for name, value in {**self.environment, **(env or {})}.items() if value is not None}
        if not (command or cwd or in_child):
            return ended(fork_server.run(("run", *arguments), text, variables, self.project, DEADLINE_S))
        done = subprocess.run(
            [*(command or HOOKTUI), "run", *arguments],
            input=text,
            env=variables,
            cwd=cwd or self.project,
            preexec_fn=in_child,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
        return ended(done)

    def report(self, stdin: bytes | Mapping[str, Any] | None = None, *arguments: str, **options: Any) -> Ended:
        """Send an event and return the report. With `--json`, stderr has the warnings even if the event is denied."""
        return self.call(stdin, *arguments, "--json", **options)

    def recorded(self) -> list[dict[str, Any]]:
        """The reports in the log, oldest first."""
        return [json.loads(line) for line in self.run("log", "--json").stdout.splitlines()]

    def warning(self, done: Ended) -> str:
        """The only line on stderr."""
        (line,) = done.stderr.splitlines()
        assert line.startswith("hooktui: ")
        return line
