"""Rules about the programs and variables that hooks use: those that this machine or the host does not have."""

from __future__ import annotations

import os
import re
import shutil
from functools import cache
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.formats import shell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.script_text import ScriptText

# A variable in Python, in JavaScript, and in the arguments of a program.
_READ = r"environ(?:\.get\(|\[)[\"']{0}[\"'][\])]|process\.env(?:\.{0}\b|\[[\"']{0}[\"']\])"
_ARGUMENT = r"\$(?:{0}\b|\{{{0}\}})"
# Names that only a command's own author can mean: a script may get them from its caller.
_SHORT = ("COMMAND", "FILE", "FILENAME", "FILEPATH", "FILES", "TOOL")
_FIELD = r"(?:tool_?[iI]nput|tool_?[nN]ame|file_?[pP]ath|file)(?:\.\w+)*"
_TEMPLATE = re.compile(rf"\{{\{{ *\.?{_FIELD} *\}}\}}|(?<![${{])\{{{_FIELD}\}}(?!\}})")
_GETS_ARGUMENTS = re.compile(r"\(\)|\bfunction\b|\bset +--| -\w*[cI]\b")
_FROM_STDIN = "read the event from stdin instead"
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
    for used in shell.names(script.text).needed() if script.is_shell else ():
        if not shutil.which(used.name):
            yield _not_installed(script, used.name, used.span)
    program = script.hook.argv[0] if script.hook.argv and not script.is_shell else ""
    if script.text == script.hook.command and program and not os.path.dirname(program) and not shutil.which(program):
        yield _not_installed(script, program, (0, len(program)))


def _interpreter(shebang: re.Match[str]) -> str:
    """The interpreter that a `#!` line names and that is missing; empty if there is none."""
    name = shebang[2] if os.path.basename(shebang[1]) == "env" else shebang[1]
    return name if name and not shutil.which(name) else ""


def _not_installed(script: ScriptText, name: str, span: tuple[int, int]) -> Diagnostic:
    message = f"{name} is not installed here: the hook fails"
    return script.warn("missing-program", message, span, _TEST.format(name))


def undefined_variable(script: ScriptText) -> Iterator[Diagnostic]:
    """A variable of published hooks that this hook's host does not set, and the text neither."""
    own = hosts.spec(script.hook.format)
    plugin_variables = [own.plugin_variable] if script.hook.plugin_root else []
    given = {*own.speech.variables, *script.hook.env, *plugin_variables}
    published = dict(_published())
    if script.text == script.hook.command and script.is_shell:
        published |= dict.fromkeys(_SHORT, _FROM_STDIN)
        yield from _placeholders(script)
    for name, span in _variables(script, tuple(published)):
        if name not in given:
            given.add(name)
            message = f"no host sets {name} for this hook: it is empty"
            yield script.warn("undefined-variable", message, span, published[name]).replace(hosts=_own(script))


@cache
def _published() -> Mapping[str, str]:
    """The variables of every host, with hints on what to use instead."""
    return {name: hint for spec in hosts.specs() for name, hint in spec.speech.published_variables.items()}


def _placeholders(script: ScriptText) -> Iterator[Diagnostic]:
    """Templates in a command, which no host replaces, and arguments, which none passes; the first of each."""
    if _GETS_ARGUMENTS.search(script.text):
        return
    if template := _TEMPLATE.search(script.text):
        message = f"no host replaces {template.group()}"
        yield script.warn("undefined-variable", message, template.span(), _FROM_STDIN).replace(hosts=_own(script))
    argument = next((used for used in shell.names(script.text).variables if used.name.isdecimal() and used.name != "0"), None)
    if argument:
        message = f"no host passes arguments: ${argument.name} is empty"
        yield script.warn("undefined-variable", message, argument.span, _FROM_STDIN).replace(hosts=_own(script))


def _own(script: ScriptText) -> tuple[str, ...]:
    return () if script.hook.format == hosts.DEFAULT else (script.hook.format,)


def _variables(script: ScriptText, published: tuple[str, ...]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The variables among the published ones that a text reads and does not set, with their places."""
    if script.is_shell:
        names = shell.names(script.text)
        for used in names.variables if not names.loads else ():
            if used.name in published and used.name not in names.assigned:
                yield used.name, used.span
        return
    is_command = script.text == script.hook.command
    for name in (name for name in published if name in script.text):
        pattern = re.compile((_ARGUMENT if is_command else _READ).format(name))
        yield from ((name, match.span()) for match in pattern.finditer(script.text))
