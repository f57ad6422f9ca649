"""Commands behind `hooktui exec`, and their traces in the log and the system."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
from typing import Any

from hooktui.log.store import import_journal
from tests import fork_server
from tests.command_world import DEADLINE_S, HOOKTUI, CommandWorld, wait_until

PAYLOAD = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
BYTES = random.Random(3).randbytes(3_000_000)


class World(CommandWorld):
    """Runs commands through `exec`, as a host would, and without it."""

    def observe(
        self, *command: str, stdin: bytes = b"", options: tuple[str, ...] = (), within: str = "."
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command through a forked `exec`, whose stdin is a file."""
        words = ("exec", *options, "--", *command)
        return fork_server.run(words, stdin, self.environment, self.project / within, DEADLINE_S)

    def begin(self, *command: str, **more: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen([*HOOKTUI, "exec", "--host", "claude", "--", *command], **self.streams, **more)

    @property
    def streams(self) -> dict[str, Any]:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return {"env": self.environment, "cwd": self.project, "bufsize": 0, **pipes}

    def recorded(self, count: int = 1) -> list[dict[str, Any]]:
        """The observed runs with their dispatches, oldest first, once there are this many."""
        wait_until(lambda: len(self._rows()) >= count)
        return self._rows()

    def _rows(self) -> list[dict[str, Any]]:
        import_journal.take(str(self.db))
        if not self.db.exists():
            return []
        with sqlite3.connect(f"file:{self.db}?mode=ro", uri=True) as connection:
            connection.row_factory = sqlite3.Row
            query = (
                "SELECT run.*, dispatch.event, dispatch.tool, dispatch.decision AS merged, hook.name, hook.file, hook.text,"
                " content.payload, session.host FROM dispatch JOIN run ON run.dispatch = dispatch.id"
                " JOIN hook ON hook.id = run.hook JOIN content ON content.id = dispatch.id"
                " JOIN session ON session.id = dispatch.session ORDER BY dispatch.id"
            )
            try:
                rows = [dict(row) for row in connection.execute(query)]
            except sqlite3.OperationalError:  # its tables are being made
                rows = []
        connection.close()
        return rows


def script(text: str) -> tuple[str, ...]:
    return ("sh", "-c", text)


def _status(pid: int) -> list[str]:
    """State, parent and so on."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return _status(pid)[0] == "Z"


def pid_of(world: World) -> int:
    """The process id that the command writes, once it has."""
    file = world.project / "pid"
    wait_until(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(file.read_text())
