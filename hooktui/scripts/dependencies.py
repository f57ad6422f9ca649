"""What a command or a script loads: files of the project, and gaps, which are what no approval can cover.

The rule: an interpreter's program is one known file of the project, a text that is read in turn, or a gap.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.scripts import commands, programs, python_loads
from hooktui.scripts.loads import Gap, Load, below, of_javascript, of_other
from hooktui.scripts.syntax import absolute

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.scripts.commands import ShellText, SimpleCommand, Use
    from hooktui.scripts.loads import Dependency
    from hooktui.scripts.syntax import Word

# Programs that only read the files they are given.
_READERS = frozenset({
    ".", "awk", "base64", "cat", "cut", "diff", "egrep", "envsubst", "fgrep", "gawk", "grep", "head", "jq", "md5sum",
    "rg", "sed", "sha256sum", "shasum", "sort", "source", "tail", "test", "tr", "uniq", "wc", "yq", "[",
})  # fmt: skip
# Programs that neither start nor write the files they are given.
_SILENT = _READERS | {
    "basename", "cd", "chmod", "command", "dirname", "echo", "export", "file", "git", "hash", "local", "ls", "printf", "pwd",
    "read", "readlink", "realpath", "rm", "stat", "type", "which",
}  # fmt: skip
# Programs that run what a project's files say.
_BUILDERS = frozenset({
    "ant", "bun", "bundle", "bunx", "cargo", "go", "gmake", "gradle", "just", "lefthook", "make", "mise", "mvn", "ninja", "nox",
    "npm", "npx", "pnpm", "poetry", "pre-commit", "pytest", "rake", "task", "tox", "uv", "uvx", "yarn",
})  # fmt: skip
_HARMLESS = ("--version", "--help", "-V", "--script", "--no-project")  # the last two: of uv, which leaves the project out
# Subcommands of git; any other may be an alias.
_GIT = frozenset({
    "add", "apply", "blame", "branch", "cat-file", "check-ignore", "checkout", "cherry-pick", "clean", "clone", "commit",
    "config", "describe", "diff", "diff-index", "diff-tree", "fetch", "for-each-ref", "grep", "hash-object", "init", "log",
    "ls-files",
    "ls-remote", "ls-tree", "merge", "merge-base", "mv", "name-rev", "notes", "pull", "push", "rebase", "reflog", "remote",
    "reset", "restore", "rev-list", "rev-parse", "revert", "rm", "shortlog", "show", "show-ref", "stash", "status", "switch",
    "symbolic-ref", "tag", "update-index", "update-ref", "version", "worktree", "write-tree",
})  # fmt: skip
_GIT_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
_XARGS_WITH_VALUE = ("-n", "-I", "-P", "-L", "-d", "-s", "-a", "-E", "-j")
_FILTERS = ("awk", "sed", "jq")  # whose texts usually have values in them
# Variables in which programs find or load code.
_SEARCH_PATHS = ("PATH", "PYTHONPATH", "PYTHONHOME", "NODE_PATH", "PERL5LIB", "RUBYLIB", "LD_LIBRARY_PATH")
_LOADED = ("BASH_ENV", "ENV", "LD_PRELOAD", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "PYTHONSTARTUP")
_KNOWN_PATH = re.compile(r"\$\{?PATH\}?|\$\{?HOME\}?(?:/[^:$]*)?|/[^:$]*|~(?:/[^:$]*)?|")
_BUILT = re.compile(r"/(?:node_modules|\.?venv|vendor|dist|build|target)/")
_VARIABLE = re.compile(r"\$\{?(\w+)")
_LOOP = re.compile(r"\bfor\s+(\w+)\s+in\s+([^;\n]*)")
_STEPS = 8  # of variables that are made of each other


class Project(NamedTuple):
    """The directory whose files an approval may cover, and the variables that a host sets for its commands."""

    root: str
    variables: Mapping[str, str] = {}


def of_command(text: ShellText, project: Project) -> Iterator[Dependency]:
    """What a command loads."""
    if not text.complete:
        yield Gap("hooktui cannot read all of its syntax")
    for command in text.commands:
        yield from _Program(command, command.words, text, project).dependencies()
        for use in command.uses:
            if use.path and is_read(use, command) and hosts.keeps_hooks_in(use.path):
                yield from _data(use.path, project)
    for name, word in text.assignments:
        given = (word.value or word.text.strip("\"'")) if word else ""
        is_path = name in _SEARCH_PATHS and any(_is_of_project(part, project) for part in given.split(":"))
        if is_path or (name in _LOADED and given and _is_of_project(given, project)):
            shown = re.sub(r":\$$", ":…", word.text) if word else ""  # the grammar ends some assignments there
            yield Gap(f"{name}={shown} finds programs in the project")


def _is_of_project(path: str, project: Project) -> bool:
    return not _KNOWN_PATH.fullmatch(path) or below(os.path.join(path, ""), project.root)


def of_script(path: str, text: str, language: str, project: Project) -> Iterator[Dependency]:
    """What the script at `path` loads, read in a language, "" for the one of its first line or its name."""
    found: list[Dependency] = []
    if not language and text.startswith("#!"):
        words = text.partition("\n")[0][2:].split()
        found += of_command(commands.read_arguments([*words, path], None, {}), project)
        own = [part.language for part in found if isinstance(part, Load) and part.path == path and part.language != "data"]
        language = own[0] if own else "other"
    language = language or programs.SUFFIXES.get(os.path.splitext(path)[1], "shell" if os.access(path, os.X_OK) else "")
    if _BUILT.search(path[len(project.root) :]):
        found = [Gap("it is installed or built")]
    elif language == "shell":
        found += _of_shell_script(path, text, project)
    elif language:
        found += of_text(language, text, path, os.path.dirname(path), project)
    for part in found:
        if isinstance(part, Gap):
            yield Gap(f"{os.path.basename(path)}: {part.text}")
        elif part.path != path:
            yield part


def _of_shell_script(path: str, text: str, project: Project) -> Iterator[Dependency]:
    """What a shell script loads by paths that it knows, and what depends on the working directory, which differs."""
    own = {"0": path, "BASH_SOURCE": path}
    variables = {**own, **{name: value for name, value in project.variables.items() if name in text}}
    beside = commands.read(text, None, own)
    known = {*of_command(beside if variables == own else commands.read(text, None, variables), project)}
    for part in of_command(commands.read(text, project.root, variables), project):
        if isinstance(part, Load) and part not in known and os.path.exists(part.path):
            yield Gap(f"{os.path.relpath(part.path, project.root)} is loaded from the project")
        yield part
    written = {use.path for command in beside.commands for use in command.uses if use.role == "output" and use.path}
    of_own = _own_variables(text, beside)
    for program, use in (
        (command.program, use) for command in beside.commands for use in command.uses if is_read(use, command)
    ):
        if use.word.value is None and not of_own.isdisjoint(_VARIABLE.findall(use.word.text)):
            yield Gap(f"{use.word.text} is computed from its own path")
        elif use.path in written and program not in ("test", "["):
            yield Gap(f"reads {os.path.basename(use.path or '')}, which it writes")
        elif use.path and use.path not in written:
            yield from _data(use.path, project)


def _own_variables(text: str, beside: ShellText) -> set[str]:
    """The variables that depend on the script's own path."""
    assigned = [(name, {*_VARIABLE.findall(word.text)}) for name, word in beside.assignments if word]
    assigned += [(match[1], {*_VARIABLE.findall(match[2])}) for match in _LOOP.finditer(text)]
    own = {"0", "BASH_SOURCE"}
    for _ in range(_STEPS):
        own |= {name for name, used in assigned if not own.isdisjoint(used)}
    return own


