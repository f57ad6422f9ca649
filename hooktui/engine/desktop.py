"""The programs around the app: the person's editor, the system's clipboard, and another hooktui with the demo."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import Final

_FALLBACK_EDITOR: Final = "vi"
# How an editor is told a line; an editor that is not here gets the file alone.
_LINE_ARGUMENTS: Final = {
    **dict.fromkeys(("vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "micro", "joe", "mg"), ("+{line}", "{path}")),
    **dict.fromkeys(("hx", "helix", "subl", "zed"), ("{path}:{line}",)),
    **dict.fromkeys(("code", "codium", "cursor"), ("--goto", "{path}:{line}")),
}
# Clipboard programs, and the variable without which they have no display to talk to.
_CLIPBOARDS: Final = (
    (("pbcopy",), ""),
    (("wl-copy",), "WAYLAND_DISPLAY"),
    (("xclip", "-selection", "clipboard"), "DISPLAY"),
    (("xsel", "--clipboard", "--input"), "DISPLAY"),
)
_CLIPBOARD_TIMEOUT_S: Final = 2.0


def editor_command(path: str, line: int) -> list[str]:
    """The person's editor ($VISUAL, $EDITOR, else vi) on a file, at a line where the editor can be told one."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or _FALLBACK_EDITOR)
    arguments = _LINE_ARGUMENTS.get(os.path.basename(command[0]), ("{path}",))
    return [*command, *(argument.format(path=path, line=line) for argument in arguments)]


def edit(path: str, line: int) -> None:
    """Let the person edit a file in the terminal. Raises OSError when there is no such editor."""
    subprocess.run(editor_command(path, line), check=False)


def watch_demo() -> None:
    """Show the demo in the terminal, until the person leaves it."""
    subprocess.run([sys.executable, "-I", "-m", "hooktui", "demo"], check=False)


def copy(text: str) -> bool:
    """Put text on the system's clipboard; False when there is none here (over SSH, the terminal has to do it)."""
    if "SSH_CONNECTION" in os.environ:
        return False
    for command, display in _CLIPBOARDS:
        if (not display or os.environ.get(display)) and shutil.which(command[0]):
            return _feed(command, text)
    return False


def _feed(command: tuple[str, ...], text: str) -> bool:
    try:
        done = subprocess.run(
            command,
            input=text.encode(errors="replace"),
            stdout=subprocess.DEVNULL,  # xclip keeps its outputs open for as long as it owns the selection
            stderr=subprocess.DEVNULL,
            timeout=_CLIPBOARD_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
