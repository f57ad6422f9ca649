"""What a shell script or command loads, and what of it cannot be known before it runs."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hooktui.formats.coverage.loads import Loads, below, existing
from hooktui.formats.shell import programs, scripts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.formats.shell.scripts import ShellText, SimpleCommand, Use
    from hooktui.formats.shell.syntax import Word

_OF_HOOKS = re.compile(r"/\.(?:agents|claude|codex|copilot|gemini|github)/")  # where projects keep what their hooks read
# Programs that only read the files they are given.
_READERS = frozenset({
    ".", "awk", "base64", "cat", "cut", "diff", "egrep", "envsubst", "fgrep", "gawk", "grep", "head", "jq", "md5sum",
    "rg", "sed", "sha256sum", "shasum", "sort", "source", "tail", "test", "tr", "uniq", "wc", "yq", "[",
})  # fmt: skip
# Programs whose arguments may be paths that they do not open.
_SILENT = frozenset({"basename", "cd", "dirname", "echo", "export", "local", "printf", "pwd", "readlink", "realpath"})
# Programs that run what a project's files say.
_BUILDERS = frozenset({
    "ant", "bun", "bunx", "cargo", "go", "gmake", "gradle", "just", "lefthook", "make", "mvn", "ninja", "nox", "npm",
    "npx", "pnpm", "pre-commit", "pytest", "rake", "task", "tox", "yarn",
})  # fmt: skip
# Subcommands of builders that run nothing of the project.
_HARMLESS = ("--version", "-v", "-V", "version", "env", "--help")
_GIT = frozenset({
    "add", "am", "apply", "archive", "bisect", "blame", "branch", "bundle", "cat-file", "check-attr", "check-ignore",
    "checkout", "cherry-pick", "clean", "clone", "commit", "config", "count-objects", "describe", "diff", "diff-files",
    "diff-index", "diff-tree", "fetch", "for-each-ref", "format-patch", "fsck", "gc", "grep", "hash-object", "help",
    "init", "log", "ls-files", "ls-remote", "ls-tree", "maintenance", "merge", "merge-base", "mv", "name-rev", "notes",
    "pull", "push", "range-diff", "rebase", "reflog", "remote", "reset", "restore", "rev-list", "rev-parse", "revert",
    "rm", "shortlog", "show", "show-ref", "sparse-checkout", "stash", "status", "submodule", "switch", "symbolic-ref",
    "tag", "update-index", "update-ref", "var", "version", "whatchanged", "worktree", "write-tree",
})  # fmt: skip
_GIT_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
_KNOWN_PATH = re.compile(r"\$\{?PATH\}?|\$\{?HOME\}?(?:/[^:$]*)?|/[^:$]*|~(?:/[^:$]*)?|")
_VARIABLE = re.compile(r"\$\{?(\w+)")
_PATH = re.compile(r"""["']?\$\{?(\w+)[^/\s]*(?:/|$)""")  # that begins with a variable
_LOOP = re.compile(r"\bfor\s+(\w+)\s+in\s+([^;\n]*)")
_SOURCES = (".", "source")
_CHECKS = ("test", "[")
_STEPS = 8  # of variables that are made of each other


def of_script(path: str, text: str, root: str, project: str, variables: Mapping[str, str]) -> Loads:
    """What the shell script at `path` loads from below `root`.

    Paths relative to the working directory are those below `project`; `variables` are those that the host sets.
    """
    name = os.path.basename(path)
    own = {"0": path, "BASH_SOURCE": path}
    beside = scripts.read(text, None, own)
    loads = Loads(existing((script.path for script in beside.scripts), root), [], [])
    written = {use.path for command in beside.commands for use in command.uses if use.role == "output"}
    for command in beside.commands:
        loads.gaps += (f"{name}: {gap}" for gap in gaps_of(command))
        for use in command.uses:
            if use.path not in written or command.program in _SOURCES or use.role == "output":
                _used(use, command, root, path, loads)
            elif is_read(use, command) and command.program not in _CHECKS and below(use.path or "", root):
                loads.gaps.append(f"{name} reads {os.path.basename(use.path or '')}, which it writes")
    loads.gaps += (f"{name}: {gap}" for gap in path_gaps(beside, project))
    loads.bound += (f"{name}: {reason}" for reason in _computed(text, beside))
    from_project = scripts.read(text, project, {**own, **variables})
    near = {script.path for script in from_project.scripts} | {*reads(from_project)}
    for other in existing(near - {*loads.files, path}, project):
        loads.gaps.append(f"{name}: {os.path.relpath(other, project)} is loaded from the project")
        loads.files += [other] if below(other, root) else []
    return loads


def reads(text: ShellText) -> Iterator[str]:
    """The files of hooks that a shell text reads."""
    for command in text.commands:
        for use in command.uses:
            if use.path and is_read_of_hooks(use, command):
                yield use.path


