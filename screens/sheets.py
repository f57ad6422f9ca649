"""The style sheets, parsed again only when the colours are others: Textual does so for each screen that is shown first."""

from __future__ import annotations

from textual.css.stylesheet import Stylesheet


class Sheets(Stylesheet):
    """All sheets of the app, which are known from its start."""

    _stale = False

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take the colours of a theme."""
        if variables != self._variables:
            super().set_variables(variables)
            self._stale = True

    def reparse(self) -> None:
        """Parse everything again, if that makes a difference."""
        if self._stale:
            super().reparse()
            self._stale = False
