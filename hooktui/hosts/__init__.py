"""How each host speaks: one module a host, reading its stdin and writing its answer."""

from __future__ import annotations

from hooktui.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

NAMES = ("agenthooks",)


class Answer(Record):
    """What a host gets back."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""


class UnreadableEvent(ValueError):
    """Stdin that is no event of this host; the message says what is wrong."""


def detect(payload: dict[str, Any]) -> str:
    """Which host sent a payload, told from its fields."""
    return "agenthooks"


def load(name: str) -> ModuleType:
    """The module of a host: `read(payload, event_name)` and `answer(dispatch)`."""
    from hooktui.hosts import agenthooks

    return agenthooks