def is_read_of_hooks(use: Use, command: SimpleCommand) -> bool:
    """Whether a command reads a file from where projects keep what their hooks read."""
    return bool(use.path and _OF_HOOKS.search(use.path)) and is_read(use, command)


def is_read(use: Use, command: SimpleCommand) -> bool:
    """Whether a command reads the file that a word names."""
    writes = command.program == "sed" and any(word.text.startswith("-i") for word in command.words)
    return use.role == "input" or (use.role == "argument" and command.program in _READERS and not writes)


def _used(use: Use, command: SimpleCommand, root: str, own: str, loads: Loads) -> None:
    """Judge a word that is a path known from the script's own."""
    path = use.path
    if path is None or not os.path.isabs(use.word.value or "") or _is_silent(command, use):
        return
    if path in (own, *loads.files) or not below(path, _tree(root, own)):
        return
    if is_read(use, command):
        loads.files += existing([path], root)
    else:
        loads.bound.append(f"{os.path.basename(own)} uses {os.path.relpath(path, os.path.dirname(own))}")


def _is_silent(command: SimpleCommand, use: Use) -> bool:
    """Whether a command does not open a path. `cd` in a substitution only finds a directory."""
    return use.role == "argument" and command.program in _SILENT and (command.is_inner or command.program != "cd")


def _tree(root: str, own: str) -> str:
    """The directory of which a script may know its own paths: above it are only those of the system."""
    return root if below(own, root) else os.path.dirname(own)


def _computed(text: str, read: ShellText) -> Iterator[str]:
    """The words whose path depends on the script's own, and on something that is unknown."""
    assigned = [(name, {*_VARIABLE.findall(word.text)}) for name, word in read.assignments if word]
    assigned += [(match[1], {*_VARIABLE.findall(match[2])}) for match in _LOOP.finditer(text)]
    own = {"0", "BASH_SOURCE"}
    for _ in range(_STEPS):
        own |= {name for name, used in assigned if not own.isdisjoint(used)}
    for command in read.commands:
        for use in command.uses:
            path = _PATH.match(use.word.text) if use.word.value is None and not _is_silent(command, use) else None
            if path and path[1] in own:
                yield f"{use.word.text} is computed from its own path"


def gaps_of(command: SimpleCommand) -> Iterator[str]:
    """What a simple command loads that no approval can cover."""
    words, program = command.words, command.program
    if not words:
        return
    if words[0].value is None:
        yield f"the program {words[0].text} is computed"
    elif program == "eval":
        yield "eval runs a computed text"
    elif program in _BUILDERS:
        first = words[1].text if len(words) > 1 else ""
        if first not in _HARMLESS:
            yield f"{program} runs what the project's files say"
    elif program in ("xargs", "parallel"):
        yield from _started_by(program, words)
    elif program == "find" and (at := _index(words, ("-exec", "-execdir", "-ok"))):
        yield from _started_by("find", words[at:])
    elif program == "git":
        yield from _alias(words)
    elif text := _computed_script(words):
        yield f"the script {text} is computed"


def path_gaps(text: ShellText, project: str) -> Iterator[str]:
    """Assignments that let programs be found in the project."""
    for name, word in text.assignments:
        parts = word.text.strip("\"'").split(":") if word and name == "PATH" else []
        if any(not _KNOWN_PATH.fullmatch(part) or below(os.path.join(part, ""), project) for part in parts):
            yield f"PATH={word.text if word else ''} finds programs in the project"


def _started_by(program: str, words: tuple[Word, ...] | list[Word]) -> Iterator[str]:
    """A program that xargs or find starts: which files it gets is unknown."""
    rest = list(words[1:])
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0).text
        if option in ("-n", "-I", "-P", "-L", "-d", "-s", "-a", "-E") and rest:
            rest.pop(0)
    runs = rest[0].value if rest else "echo"
    if runs is None or "/" in runs or programs.is_interpreter(runs) or "{}" in runs:
        yield f"{program} starts files with computed names"


def _alias(words: tuple[Word, ...]) -> Iterator[str]:
    rest = list(words[1:])
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0).text
        if option in _GIT_WITH_VALUE and rest:
            value = rest.pop(0).text
            if option == "-c" and "alias." in value:
                yield f"git runs the alias {value}"
    if rest and rest[0].value and rest[0].value not in _GIT:
        yield f"git {rest[0].value} may be an alias"


def _computed_script(words: tuple[Word, ...]) -> str:
    """The text of an interpreter's script whose path is unknown, "" for any other command."""
    if not programs.is_interpreter(words[0].value or ""):
        return ""
    if words[0].value in _SOURCES:
        return words[1].text if len(words) > 1 and words[1].value is None else ""
    for word in words[1:]:
        if word.value is None:
            return word.text
        if not word.value.startswith("-") or programs.takes_text(words[0].value or "", word.value):
            return ""
    return ""


def _index(words: tuple[Word, ...], texts: tuple[str, ...]) -> int:
    return next((number for number, word in enumerate(words) if word.text in texts), 0)