def is_read(use: Use, command: SimpleCommand) -> bool:
    """Whether a command reads the file that a word names."""
    writes = command.program == "sed" and any(word.text.startswith("-i") for word in command.words)
    return use.role == "input" or (use.role == "argument" and command.program in _READERS and not writes)


def _data(path: str, project: Project) -> Iterator[Dependency]:
    if below(path, project.root) and os.path.isfile(path):
        yield Load(path, "data")


def of_text(language: str, text: str, path: str | None, directory: str | None, project: Project) -> Iterator[Dependency]:
    """What a program's text loads: a script's at `path`, or one that an interpreter gets in a directory."""

    def started(command: str | Sequence[str | None]) -> Iterator[Dependency]:
        here = None if path else directory
        is_text = isinstance(command, str)
        read = commands.read(command, here, {}) if is_text else commands.read_arguments(command, here, {})  # type: ignore[arg-type]
        yield from of_command(read, project)

    if language == "shell":
        yield from of_command(commands.read(text, directory, project.variables), project)
    elif language == "python":
        yield from python_loads.of_text(text, path, directory, project.root, started)
    elif language == "javascript":
        yield from of_javascript(text, directory, project.root, started)
    else:
        yield from of_other(language, text)


class _Program(NamedTuple):
    """A program with its words, as a simple command of a text starts it, perhaps by means of another program."""

    command: SimpleCommand
    words: Sequence[Word]
    text: ShellText
    project: Project

    def dependencies(self) -> Iterator[Dependency]:
        words, name = self.words, self.command.program
        if words and words[0].value is None:
            yield Gap(f"the program {words[0].text} is computed")
        elif words:
            yield from self._of_file(words[0], "") if "/" in (words[0].value or "") else ()
            yield from self._gaps(name)
            if programs.sources(words):
                yield from self._of_interpreter()
            elif name not in _SILENT:
                yield from self._of_arguments()

    def _gaps(self, name: str) -> Iterator[Gap]:
        """What a program starts that no approval can cover."""
        words = self.words
        if name in ("eval", "trap") and (inner := programs.shell_text(words)) and inner.value is None:
            yield Gap(f"{name} runs a computed text")
        elif name in _BUILDERS and not any(word.text in _HARMLESS for word in words[1:3]):
            yield Gap(f"{name} runs what the project's files say")
        elif name in ("xargs", "parallel", "find"):
            at = [number for number, word in enumerate(words) if word.text in ("-exec", "-execdir", "-ok", "-okdir")]
            rest = (
                programs.without_options(words[1:], 0, _XARGS_WITH_VALUE)
                if name != "find"
                else words[at[0] + 1 :]
                if at
                else None
            )
            runs = programs.from_program(rest) if rest else ()
            value = runs[0].value if runs else "echo"
            if value is None or "/" in value or programs.is_interpreter(value) or "{}" in value or value == "eval":
                yield Gap(f"{name} starts files with computed names")
        elif name == "git":
            rest = programs.without_options(words[1:], 0, _GIT_WITH_VALUE)
            options = words[1 : len(words) - len(rest)]
            yield from (Gap(f"git runs the alias {word.text}") for word in options if "alias." in word.text)
            if rest and rest[0].value and rest[0].value not in _GIT:
                yield Gap(f"git {rest[0].value} may be an alias")

    def _of_arguments(self) -> Iterator[Dependency]:
        """What an unknown program may start: an interpreter among its arguments, or an executable file of the project."""
        for at, word in enumerate(self.words[1:], 1):
            if word.value and "/" not in word.value and programs.is_interpreter(word.value):
                yield from _Program(self.command, self.words[at:], self.text, self.project)._of_interpreter()
                return
        for use in self.command.uses:
            if use.role == "argument" and use.path and os.path.isfile(use.path) and os.access(use.path, os.X_OK):
                yield from [Load(use.path, "")] if below(use.path, self.project.root) else []

    def _of_interpreter(self) -> Iterator[Dependency]:
        """The program of an interpreter: files of the project that are known, texts, or a gap."""
        name, directory = os.path.basename(self.words[0].value or ""), self.command.directory
        is_own = self.words[0] is self.command.words[0]
        for source in programs.sources(self.words):
            word, language = source.word, source.language
            value = word.value if word else None
            if source.kind == "stdin":
                yield from self._of_stdin(name, language) if is_own else ()
            elif word and (source.kind == "file" or (source.kind == "load" and (value or "").startswith((".", "/")))):
                yield from self._of_file(word, language)
            elif word and value is None:
                yield from () if language in _FILTERS else [Gap(f"the text that {name} runs is computed")]
            elif value and source.kind == "load" and language == "javascript":
                yield Gap(f"{name} loads the package {value}")
            elif value and source.kind == "module":
                files = python_loads.module(value, directory, is_program=True) if directory else ()
                yield from (Load(path, "python") for path in files if below(path, self.project.root))
                yield from [Gap(f"{value} runs what the project's files say")] if value in _BUILDERS else []
            elif value and source.kind == "text" and not (language == "shell" and is_own):  # which the walk has read
                yield from of_text(language, value, None, directory, self.project)

    def _of_stdin(self, name: str, language: str) -> Iterator[Dependency]:
        """A program on stdin: a here-document, a file, or something unknown."""
        inputs = [use.word for use in self.command.uses if use.role == "input"]
        texts = [word.value for word in self.command.texts]
        if len(texts) == 1 and texts[0] is not None:
            yield from of_text(language, texts[0], None, self.command.directory, self.project)
        elif inputs and not texts:
            yield from self._of_file(inputs[-1], language)
        else:
            yield Gap(f"{name} runs what it reads from stdin")

    def _of_file(self, word: Word, language: str) -> Iterator[Dependency]:
        """A file that a command runs: one of the project, or a gap if that is unknown."""
        path = absolute(word.value, self.command.directory)
        if word.value is None:
            yield Gap(f"the script {word.text} is computed")
        elif path is None:
            yield Gap(f"{word.text} is found from an unknown directory")
        elif path.startswith(("/dev/", "/proc/")):
            yield Gap(f"{self.command.program} runs what it reads from stdin")
        elif below(path, self.project.root) and not programs.FETCHED.match(word.value):
            shown = os.path.relpath(path, self.project.root)
            yield Load(path, language)
            yield from [Gap(f"{shown} is a directory")] if os.path.isdir(path) else []
            if any(_may_write(command, path) for command in self.text.commands):
                yield Gap(f"{shown} may be written before it runs")


def _may_write(command: SimpleCommand, path: str) -> bool:
    """Whether a command may write a file: it is its output, or the argument of a program that does not only read."""
    may = command.program not in _SILENT and not programs.sources(command.words)
    return any(use.path == path and (use.role == "output" or (may and use.word != command.words[0])) for use in command.uses)
