"""The scripts that a shell command names, found without running a shell: what cannot be told is left out, not guessed."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from hooktui.formats import shell_commands, shell_words
from hooktui.formats.shell_commands import Simple, Word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.formats.problems import Span
    from hooktui.formats.shell_commands import Mark

Called = Literal["always", "sometimes", "perhaps"]
_CALLED: tuple[Called, ...] = get_args(Called)

# Commands after which the rest runs as if they had not been there.
_PREPARING = frozenset({"", "cd", "export", "set", "umask", ":", "true"})
# Programs that make no file: what is not there before them is not there behind them. Any other one may make it.
_MAKES_NONE = _PREPARING | frozenset(
    {
        *("[", "[[", "awk", "basename", "case", "cat", "command", "cut", "date", "declare", "dirname", "echo", "egrep", "exit"),
        *("false", "fgrep", "for", "grep", "head", "jq", "local", "ls", "printf", "pwd", "read", "readonly", "return", "rg"),
        *("select", "shift", "sleep", "sort", "tail", "test", "tr", "trap", "type", "uniq", "unset", "wc", "which"),
    }
)
_SETTING = frozenset({"export", "local", "readonly", "declare", "for", "select", "read", "unset"})
_TESTS = frozenset({"[", "[[", "test"})
_PATH = re.compile(r"/|\.\w+$")
_FORGIVING = (["true"], [":"], ["exit", "0"])
# In directories of hooks no build puts anything.
_OF_HOOKS = re.compile(r"/\.(?:agents|claude|copilot|github)/")
# What is there only after something was built or installed: a command that calls it in some cases knows how to do without.
_BUILT = re.compile(r"/(?:node_modules|\.?venv|vendor|dist|build|target)/")
_DEPTH = 3  # commands as texts in commands


@dataclass(frozen=True, slots=True)
class Script:
    """A script that a command names, by absolute path, whether it exists or not.

    `direct`: it is itself the program, so it must be executable. `called`: sometimes, where the command decides so; perhaps,
    where it asks whether the script is there, may make it first, or does not mind that it fails.
    """

    path: str
    span: Span
    direct: bool
    called: Called


def in_command(command: str, base: str | None, variables: Mapping[str, str], depth: int = _DEPTH) -> list[Script]:
    """The scripts in a shell command; `base` is where relative paths begin, None when that is not known.

    `depth`: how often a command may stand as a text in another one.
    """
    walk = _Walk(_Place(base, dict(variables)), depth)
    for part in shell_commands.read(command):
        if isinstance(part, Simple):
            walk.run(part)
        else:
            walk.go_on(part)
    return walk.found


def in_arguments(arguments: Sequence[str], base: str | None, placeholders: Mapping[str, str]) -> list[Script]:
    """The scripts in a program and its arguments, started without a shell; their spans are those in `shlex.join`.

    `placeholders` are texts that the host puts others in place of.
    """
    words: list[Word] = []
    at = 0
    for argument in arguments:
        end = at + len(shlex.quote(argument))
        for placeholder, value in placeholders.items():
            argument = argument.replace(placeholder, value)
        words.append(Word(shlex.quote(argument), (at, end)))
        at = end + 1
    walk = _Walk(_Place(base, {}), _DEPTH)
    walk.run(Simple(tuple(words)))
    return walk.found


@dataclass(frozen=True, slots=True)
class _Place:
    """Where relative paths begin, and the variables that are known."""

    base: str | None
    variables: Mapping[str, str]

    def path(self, word: Word) -> str | None:
        """The path that a word would be."""
        return shell_words.resolved(shell_words.value(word, self.variables), self.base)

    def both(self, other: _Place) -> _Place:
        """What holds in either of two places."""
        same = dict(self.variables.items() & other.variables.items())
        return _Place(self.base if self.base == other.base else None, same)


@dataclass(frozen=True, slots=True)
class _List:
    """Commands joined by && and ||: the place where they began, and how many scripts had been found before.

    `decides`: what stands before the next one decides whether that is run. `depth`: how many such decisions are around it.
    """

    place: _Place
    found: int
    decides: bool = False
    depth: int = 0

    @property
    def is_certain(self) -> bool:
        """Whether the next command is run in any case."""
        return not self.decides and not self.depth


class _Walk:
    """Goes through a command as the shell would, and keeps what is known at each part of it."""

    def __init__(self, place: _Place, depth: int) -> None:
        self.found: list[Script] = []
        self._place = place
        self._depth = depth
        self._list = _List(place, 0)
        self._outer: list[tuple[_Place, _List]] = []  # of the parts that are open
        self._joined: Mark = ";"
        self._prepared = True  # whether the command before only prepares the next one
        self._made = False  # whether something before may have made a file
        self._seen: set[str] = set()  # the paths that were named before

    def go_on(self, mark: Mark) -> None:
        """Pass from one simple command to the next."""
        self._joined = mark
        match mark:
            case "&&" | "||":
                self._list = replace(self._list, decides=self._list.decides or not self._prepared)
            case ";":
                self._begin(self._place.both(self._list.place) if self._list.decides else self._place, self._list.depth)
            case "(" | "if":
                self._outer.append((self._place, self._list))
                self._begin(self._place, self._list.depth + (mark == "if" or self._list.decides))
            case ")" | "fi" if self._outer:
                place, self._list = self._outer.pop()
                self._place = place if mark == ")" else place.both(self._place)
                self._prepared = False

    def run(self, command: Simple) -> None:
        """Take down what a simple command runs, and what it changes for those behind it."""
        words = shell_words.from_program(command.words, self._place.variables)
        program = shell_words.value(words[0], self._place.variables) if words else ""
        if self._joined == "||" and [word.text for word in words] in _FORGIVING:
            self.found[self._list.found :] = [replace(script, called="perhaps") for script in self.found[self._list.found :]]
        self.found += self._scripts(words)
        self._seen.update(self._named(words, command.outputs, program))
        self._made |= program not in _MAKES_NONE
        self._prepared = program in _PREPARING
        self._set(words or command.words, program)

    def _begin(self, place: _Place, depth: int) -> None:
        self._place, self._list = place, _List(place, len(self.found), depth=depth)

    def _scripts(self, words: Sequence[Word]) -> Iterator[Script]:
        variables = self._place.variables
        if found := shell_words.script_word(words, variables):
            word, direct = found
            path = self._place.path(word)
            yield from [Script(path, word.span, direct, self._called(path))] if path else []
        text = shell_words.shell_text(words, variables) if self._depth else None
        for script in self._within(text) if text else ():
            called = self._called(script.path)
            yield replace(script, called=max(called, script.called, key=_CALLED.index))

    def _within(self, text: Word) -> Iterator[Script]:
        """The scripts in a command that is a text of this one, with their places here where the text is as it is written."""
        command = shell_words.value(text, self._place.variables)
        plain = command is not None and text.text == f"'{command}'"
        for script in in_command(command or "", self._place.base, self._place.variables, self._depth - 1):
            start, end = (text.span[0] + 1 + at for at in script.span)
            yield replace(script, span=(start, end) if plain else text.span)

    def _called(self, path: str) -> Called:
        if any(path == one or path.startswith(os.path.join(one, "")) for one in self._seen):
            return "perhaps"
        if self._made and not _OF_HOOKS.search(path):
            return "perhaps"
        if self._list.is_certain:
            return "always"
        return "perhaps" if _BUILT.search(path) else "sometimes"

    def _named(self, words: Sequence[Word], outputs: Sequence[Word], program: str | None) -> Iterator[str]:
        """The paths that a command names beside its program."""
        for word in () if program == "cd" else (*words[1:], *outputs):
            path = self._place.path(word) if program in _TESTS or _PATH.search(word.text) else None
            yield from [path] if path else []

    def _set(self, words: Sequence[Word], program: str | None) -> None:
        """What a command sets for those behind it: the directory, variables."""
        base, variables = self._place.base, dict(self._place.variables)
        if program == "cd":
            base = self._place.path(words[1]) if len(words) == 2 and not words[1].text.startswith("-") else None
            variables = {**variables, "PWD": base} if base else {k: v for k, v in variables.items() if k != "PWD"}
        for word in words if not program or program in _SETTING else ():
            name, value = shell_words.assignment(word, variables) or (word.text, None)
            variables.pop(name, None)
            variables.update({} if value is None else {name: value})
        self._place = _Place(base, variables)
