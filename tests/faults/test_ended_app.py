"""The app is ended by a signal around its first paint, or loses its terminal: it ends in good order, without a traceback."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI
from tests.faults.agent import Agent

ALTERNATE_SCREEN, LEAVES_IT = b"\x1b[?1049h", b"\x1b[?1049l"
QUIET_S = 2  # without output: everything is painted, in however few reads


@pytest.mark.parametrize(("number", "reads"), zip([signal.SIGTERM, signal.SIGHUP] * 2, [1, 3, 6, 12], strict=True))
def test_app_ends_in_good_order_at_its_first_paint(agent: Agent, number: int, reads: int) -> None:
    ours, process = _in_terminal(agent)
    shown, latest, sent = b"", time.monotonic() + DEADLINE_S, False
    while time.monotonic() < latest:
        ready = select.select([ours], [], [], QUIET_S)[0]
        if ready:
            try:
                shown += os.read(ours, 1 << 20)
            except OSError:  # Linux reports EIO when the last process has closed the terminal
                break
        is_open = ALTERNATE_SCREEN in shown
        reads -= is_open
        if is_open and not sent and (reads <= 0 or not ready):
            process.send_signal(number)
            sent = True
    os.close(ours)
    code = process.wait(DEADLINE_S)
    assert b"Traceback" not in shown
    if code != -number:  # not yet ready to receive signals
        assert code == 0
        assert LEAVES_IT in shown


def test_app_ends_when_its_terminal_goes_away_without_a_signal(agent: Agent) -> None:
    ours, process = _in_terminal(agent)
    while select.select([ours], [], [], QUIET_S)[0]:
        os.read(ours, 1 << 20)
    os.close(ours)
    assert process.wait(DEADLINE_S) in (0, 120)  # Python's own code when it cannot write its last output


def test_a_sigcont_leaves_one_input_thread_that_ends_with_the_program(agent: Agent) -> None:
    """The kernel sends one when a terminal closes. Of two threads that compete for keys, one may never end."""
    program = """if 1:
        import asyncio, os, signal, threading
        from textual.app import App
        from hooktui.screens.textual_patches import Terminal
        async def main():
            Terminal(App(), debug=False, mouse=False).start_application_mode()
            os.kill(os.getpid(), signal.SIGCONT)
            assert [thread.name for thread in threading.enumerate()].count("textual-input") == 1
        asyncio.run(main())"""
    ours, process = _in_terminal(agent, [sys.executable, "-c", program])
    assert process.wait(DEADLINE_S) == 0
    os.close(ours)


def _in_terminal(agent: Agent, command: Sequence[str] = HOOKTUI) -> tuple[int, subprocess.Popen[bytes]]:
    """A command in a terminal that is not its controlling one, so that closing it sends no SIGHUP; our end of the terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = subprocess.Popen(
        command, env=agent.environment, cwd=agent.project, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    return ours, process
