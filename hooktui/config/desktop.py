"""Programs that the app starts: the user's editor, the system's clipboard, and the demo."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Final

_FALLBACK_EDITOR: Final = "vi"
# Arguments that open a file at a line; any other editor gets only the file.
_LINE_ARGUMENTS: Final = {
    **dict.fromkeys(("vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "micro", "joe", "mg"), ("+{line}", "{path}")),
    **dict.fromkeys(("hx", "helix", "subl", "zed"), ("{path}:{line}",)),
    **dict.fromkeys("code codium cursor".split(), ("--goto", "{path}:{line}")),  # noqa: SIM905  # these are editors
}
# Clipboard programs, and the environment variable of the display that they need.
_CLIPBOARDS: Final = (
    (("pbcopy",), ""),
    (("wl-copy",), "WAYLAND_DISPLAY"),
    (("xclip", "-selection", "clipboard"), "DISPLAY"),
    (("xsel", "--clipboard", "--input"), "DISPLAY"),
)
_CLIPBOARD_TIMEOUT_S: Final = 2.0


def editor_command(path: str, line: int) -> list[str]:
    """The command that opens a file at a line in the user's editor ($VISUAL, $EDITOR or vi)."""
    import shlex  # not for the first paint

    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or _FALLBACK_EDITOR)
    arguments = _LINE_ARGUMENTS.get(os.path.basename(command[0]), ("{path}",))
    return [*command, *(argument.format(path=path, line=line) for argument in arguments)]


def edit(path: str, line: int) -> None:
    """Open a file in the user's editor and wait for it. Raises OSError if the editor is missing."""
    subprocess.run(editor_command(path, line), check=False)


def watch_demo() -> None:
    """Run the demo in the terminal and wait for it."""
    subprocess.run([sys.executable, "-I", "-m", "hooktui", "demo"], check=False)


def copy(text: str) -> bool:
    """Copy text to the system's clipboard; False without one, as over SSH, where the terminal must do it."""
    if "SSH_CONNECTION" in os.environ:
        return False
    for command, display in _CLIPBOARDS:
        if (not display or os.environ.get(display)) and shutil.which(command[0]):
            return _piped(text, command)
    return False


def _piped(text: str, command: tuple[str, ...]) -> bool:
    try:
        done = subprocess.run(
            command,
            input=text.encode(errors="replace"),
            stdout=subprocess.DEVNULL,  # xclip keeps its outputs open while it owns the selection
            stderr=subprocess.DEVNULL,
            timeout=_CLIPBOARD_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
