"""The files that the approval of a hook covers, and what its hook loads besides."""

from __future__ import annotations

import itertools
import os
import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.core.model import HookDirectory
from hooktui.formats import effort, files, shell
from hooktui.formats.coverage import directory_place, python_loads, script_loads, shell_loads
from hooktui.formats.coverage.loads import Loads, below, existing
from hooktui.formats.json_hooks import json_command
from hooktui.formats.shell.scripts import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.core.model import Hook
    from hooktui.formats.node import Span
    from hooktui.formats.shell.scripts import ShellText, SimpleCommand

_SCRIPT_LIMIT = 1024 * files.KIB
_MOST_TEXT = 256 * files.KIB  # of the scripts of one hook that are searched
_MOST_FILES = 100  # of one hook that are searched
_PYTHON = re.compile(r"\.pyw?$")
_PYTHON_SHEBANG = re.compile(r"#!.*\b(?:python|uv\b)")
_BUILT = re.compile(r"/(?:node_modules|\.?venv|vendor|dist|build|target)/")
_MODULE_OPTIONS = ("-u", "-B", "-O", "-OO", "-q")  # of Python before `-m`


class Module(NamedTuple):
    """A Python module that a command runs: `-m NAME` at a span, and its files."""

    name: str
    span: Span
    files: list[str]


def covered(hook: Hook) -> Hook:
    """An entry with the files that trust covers, relative to its root: what it starts, and what that loads."""
    with effort.for_hook(hook):
        loads = of_entry(hook, hook.root)
        is_unread = effort.is_unread(hook)
    return hook.replace(covers=tuple(dict.fromkeys(path[len(hook.root) + 1 :] for path in loads.files)), is_unread=is_unread)


def gaps(hook: Hook) -> tuple[str, ...]:
    """What a hook may load that its approval does not cover, as sentences without a full stop."""
    if hook.is_unread:
        return ("hooktui has not read all scripts here",)
    loads = of_directory(hook, hook.root) if isinstance(hook.source, HookDirectory) else of_entry(hook, hook.root)
    bound = directory_place.bound_of(hook, hook.root) if isinstance(hook.source, HookDirectory) else loads.bound
    return tuple(dict.fromkeys((*loads.gaps, *(f"{reason}, so it runs from the project" for reason in bound))))


def of_entry(hook: Hook, root: str) -> Loads:
    """What an entry loads, as its files below `root` say: the project, or a copy of what is covered."""
    loads = Loads()
    text = command_text(hook)
    started = [script.path for script in json_command.scripts(hook)]
    if text:
        started += [*shell_loads.reads(text), *(file for module in modules(hook, text) for file in module.files)]
        loads.gaps += (gap for command in text.commands for gap in shell_loads.gaps_of(command))
        loads.gaps += shell_loads.path_gaps(text, hook.root)
    inside = existing((moved(path, hook.root, root) for path in started), root)
    search = [root] if text and any(modules(hook, text)) else []
    left = [(path, search) for path in inside]
    variables, size = variables_of(hook), 0
    while left:
        path, search = left.pop(0)
        if path not in loads.files:
            loads.files.append(path)
            size += os.path.getsize(path) if os.path.isfile(path) else 0
            if size > _MOST_TEXT or len(loads.files) > _MOST_FILES:
                loads.bound.append("it loads more than hooktui follows")
                break
            key = (path, root, frozenset(variables.items()), tuple(search))
            found = effort.once(key, partial(of_script, path, root, root, variables, search))
            left += [(other, found.search) for other in found.files]
            loads.gaps += found.gaps
            loads.bound += found.bound
    return loads


def of_directory(hook: Hook, root: str) -> Loads:
    """What the files of a HOOK.md directory load from elsewhere. `root` is the directory or its copy."""
    project, loads = os.path.dirname(os.path.dirname(os.path.dirname(hook.root))), Loads()
    paths = (os.path.join(directory, name) for directory, _, names in os.walk(root) for name in sorted(names))
    size = 0
    for path in itertools.islice(paths, _MOST_FILES):
        size += os.path.getsize(path) if os.path.isfile(path) else 0
        if size > _MOST_TEXT:
            break
        loads.gaps += of_script(path, root, project, {}).gaps
    return loads


