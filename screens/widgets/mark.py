"""A choice that shows by its sign, not by colour alone, whether it is taken."""

from __future__ import annotations

from textual.widgets import RadioButton


class Mark(RadioButton):
    """One of several choices."""

    BUTTON_INNER = "○"

    def watch_value(self) -> None:
        """Fill the sign."""
        self.BUTTON_INNER = "●" if self.value else "○"
        super().watch_value()
