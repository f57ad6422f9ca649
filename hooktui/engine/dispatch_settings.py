"""What a dispatch is handed by whoever starts it."""

from __future__ import annotations

from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from hooktui.core.model import Run, Trust
    from hooktui.core.settings import ModelEndpoint


class Setting(Record):
    """What a dispatch needs to know beside event and hooks.

    `trust` and `denials_in_a_row` are asked only when an answer depends on them: they read files and the log.
    `on_async_end(run, dispatch id, position)` is called in the supervisor's process when an async hook has ended; `meanwhile`
    while a hook works. `model_endpoint`: the model that answers prompt hooks.
    """

    project: str
    env: Mapping[str, str]
    trust: Callable[[str], Trust]
    denials_in_a_row: Callable[[], int]
    on_async_end: Callable[[Run, int, int], None]
    meanwhile: Callable[[], None] = lambda: None
    gate_limit: int = 3
    on_hook_failure: Literal["allow", "deny"] = "allow"
    model_endpoint: ModelEndpoint | None = None
    dry_run: bool = False
    synthetic: bool = False
