"""Find the script of a HOOK.md hook and its command line (formats.md §2, "entry")."""

from __future__ import annotations

import codecs
import os
import stat
from typing import NamedTuple

from hooktui.core.model import Diagnostic, Fix
from hooktui.formats import files, hook_version
from hooktui.formats.asked_once import ask
from hooktui.formats.diagnostic_collector import DiagnosticCollector

CANDIDATES = ("run", "run.sh", "run.py")
_ODD = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_SHEBANGS = {"sh": "#!/bin/sh", "python3": "#!/usr/bin/env python3"}


class EntryScript(NamedTuple):
    """A hook's script and command line. `path` is None if there is none, see `missing`; `content` is what its version
    covers (hook_version.py); `interpreter` is from its #! line, "" if there is none."""

    path: str | None
    argv: tuple[str, ...]
    content: bytes
    diagnostics: tuple[Diagnostic, ...]
    missing: str = ""
    interpreter: str = ""


def candidates(directory: str) -> tuple[str, ...]:
    """The possible paths of a hook's script, in order of preference."""
    place = os.path.join(directory, "scripts")
    return tuple(f"{place}/{name}" for name in CANDIDATES)


def find(directory: str) -> EntryScript:
    """Find the script of the hook in `directory`, an absolute path. Content never raises."""
    diagnostics: list[Diagnostic] = []
    odd: list[str] = []
    for path in candidates(directory):
        try:
            mode = files.status(path).st_mode
        except OSError as error:
            if not isinstance(error, FileNotFoundError) or os.path.islink(path):
                diagnostics.extend(_unreadable(path, files.unreadable(path, error)))
            continue
        if stat.S_ISREG(mode):
            return _start(path, diagnostics)
        odd.extend(f"scripts/{os.path.basename(path)} is {kind}, not a file" for is_it, kind in _ODD if is_it(mode))
    missing = ", ".join(odd) or f"scripts/ contains none of {', '.join(CANDIDATES)}"
    return EntryScript(None, (), b"", tuple(diagnostics), missing)


def misnamed(directory: str) -> tuple[str, str] | None:
    """The path of the only script in scripts/ and the path it should have; None if there is no single candidate."""
    place = os.path.join(directory, "scripts")
    try:
        names = [entry.name for entry in os.scandir(place) if entry.is_file() and not entry.name.startswith(".")]
    except OSError:
        return None
    right = [f"run{os.path.splitext(name)[1]}" for name in names]
    known = len(names) == 1 and right[0] in CANDIDATES
    return (os.path.join(place, names[0]), os.path.join(place, right[0])) if known else None


def _start(path: str, diagnostics: list[Diagnostic]) -> EntryScript:
    try:
        covered = hook_version.read(path)
    except files.UnreadableFileError as refused:
        return EntryScript(path, (_by_suffix(path), path), b"", (*diagnostics, *_unreadable(path, refused)))
    content = hook_version.content(covered)
    notes = DiagnosticCollector(path, content[: files.KIB].decode("utf-8", "replace"))
    executable = os.access(path, os.X_OK)
    if not executable:
        fix = Fix(label="make it executable", kind="chmod", path=path)
        message = f"{os.path.basename(path)} is not executable: other hosts do not run it"
        notes.warning("not-executable", message, _first_line(notes.text), hint=f"chmod +x {path}", fix=fix)
    interpreter = _interpreter(content)
    argv = _argv(path, content, executable, interpreter, notes)
    return EntryScript(path, argv, covered, (*diagnostics, *notes.collected), interpreter="".join(interpreter[:1]))


def _interpreter(content: bytes) -> list[str]:
    """The words of the #! line, empty if there is none."""
    first = content[: files.KIB].split(b"\n", 1)[0]
    return first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []


def _argv(path: str, content: bytes, executable: bool, interpreter: list[str], notes: DiagnosticCollector) -> tuple[str, ...]:
    head = content[: files.KIB]
    if executable and b"\0" in head:  # a compiled program
        return (path,)
    if not interpreter:
        used = _by_suffix(path)
        message = f"{os.path.basename(path)} has no #! line: hooktui runs it with {used}, other hosts may not run it"
        shebang = _SHEBANGS[used]
        fix = as_unix(path, content) or (None if b"\0" in head else _begun_with(shebang, notes))
        notes.warning("no-shebang", message, _first_line(notes.text), hint=f"start it with {shebang}", fix=fix)
        return (used, path)
    if head.split(b"\n", 1)[0].endswith(b"\r"):
        message = "the #! line ends with a carriage return: other hosts do not find the interpreter"
        line = len(notes.text.split("\n", 1)[0])
        fix = as_unix(path, content) or notes.replacement("remove the carriage return", (line - 1, line), "")
        notes.warning("no-shebang", message, _first_line(notes.text), hint="save the file with Unix line endings", fix=fix)
        return (*interpreter, path)
    _require_interpreter(interpreter, notes)
    return (path,) if executable else (*interpreter, path)


def as_unix(path: str, content: bytes) -> Fix | None:
    """A fix for a script with Windows line endings or a byte order mark; None for other scripts."""
    is_text, ends = b"\0" not in content, content.count(b"\n")
    is_foreign = (ends and content.count(b"\r\n") == ends) or content.startswith(codecs.BOM_UTF8)
    return Fix(label="save it with Unix line endings", kind="unix", path=path) if is_text and is_foreign else None


def _begun_with(shebang: str, notes: DiagnosticCollector) -> Fix:
    span = _first_line(notes.text)
    line = notes.text[slice(*span)]
    return notes.replacement(f"start it with {shebang}", span, shebang if line.startswith("#!") else f"{shebang}\n{line}")


def _require_interpreter(interpreter: list[str], notes: DiagnosticCollector) -> None:
    """Report a missing interpreter; the fix uses one of the same name on PATH."""
    path, *options = interpreter
    if ask(os.path.exists, path):
        return
    name, elsewhere = os.path.basename(path), os.environ.get("PATH", os.defpath).split(os.pathsep)
    shebang = " ".join(["#!/usr/bin/env", *["-S"] * bool(options), name, *options])
    exists = name != "env" and any(os.access(os.path.join(directory, name), os.X_OK) for directory in elsewhere)
    fix = _begun_with(shebang, notes) if exists else None
    notes.error("bad-command", f"the interpreter {path} does not exist", _first_line(notes.text), fix=fix)


def _by_suffix(path: str) -> str:
    return "python3" if path.endswith(".py") else "sh"


def _unreadable(path: str, refused: files.UnreadableFileError) -> list[Diagnostic]:
    notes = DiagnosticCollector(path, "")
    notes.error(refused.code, str(refused))
    return notes.collected


def _first_line(text: str) -> tuple[int, int]:
    return 0, len(text.split("\n", 1)[0].rstrip("\r"))
