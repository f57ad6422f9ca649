"""What is said in passing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel


class Notices(App[None]):
    """An app that says one thing at a time: a pile of what is done long since would hide what one works on. Errors stay."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Say something, in place of what was said before."""
        for said in list(self._notifications):
            if said.severity != "error":
                self._unnotify(said, refresh=False)
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)
