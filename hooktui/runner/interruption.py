"""Signals that interrupt the hooks: the agent or the user has given up, so this process kills its hooks and ends."""

from __future__ import annotations

import _signal as signal  # `signal` would import `enum`
import os

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Interrupted(BaseException):
    """The agent or the user has interrupted the hooks. Raised by a signal handler, only inside `INTERRUPTIBLE`."""


class _Interruptible:
    """A context manager in which a signal raises Interrupted."""

    def __init__(self) -> None:
        self.number = 0
        self._raises = False

    def __enter__(self) -> None:
        self._raises = True
        if self.number:
            self._interrupt()

    def __exit__(self, *_: object) -> None:
        self._raises = False

    def receive(self, number: int, _frame: object) -> None:
        self.number = number
        if self._raises:
            self._interrupt()

    def _interrupt(self) -> None:
        self._raises = False  # ignore further signals during shutdown
        raise Interrupted(self.number)


INTERRUPTIBLE = _Interruptible()


def handle_signals(*numbers: int) -> None:
    """Let signals interrupt hooks instead of ending this process, except those that the caller has it ignore."""
    for number in numbers:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, INTERRUPTIBLE.receive)


def restore_signals() -> None:
    """Handle signals as a new process does, after `handle_signals`."""
    for number in ENDING:
        if signal.getsignal(number) == INTERRUPTIBLE.receive:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def end_by_signal() -> None:
    """End this process by the signal that interrupted the hooks, as its parent expects."""
    signal.signal(INTERRUPTIBLE.number, signal.SIG_DFL)
    os.kill(os.getpid(), INTERRUPTIBLE.number)


def was_interrupted() -> bool:
    """Whether a signal has interrupted hooks."""
    return bool(INTERRUPTIBLE.number)
