"""A home and a project of their own for real `hooktui` processes, with and without a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from hooktui.cli import main
from hooktui.log.store import import_journal
from tests import fork_server

HOOKTUI = (sys.executable, "-I", "-m", "hooktui")
DEADLINE_S = 60.0  # a busy machine is not the fault of a command


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; at a terminal everything is in `stdout`."""

    code: int
    stdout: str
    stderr: str = ""

    def json(self) -> Any:
        return json.loads(self.stdout)


class Running:
    """A command that runs in parallel with the test; every wait has a deadline."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdout
        self._stdout = process.stdout

    def line(self) -> str:
        """The next line that it prints."""
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self._stdout], [], [], DEADLINE_S)
            assert ready, "it printed nothing in time"
            letter = os.read(self._stdout.fileno(), 1)
            assert letter, "it ended without printing another line"
            line += letter
        return line.decode()

    def stop_reading(self) -> None:
        """Close our end of its output."""
        self._stdout.close()

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Press ctrl+c."""
        self.process.send_signal(number)

    def wait(self) -> Ended:
        """The result, without output that was read before."""
        code = self.process.wait(DEADLINE_S)
        assert self.process.stderr
        return Ended(code, "", self.process.stderr.read().decode())


class CommandWorld:
    """`home` and `project` below one directory, isolated from the machine's user."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = root / "project"
        self.home.mkdir(exist_ok=True)  # several programs may share them
        self.project.mkdir(exist_ok=True)
        self.db = self.home / ".local/state/hooktui/log.db"
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        self._started: list[subprocess.Popen[bytes]] = []

    def hook(self, name: str, script: str = "#!/bin/sh\n", *, scope: str = "user", **fields: object) -> Path:
        """Write a hook; `fields` go into its frontmatter, as JSON, which is YAML. Its directory."""
        root = self.home / ".config/agents/hooks" if scope == "user" else self.project / ".agents/hooks"
        directory = root / name
        (directory / "scripts").mkdir(parents=True)
        front = {"name": name, "description": "A hook", "trigger": "pre-tool-call", **fields}
        lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in front.items())
        (directory / "HOOK.md").write_text(f"---\n{lines}---\n")
        (directory / "scripts/run").write_text(script)
        (directory / "scripts/run").chmod(0o755)
        return directory

    def configure(self, text: str) -> None:
        """Write the user's configuration."""
        file = self.home / ".config/hooktui/config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(self, *arguments: str, stdin: str | dict[str, Any] = "", code: int | None = 0, **env: str) -> Ended:
        """Run a command in the project, without a terminal; it must exit with `code`, unless that is None.

        People's commands run in this process, agents' (`run` and `exec`) in a forked one, so that no interpreter
        has to start; `spawn` starts one.
        """
        text = stdin if isinstance(stdin, str) else json.dumps(stdin)
        forks = arguments[:1] in (("run",), ("exec",)) or _in_event_loop()  # commands run their own event loop
        return _checked((self._fork if forks else self._invoke)(arguments, text, env), code)

    def spawn(self, *arguments: str, stdin: str = "", code: int | None = 0, **env: str) -> Ended:
        """Run a command as a shell does, in a new interpreter."""
        done = subprocess.run(
            [*HOOKTUI, *arguments],
            input=stdin.encode(),
            env={**self.environment, **env},
            cwd=self.project,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
        return _checked(ended(done), code)

    def _fork(self, arguments: Sequence[str], stdin: str, env: Mapping[str, str]) -> Ended:
        return ended(fork_server.run(arguments, stdin.encode(), {**self.environment, **env}, self.project, DEADLINE_S))

    def _invoke(self, arguments: Sequence[str], stdin: str, env: Mapping[str, str]) -> Ended:
        command = click.Command("hooktui", callback=lambda: sys.exit(main.main(arguments)))
        only: dict[str, str | None] = {**dict.fromkeys(os.environ), **self.environment, **env}
        with contextlib.chdir(self.project):
            done = CliRunner().invoke(command, [], input=stdin, env=only, catch_exceptions=False)
        return Ended(done.exit_code, done.stdout, done.stderr)

    def start(self, *arguments: str) -> Running:
        """Start a command whose output is a pipe."""
        process = subprocess.Popen(
            [*HOOKTUI, *arguments],
            env=self.environment,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._started.append(process)
        return Running(process)

    def end(self) -> None:
        """End what is still running."""
        for process in self._started:
            process.kill()
            process.communicate()

    def fire(self, event: str = "pre-tool-call", **fields: object) -> dict[str, Any]:
        """Handle an agent's event; return the report."""
        payload = {"event_type": event, "session_id": "s1", "work_dir": str(self.project), **fields}
        report = self.run("run", "--json", stdin=payload, code=None).json()
        assert isinstance(report, dict)
        return report

    def approve(self) -> None:
        """Approve the hooks of the project."""
        self.run("trust", "--hash", self.run("status", "--json").json()["hash"])

    def stored(self) -> Path:
        """The log, with all events in it."""
        import_journal.take(str(self.db))
        return self.db

    def at_terminal(self, *arguments: str, types: str = "", columns: int = 80, **env: str) -> Ended:
        """Run a command at a terminal of its own, and type an answer as soon as it asks."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with fork_server.started(arguments, [theirs] * 3, {**self.environment, **env}, self.project, DEADLINE_S) as exit_code:
            os.close(theirs)
            os.write(ours, types.encode())
            shown = _read_all(ours)
            os.close(ours)
            return Ended(exit_code(), shown.decode().replace("\r\n", "\n"))


def _in_event_loop() -> bool:
    with contextlib.suppress(RuntimeError):
        return asyncio.get_running_loop().is_running()
    return False


def ended(done: subprocess.CompletedProcess[bytes]) -> Ended:
    """How a process ended, without a traceback."""
    ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in ended.stderr
    return ended


def _checked(ended: Ended, code: int | None) -> Ended:
    assert code is None or ended.code == code, ended.stderr
    return ended


def wait_until(holds: Callable[[], object]) -> None:
    """Wait for a condition; fails after the deadline."""
    end = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.01)


def _read_all(fd: int) -> bytes:
    shown = b""
    end = time.monotonic() + DEADLINE_S
    while select.select([fd], [], [], end - time.monotonic())[0]:
        try:
            chunk = os.read(fd, 65536)
        except OSError:  # Linux reports EIO when the last process has closed the terminal
            break
        if not chunk:
            break
        shown += chunk
    return shown
