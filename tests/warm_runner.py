"""A warm runner of its own for tests, and calls of it through the compiled client."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from hooktui.cli import warm_client
from hooktui.runner.warm import runtime
from tests.command_world import DEADLINE_S, wait_until
from tests.faults.agent import Agent

COLD = 77  # the exit code of a client that would have become the cold runner


@cache
def compiled_client() -> str:
    """The client, compiled once for all tests of this process."""
    assert os.path.exists(warm_client._SOURCE), "the client has no source, which a missing compiler would hide"
    directory = tempfile.TemporaryDirectory(prefix="hooktui-client-")
    atexit.register(directory.cleanup)
    program = os.path.join(directory.name, "client")
    try:
        warm_client.compile_to(program)
    except warm_client.CompileError as error:
        pytest.skip(str(error))
    return program


class WarmRunner:
    """A server whose launcher, home and runtime directory are below one directory.

    `code` is the program of the cold runner: by default it tells that it was started.
    """

    def __init__(self, root: Path) -> None:
        self.code = f"import sys; sys.exit({COLD})"
        self._started: list[subprocess.Popen[bytes]] = []
        self.runtime, self.home, self.client = root / "run", root / "home", compiled_client()
        self.socket = self.runtime / "hooktui" / "warm.socket"
        self.launcher = str(self.home / ".local/share/hooktui/hook")
        self.environment = {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.runtime), "PATH": os.environ["PATH"]}
        for directory in (root, self.runtime, self.home):
            directory.mkdir(mode=0o700, exist_ok=True)

    def start(self, idle_s: float = 600, **options: Any) -> subprocess.Popen[bytes]:
        """Start the server and wait until it listens."""
        server = self.spawn(idle_s, **options)
        wait_until(lambda: self.listens() or server.poll() is not None)
        assert server.poll() is None, "the server has ended"
        return server

    def spawn(self, idle_s: float = 600, **options: Any) -> subprocess.Popen[bytes]:
        """Start the server."""
        command = (sys.executable, "-I", "-X", "utf8", "-m", "hooktui.cli.resident", str(idle_s))
        server: subprocess.Popen[bytes] = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, **options)
        self._started.append(server)
        return server

    def close(self) -> None:
        """End what is still running, and a successor that it has started."""
        for server in self._started:
            server.kill()
            server.wait()
        with patch.dict(os.environ, self.environment), suppress(OSError):
            successor = runtime.listener()
            if successor is not None:
                os.kill(successor, signal.SIGKILL)

    def listens(self) -> bool:
        """Whether a server accepts connections."""
        place = os.open(self.socket.parent, os.O_PATH) if self.socket.parent.exists() else None
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(f"/proc/self/fd/{place}/{self.socket.name}")
        except OSError:
            return False
        finally:
            if place is not None:
                os.close(place)
        return True

    def command(self, *arguments: str) -> tuple[str, ...]:
        """The command line of the client for `run` with these arguments; cold, it exits with COLD."""
        return (self.client, sys.executable, "-I", "-S", "-c", self.code, self.launcher, "run", *arguments)

    def run(
        self,
        arguments: Sequence[str],
        stdin: bytes,
        env: Mapping[str, str],
        cwd: Path,
        in_child: Callable[[], None] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Handle an event, as `hooktui run` with these arguments would."""
        return subprocess.run(
            self.command(*arguments),
            input=stdin,
            env={**env, "XDG_RUNTIME_DIR": str(self.runtime)},
            cwd=cwd,
            preexec_fn=in_child,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )


def ended(server: subprocess.Popen[bytes]) -> int:
    """The exit code of a server."""
    return server.wait(DEADLINE_S)


def send(runner: WarmRunner, agent: Agent, *arguments: str, env: dict[str, str] | None = None, **options: Any) -> Any:
    """Send an event through the client."""
    stdin = json.dumps(agent.event()).encode()
    return runner.run(["--json", *arguments], stdin, {**agent.environment, **(env or {})}, agent.project, **options)
