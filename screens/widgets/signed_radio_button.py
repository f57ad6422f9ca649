"""A radio button whose sign says whether it is chosen."""

from __future__ import annotations

from textual.widgets import RadioButton


class SignedRadioButton(RadioButton):
    """One of several choices."""

    BUTTON_INNER = "○"

    def watch_value(self) -> None:
        self.BUTTON_INNER = "●" if self.value else "○"
        super().watch_value()
