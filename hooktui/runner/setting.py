"""What a dispatch is handed by whoever starts it."""

from __future__ import annotations

import _signal as signal  # `signal` would bring `enum`, for nothing that is used here

from hooktui.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from hooktui.model import Run, Trust


class Interrupted(BaseException):
    """Raised by a signal handler while hooks run: the agent, or the person, wants no answer any more."""


def heed_signals() -> None:
    """Let signals that would end us interrupt the dispatch first: an agent that gives up must not leave hooks behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: object) -> None:
    raise Interrupted(number)


class Setting(Record):
    """What a dispatch needs to know beside event and hooks.

    `trust` and `denials_in_a_row` are asked only when an answer depends on them: they read files and the log.
    `on_async_end(run, dispatch id, position)` is called in the supervisor's process when an async hook has ended; `meanwhile`
    while a hook works. `model_endpoint`: where prompt hooks ask, see settings.py.
    """

    project: str
    env: Mapping[str, str]
    trust: Callable[[str], Trust]
    denials_in_a_row: Callable[[], int]
    on_async_end: Callable[[Run, int, int], None]
    meanwhile: Callable[[], None] = lambda: None
    gate_limit: int = 3
    on_hook_failure: Literal["allow", "deny"] = "allow"
    model_endpoint: Mapping[str, Any] | None = None
    dry_run: bool = False
    synthetic: bool = False
