"""The rule about programs that hooks use and this machine does not have."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

from hooktui.diagnostics.script_text import InlineText
from hooktui.formats.asked_once import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.script_text import ScriptText
    from hooktui.scripts import UsedName

_SHEBANG = re.compile(r"#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]+)?([^\s=-]\S*))?")
_TEST = "install it, or test for it in the hook: command -v {0}"


def missing_program(script: ScriptText) -> Iterator[Diagnostic]:
    """A program that is not on PATH, where the text does not test for it."""
    if "PATH" in script.hook.env:
        return
    shebang = _SHEBANG.match(script.notes.text) if script.is_program else None
    if shebang and (name := _interpreter(shebang)):
        yield _not_installed(script, name, shebang.span())
    if shebang and script.notes.text[: script.notes.text.find("\n")].endswith("\r"):
        message = "the #! line ends with a carriage return, which becomes part of the interpreter's name: the hook fails"
        yield script.warn("no-shebang", message, shebang.span(), "save the file with Unix line endings")
    missing: dict[str, UsedName] = {}
    for used in script.names().needed() if script.is_shell else ():
        known = missing.get(used.name)
        is_plainer = known is None or (known.hushed and not used.hushed)
        if is_plainer and not ask(shutil.which, used.name) and _is_used(script, used):
            missing[used.name] = used
    for used in missing.values():
        yield _not_installed(script, used.name, used.span, hushed=used.hushed)
    program = script.hook.argv[0] if script.hook.argv and not script.is_shell else ""
    is_name = program and "${" not in program and not os.path.dirname(program)  # else the host may fill it in
    if isinstance(script, InlineText) and is_name and not ask(shutil.which, program):
        yield _not_installed(script, program, (0, len(program)))


def _interpreter(shebang: re.Match[str]) -> str:
    """The interpreter that a `#!` line names and that is missing; empty if there is none."""
    name = shebang[2] if os.path.basename(shebang[1]) == "env" else shebang[1]
    return name if name and not ask(shutil.which, name) else ""


def _is_used(script: ScriptText, used: UsedName) -> bool:
    """Whether the project has the files without which a program is not used. In a command, a path is a script's."""
    is_path = "/" in used.name and isinstance(script, InlineText)
    return not is_path and all(
        any(os.path.exists(os.path.join(script.hook.root, name)) for name in names) for names in used.if_any
    )


def _not_installed(script: ScriptText, name: str, span: tuple[int, int], *, hushed: bool = False) -> Diagnostic:
    message = f"{name} is not installed here{', and the hook hides its error' if hushed else ': the hook fails'}"
    return script.warn("missing-program", message, span, _TEST.format(name))
