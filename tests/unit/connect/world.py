"""A home and a project for the engine to connect hosts in."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hooktui import connect, hosts
from hooktui.connect import SITES, ConnectionPlan, Scope, json_text
from hooktui.core import events
from hooktui.log.store import import_journal
from tests.command_world import wait_until


class World:
    """`home` and `project`; the environment points at them."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        self.home.mkdir()
        self.project.mkdir()

    def file(self, host: str, scope: Scope = "project") -> Path:
        """The file with a host's entries."""
        return Path(SITES[host].file(scope, str(self.project)))

    def write(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def connect(self, host: str, scope: Scope = "project", *names: str, observe: bool = False) -> ConnectionPlan:
        """Connect a host for some events, by default those of a tool, a gate and the session."""
        usual = (hosts.spec(host).spelling(event) or "" for event in ("pre-session", "pre-tool-call", events.GATE))
        plan = connect.connect(host, scope, str(self.project), names or tuple(usual), observe=observe)
        connect.carry_out(plan)
        return plan

    def disconnect(self, host: str, scope: Scope = "project") -> ConnectionPlan:
        plan = connect.disconnect(host, str(self.project), scope)
        connect.carry_out(plan)
        return plan

    def decisions(self, count: int) -> list[str]:
        """The decisions in the log, once there are this many: runs are recorded after the host has its answer."""
        db = self.home / ".local/state/hooktui/log.db"
        found: list[str] = []

        def recorded() -> bool:
            import_journal.take(str(db))
            # Until the log is made there is no such file or table.
            with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as log:
                found[:] = [row[0] for row in log.execute("SELECT decision FROM dispatch ORDER BY id")]
            return len(found) >= count

        wait_until(recorded)
        return found

    def forget(self) -> None:
        """Delete the memory of connections."""
        (self.home / ".local/state/hooktui/connections.json").unlink()

    def tree(self) -> dict[str, bytes | None]:
        """Every path below home and project, hooktui's own state apart, with the bytes of files."""
        paths = [*self.home.rglob("*"), *self.project.rglob("*")]
        own = self.home / ".local"
        return {str(path): path.read_bytes() if path.is_file() else None for path in paths if own not in (path, *path.parents)}


@contextmanager
def a_world() -> Iterator[World]:
    """A world for one example of a property."""
    variables = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    saved = {name: os.environ.get(name) for name in variables}
    with TemporaryDirectory() as root:
        try:
            for name in saved:
                os.environ.pop(name, None)
            os.environ["HOME"] = os.path.join(root, "home")
            yield World(Path(root))
        finally:
            os.environ.update({name: value for name, value in saved.items() if value is not None})


def value_of(text: str) -> Any:
    """The value in a file's text."""
    return json_text.root(text, "x.json").value
