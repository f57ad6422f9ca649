"""Signals that would end us, and what becomes of them: an agent that gives up must not leave hooks behind.

While hooks work a signal raises Interrupted, which ends them. At any other time it is only kept, and no further hook begins:
what was decided until then is recorded and answered as ever, and no hook is between being started and being looked after.
"""

from __future__ import annotations

import _signal as signal  # `signal` would bring `enum`, for nothing that is used here

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """The agent, or the person, wants no answer any more. Raised by a signal handler, and only inside `INTERRUPTIBLE`."""


class _Interruptible:
    """The time in which hooks work, as a context manager. Others may use it while they wait."""

    def __init__(self) -> None:
        self.came = 0
        self._raises = False

    def __enter__(self) -> None:
        self._raises = True
        if self.came:
            self._interrupt()

    def __exit__(self, *_: object) -> None:
        self._raises = False

    def receive(self, number: int, _frame: object) -> None:
        """Handle a signal."""
        self.came = number
        if self._raises:
            self._interrupt()

    def _interrupt(self) -> None:
        self._raises = False  # who is ending the hooks is not interrupted again
        raise Interrupted(self.came)


INTERRUPTIBLE = _Interruptible()


def heed(*numbers: int) -> None:
    """From now on, have these signals interrupt hooks instead of ending this process."""
    for number in numbers:
        signal.signal(number, INTERRUPTIBLE.receive)


def has_come() -> bool:
    """Whether one of them has come."""
    return bool(INTERRUPTIBLE.came)
