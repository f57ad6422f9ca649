"""Survive a terminal that closes while the app draws.

Textual's writer thread (seen in 8.0) ends with an OSError when the terminal is gone, and the app then
waits forever to hand it more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from typing import IO


class Terminal(LinuxDriver):
    """A driver that drops output once the terminal is gone."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file: Any = ForgivingFile(self._file)


class ForgivingFile:
    """A terminal's file that ignores failed writes."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        try:
            self._file.write(text)
        except OSError:
            return

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            return

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
