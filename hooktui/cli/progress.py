"""How far a command has come: a line at the terminal on stderr, for what takes longer than a moment."""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

import click

from hooktui.catalog.hook_states import counted
from hooktui.cli.console import cut
from hooktui.core.text_sanitizer import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable
    from typing import Self

    from hooktui.catalog.catalog import Catalog

_LOADING_S = 0.3  # a catalog that is loaded sooner shows nothing


class CommandInterrupted(click.ClickException):
    """A command that ctrl+c ended; the message says what was done until then."""

    exit_code = 130

    def __init__(self, done: str) -> None:
        super().__init__(f"interrupted: {done}")


class ProgressLine:
    """Shows one line, replaced by the next and gone at the end; nothing without a terminal."""

    def __init__(self, patience_s: float = 0.0) -> None:
        """Nothing is shown for the first `patience_s`."""
        self._is_shown = sys.stderr.isatty()
        self._begins = time.monotonic() + patience_s
        self._has_line = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        if self._is_shown and time.monotonic() >= self._begins:
            self._has_line = True
            click.echo(f"\r\x1b[K{cut(one_line(text), shutil.get_terminal_size().columns - 1)}", nl=False, err=True)

    def clear(self) -> None:
        """Make room for a line of the command's own."""
        if self._has_line:
            self._has_line = False
            click.echo("\r\x1b[K", nl=False, err=True)


_PARTS = {"digest": ("Hashed", "hook"), "rules": ("Checked", "hook"), "mods": None}


def loaded_catalog(directory: str, named: Collection[str] | None = None) -> Catalog:
    """Load the hooks of a project's directory, and show how far it is."""
    from hooktui.catalog import catalog  # commands that only count need no hooks

    counts: Counter[object] = Counter()

    def tell(key: Hashable) -> None:
        part = _PARTS.get(key[0], ("Read", "file")) if isinstance(key, tuple) else None
        counts[part] += 1
        if part is not None:
            verb, noun = part
            progress.show(f"{verb} {counted(counts[part], noun)}…")

    with ProgressLine(_LOADING_S) as progress:
        return catalog.load(directory, named=named, tell=tell)
