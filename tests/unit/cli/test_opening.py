"""The app in a real terminal, suspended and resumed."""

from __future__ import annotations

import os
import pty
import signal

import pytest

from tests.command_world import HOOKTUI, CommandWorld, wait_until
from tests.unit.cli.test_demo import has_ended, read_until

pytestmark = pytest.mark.slow  # starts the app in a real terminal


def test_app_redraws_after_a_suspend(world: CommandWorld) -> None:
    pid, terminal = pty.fork()
    if not pid:
        os.execve(HOOKTUI[0], [*HOOKTUI, str(world.project)], world.environment)
    assert "all keys" in read_until(terminal, "all keys")
    os.write(terminal, b"Z")
    read_until(terminal, "\x1b[?1049l")  # the shell has the screen
    assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
    os.kill(pid, signal.SIGCONT)
    assert "all keys" in read_until(terminal, "all keys")
    os.write(terminal, b"q")
    wait_until(lambda: has_ended(pid, terminal))
