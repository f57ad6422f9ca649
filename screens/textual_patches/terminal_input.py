"""The terminal as Textual writes to it, and as it may end: a window that is closed is no reason to hang."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from typing import IO


class Terminal(LinuxDriver):
    """Textual's thread that writes ends when the terminal has gone, and whoever hands it more then waits for ever."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file: Any = Outliving(self._file)


class Outliving:
    """A terminal's file; what is written to one that has gone is lost, as it must be."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        """Write, as long as there is somebody to read it."""
        try:
            self._file.write(text)
        except OSError:
            return

    def flush(self) -> None:
        """Likewise."""
        try:
            self._file.flush()
        except OSError:
            return

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
