"""What only the readers of hook files know. `run` and `exec` ask them when the plan does not say it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from hooktui.core.model import Event, Hook
    from hooktui.core.settings import Settings, Verified
    from hooktui.runner.plan import Compiled

    class HookFiles(Protocol):
        """The hook files of the user and of projects."""

        def compiled(self, directory: str, formats: Sequence[str]) -> Compiled:
            """Load the hooks and settings for agents started in a directory, and write the plan."""

        def settings(self) -> Settings:
            """The user's settings, or the defaults if they cannot be read."""

        def verified(self, hook: Hook, digest: str) -> Verified | None:
            """How an approved hook runs; None if its files no longer have this digest."""

        def unlisted(self, argv: tuple[str, ...], event: Event, project: str) -> Hook:
            """The hook for an observed command that no listed entry has, with its scripts as they are now."""

        def calls_hooktui(self, host: str, event: Event, directory: str) -> bool:
            """Whether an enabled entry in the host's own files has hooktui handle an event."""

    Files = Callable[[], HookFiles]  # imports them when they are needed, which takes longer than most events
