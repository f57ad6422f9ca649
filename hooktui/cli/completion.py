"""`hooktui completion`: let the shell complete commands, options, hooks and sessions."""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

import click

from hooktui.cli.completion_shells import SHELLS
from hooktui.cli.console import Refused, examples
from hooktui.core import atomic_write, paths

_MARK = "# hooktui completion"


class _Installation(NamedTuple):
    """The files of a shell's completion: `script`, and `startup`, which reads it; "" for fish, which finds it by itself."""

    shell: str
    script: str
    startup: str = ""

    @property
    def line(self) -> str:
        quoted = shlex.quote(self.script)
        return f"[ ! -r {quoted} ] || . {quoted}  {_MARK}\n"

    def write(self) -> None:
        """Write both files; a second time changes nothing. Raises OSError."""
        source = SHELLS[self.shell](None, {}, "hooktui", "_HOOKTUI_COMPLETE").source()
        atomic_write.replace(self.script, source.encode())
        if self.startup:
            self._write_startup(self.line)

    def remove(self) -> bool:
        """Remove the script and its line; whether there was any of them. Raises OSError."""
        had_line = bool(self.startup) and self._write_startup("")
        had_script = os.path.exists(self.script)
        atomic_write.replace(self.script, None)
        return had_script or had_line

    def _write_startup(self, line: str) -> bool:
        """Put a line in the place of ours, or at the end; whether anything changed. Every other byte stays."""
        before = _read(self.startup)
        lines = before.splitlines(keepends=True)
        others = [each for each in lines if not each.rstrip().endswith(_MARK)]
        if line in lines or (not line and others == lines):
            return False
        if line and others and not others[-1].endswith("\n"):
            line = "\n" + line
        atomic_write.replace(self.startup, ("".join(others) + line).encode(errors="surrogateescape") or None)
        return True


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _installation(shell: str) -> _Installation:
    if shell == "fish":
        return _Installation(shell, os.path.join(paths.config_home(), "fish", "completions", "hooktui.fish"))
    directory = (os.environ.get("ZDOTDIR") if shell == "zsh" else "") or paths.home()
    return _Installation(shell, os.path.join(paths.data_dir(), f"completion.{shell}"), os.path.join(directory, f".{shell}rc"))


@click.command("completion", epilog=examples("hooktui completion", "hooktui completion zsh --undo"))
@click.argument("shell", metavar="[bash|zsh|fish]", type=click.Choice(list(SHELLS)), required=False)
@click.option("--undo", is_flag=True, help="Remove what it wrote.")
def completion_command(shell: str | None, undo: bool) -> None:
    """Let your shell complete commands, hooks and sessions.

    Writes a script for your shell (default: that of $SHELL) and, for bash and zsh, a line at the end of its startup file.
    """
    shell = shell or os.path.basename(os.environ.get("SHELL", ""))
    if shell not in SHELLS:
        raise click.UsageError(f"name your shell: {', '.join(SHELLS)}")
    place = _installation(shell)
    try:
        if undo:
            click.echo(
                f"Removed the completion for {shell}." if place.remove() else f"Completion for {shell}: nothing to remove."
            )
            return
        place.write()
    except OSError as error:
        raise Refused(atomic_write.error_message(error)) from error
    click.echo(f"Wrote {paths.short(place.script)}")
    if place.startup:
        click.echo(f"Reads it: the last line of {paths.short(place.startup)}")
    click.echo(f"Open a new {shell} to use it. Undo: hooktui completion {shell} --undo")
