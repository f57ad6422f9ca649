"""hooktui in a temporary virtual environment, which a test can remove."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.command_world import CommandWorld
from tests.hosts.agent_session import play


class OwnPython:
    """A Python below `root` with the packages of this one."""

    def __init__(self, world: CommandWorld, root: Path) -> None:
        self._world = world
        self.root = root
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root)], check=True)
        (packages,) = root.glob("lib/python*/site-packages")
        ours = sysconfig.get_path("purelib")
        (packages / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")

    def run(self, *arguments: str, code: int | None = 0) -> str:
        """Run `hooktui` in the project; its output."""
        command = (str(self.root / "bin/python"), "-I", "-m", "hooktui", *arguments)
        done = play(command, self._world.project, self._world.environment)
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def vanish(self) -> None:
        """Move it away, as when somebody recreates a virtual environment."""
        self.root.rename(self.root.with_name("gone"))