def of_script(path: str, root: str, project: str, variables: Mapping[str, str], search: Sequence[str] = ()) -> Loads:
    """What one file loads, found from the working directory `project`; nothing if it is not a script."""
    try:
        text = files.read_text(path, _SCRIPT_LIMIT)
    except files.Unreadable:
        return Loads(bound=[f"{os.path.basename(path)} is a program"])
    is_python = bool(_PYTHON.search(path) or _PYTHON_SHEBANG.match(text))
    if not effort.spend(len(text) * (python_loads.COST if is_python else 1)):
        return Loads(bound=[f"{os.path.basename(path)} is more than hooktui follows"])
    if _BUILT.search(path[len(root) :]):
        return Loads(bound=[f"{path[len(root) + 1 :]} is installed or built"])
    loads = _interpreter(path, text, root, project)
    if is_python:
        loads.add(python_loads.of_script(path, text, root, search))
    elif script_loads.is_javascript(path, text):
        loads.add(script_loads.of_javascript(path, text, root))
    elif text.startswith("#!") and not shell.is_script(path, text):
        loads.add(script_loads.of_other(path, text))
    elif shell.is_script(path, text):
        loads.add(shell_loads.of_script(path, text, root, project, variables))
    return loads


def command_text(hook: Hook) -> ShellText | None:
    """The shell text of a hook that runs one, read from the project's root."""
    if hook.inline_script is not None and not hook.argv:
        return read(hook.inline_script, hook.root, variables_of(hook))
    if not hook.argv or hook.argv[-1] != hook.command or not hook.command:
        return None
    return read(hook.command, hook.cwd or hook.root, variables_of(hook))


def variables_of(hook: Hook) -> Mapping[str, str]:
    """The variables that the hook's host sets to the project's root."""
    spec = hosts.spec(hook.format)
    return {name: hook.root for name, value in spec.speech.variables.items() if value == "{project}"}


def modules(hook: Hook, text: ShellText) -> Iterator[Module]:
    """The modules of the project that a command runs with `python -m`."""
    for command in text.commands:
        at = _module_at(command)
        name = command.words[at + 1].value if at else None
        found = [file for file in python_loads.module(name, hook.root) if below(file, hook.root)] if name else []
        if found and name:
            main = [path for path in (os.path.join(hook.root, *name.split("."), "__main__.py"),) if os.path.isfile(path)]
            span = (command.words[at].span[0], command.words[at + 1].span[1])
            yield Module(name, span, [*found, *main])


def _module_at(command: SimpleCommand) -> int:
    """The index of `-m` in a Python command, 0 if there is none."""
    if not re.fullmatch(r"python[0-9.]*", command.program):
        return 0
    for index, word in enumerate(command.words[1:-1], 1):
        if word.text == "-m":
            return index
        if word.text not in _MODULE_OPTIONS:
            return 0
    return 0


def moved(path: str, project: str, root: str) -> str:
    """A path of the project in another root."""
    return os.path.join(root, path[len(project) + 1 :]) if below(path, project) else path


def _interpreter(path: str, text: str, root: str, project: str) -> Loads:
    """The file that a #! line finds from the working directory, or names in the project."""
    words = text.partition("\n")[0][2:].split() if text.startswith("#!") else []
    words = [word for word in words[1:] if not word.startswith("-")] if words and words[0].endswith("/env") else words
    if not words or "/" not in words[0]:
        return Loads()
    interpreter = os.path.normpath(os.path.join(project, words[0]))
    gaps = [f"{os.path.basename(path)}: its #! line names {words[0]} of the project"] if below(interpreter, project) else []
    return Loads(files=existing([interpreter], root), gaps=gaps)
