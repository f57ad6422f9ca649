"""The scripts that a shell command starts, found without running it: what is unknown is left out, not guessed."""

from __future__ import annotations

import os
import re
import shlex
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from hooktui import hosts
from hooktui.core import paths
from hooktui.scripts import analysis_budget, syntax
from hooktui.scripts.programs import assigned, from_program, script_word, shell_text
from hooktui.scripts.syntax import FAILING, WINDOWS_PATH, WORDS, Tree, Word, absolute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from hooktui.scripts.syntax import Span

Called = Literal["always", "sometimes", "perhaps"]
_CALLED: tuple[Called, ...] = get_args(Called)

# Commands that do not decide whether the next one runs: `cd x && y` counts as running y.
_PREPARING = frozenset({"", "cd", "export", "set", "umask", ":", "true"})
# Programs that create no file. Any other program may create a script that is missing now.
_CREATES_NOTHING = _PREPARING | {
    "awk", "basename", "cat", "command", "cut", "date", "dirname", "echo", "egrep", "exit", "false", "fgrep", "grep", "head",
    "jq", "ls", "printf", "pwd", "read", "return", "rg", "shift", "sleep", "sort", "tail", "test", "tr", "trap", "type", "uniq",
    "wc", "which",
}  # fmt: skip
_PATH = re.compile(r"/|\.\w+$")
# Paths that exist only after an installation or a build: a command that starts them in some cases can do without.
_BUILT = re.compile(r"/(?:node_modules|\.?venv|vendor|dist|build|target)/")
_SHORT = 4096  # characters of a command of which the result is kept
_NESTED_TEXTS = 3  # levels of `sh -c` in `sh -c`
_NESTED_NODES = 50  # few enough for the recursion of four texts in each other
_MOST_VARIABLES = 200  # known ones: each branch of a text copies them


class Script(NamedTuple):
    """A script that a command names, by absolute path, whether it exists or not. In quotes, a `~` at its start stays.

    `direct`: the script is itself the program, so it must be executable. `called`: "sometimes" when the command decides;
    "perhaps" when the command checks for the script, may create it or ignores its failure, and when the syntax is broken.
    `alone`: it gets no arguments.
    """

    path: str
    span: Span
    direct: bool
    called: Called
    alone: bool = False


class Use(NamedTuple):
    """A word with its path, None if that is unknown, as a simple command uses it."""

    word: Word
    path: str | None
    role: Literal["argument", "input", "output"] = "argument"


class SimpleCommand(NamedTuple):
    """A simple command, from its program on, in a directory, None if that is unknown. `texts` are those on its stdin."""

    words: tuple[Word, ...]
    uses: tuple[Use, ...]
    directory: str | None = None
    texts: tuple[Word, ...] = ()

    @property
    def program(self) -> str:
        """The program's name, "" if it is unknown."""
        return os.path.basename(self.words[0].value or "") if self.words else ""


class ShellText(NamedTuple):
    """What a shell text starts: its scripts, all simple commands, and its assignments by the text of name and value.

    `complete`: it was read to its end, and has no syntax error.
    """

    scripts: list[Script]
    commands: list[SimpleCommand]
    assignments: list[tuple[str, Word | None]]
    complete: bool


def read(command: str, base: str | None, variables: Mapping[str, str], depth: int = _NESTED_TEXTS) -> ShellText:
    """Read a shell command. Relative paths start at `base`, None when it is unknown.

    `depth` limits commands that are arguments of a shell in another command.
    """
    if len(command) > _SHORT:
        return _read(command, _known(base, variables), depth)
    return _read_short(command, base, frozenset(variables.items()), depth, paths.home(), analysis_budget.current())


@lru_cache(maxsize=64)  # a command is read several times in a row
def _read_short(
    command: str, base: str | None, variables: frozenset[tuple[str, str]], depth: int, _home: str, _limit: object
) -> ShellText:
    return _read(command, _known(base, dict(variables)), depth)


def _known(base: str | None, variables: Mapping[str, str]) -> dict[str, str]:
    return {**variables, "PWD": base} if base else dict(variables)


def _read(command: str, variables: dict[str, str], depth: int) -> ShellText:
    walk = _Walk(variables, depth)
    complete = True
    for tree in syntax.parse(command):
        walk.tree = tree
        walk.visit(tree.root)
        complete = complete and tree.complete
    scripts = walk.scripts if complete else _perhaps(walk.scripts)
    return ShellText(scripts, walk.commands, walk.assignments, complete and walk.complete)


def in_command(command: str, base: str | None, variables: Mapping[str, str]) -> list[Script]:
    """The scripts in a shell command. Relative paths start at `base`, None when it is unknown."""
    return read(command, base, variables).scripts


def in_arguments(arguments: Sequence[str], base: str | None, placeholders: Mapping[str, str]) -> list[Script]:
    """The scripts in a program and its arguments, started without a shell; spans refer to their `shlex.join`."""
    return read_arguments(arguments, base, placeholders).scripts


def read_arguments(arguments: Sequence[str | None], base: str | None, placeholders: Mapping[str, str]) -> ShellText:
    """Read a program and its arguments, None for those that are unknown. `placeholders` are texts that the host replaces."""
    words: list[Word] = []
    start = 0
    for argument in arguments:
        end = start + len(shlex.quote(argument or ""))
        for placeholder, value in placeholders.items():
            argument = argument and argument.replace(placeholder, value)
        words.append(Word("…" if argument is None else shlex.quote(argument), (start, end), argument))
        start = end + 1
    walk = _Walk(_known(base, {}), _NESTED_TEXTS)
    walk.run(words)
    return ShellText(walk.scripts, walk.commands, walk.assignments, walk.complete)


def _perhaps(scripts: Iterable[Script]) -> list[Script]:
    return [script._replace(called="perhaps") for script in scripts]


class _Walk:
    """A walk over syntax trees in the order of execution, through every branch, with what is known at each point.

    `_variables` are the known ones, among them the working directory as PWD. `_decisions` counts the decisions that led
    here. `_prepared`: the last program was one of _PREPARING. `_first` is the number of scripts before the present list.
    """

    tree: Tree

    def __init__(self, variables: dict[str, str], depth: int) -> None:
        self.scripts: list[Script] = []
        self.commands: list[SimpleCommand] = []
        self.assignments: list[tuple[str, Word | None]] = []
        self.complete = True
        self._variables = variables
        self._depth = depth
        self._nesting = 0
        self._decisions = 0
        self._first = 0
        self._prepared = True
        self._may_create = False
        self._named: set[str] = set()

    def visit(self, *nodes: Node) -> None:
        """Run the commands at some nodes; ignore what is nested too deeply."""
        self._nesting += 1
        self.complete &= self._nesting <= _NESTED_NODES
        for node in nodes if self._nesting <= _NESTED_NODES else ():
            if visit := _VISITORS.get(node.type):
                visit(self, node)
            elif node.child_count:
                self._children(node)
        self._nesting -= 1

    def run(
        self, words: Sequence[Word], outputs: Sequence[Word] = (), inputs: Sequence[Word] = (), texts: Sequence[Word] = ()
    ) -> None:
        """Run a simple command: record its scripts and its effects on later commands."""
        self.assignments += assigned(words)
        words = from_program(words)
        program = words[0].value if words else ""
        uses = [Use(word, self._path(word)) for word in words]
        uses += [Use(word, self._path(word), "input") for word in inputs]
        uses += [Use(word, self._path(word), "output") for word in outputs]
        self.commands.append(SimpleCommand(tuple(words), tuple(uses), self._variables.get("PWD"), tuple(texts)))
        self.scripts += self._started(words)
        if program == "cd":
            directory = words[1] if len(words) == 2 and not words[1].text.startswith("-") else None
            self._set("PWD", self._path(directory) if directory else None)
        else:
            self._name(word for word in (*words[1:], *outputs) if program == "test" or _PATH.search(word.text))
        for word in words[1:] if program == "read" else ():
            self._set(word.text, None)
        self._may_create |= program not in _CREATES_NOTHING
        self._prepared = program in _PREPARING if words else self._prepared

    def _started(self, words: Sequence[Word]) -> Iterator[Script]:
        if named := script_word(words):
            word, direct = named
            path = word.value if WINDOWS_PATH.match(word.value or "") else self._path(word)
            yield from [Script(path, word.span, direct, self._called(path), words[-1] is word)] if path else []
        text = shell_text(words)
        command = text.value if text else None
        if text is None or command is None:
            return
        if not self._depth:
            self.complete = False
            return
        inner = _read(command, dict(self._variables), self._depth - 1)
        self.commands += inner.commands
        self.assignments += inner.assignments
        self.complete &= inner.complete
        for script in inner.scripts:
            start, end = (text.span[0] + 1 + index for index in script.span)
            span = (start, end) if text.text[1:-1] == command else text.span
            yield script._replace(span=span, called=max(self._called(script.path), script.called, key=_CALLED.index))

    def _called(self, path: str) -> Called:
        if self._is_named(path):
            return "perhaps"
        if self._may_create and not hosts.keeps_hooks_in(path):  # no build writes there
            return "perhaps"
        if not self._decisions:
            return "always"
        return "perhaps" if _BUILT.search(path) else "sometimes"

    def _path(self, word: Word) -> str | None:
        return absolute(word.value, self._variables.get("PWD"))

    def _is_named(self, path: str) -> bool:
        while path and path not in self._named:
            path = path.rpartition("/")[0]
        return bool(path) or "/" in self._named

    def _name(self, words: Iterable[Word]) -> None:
        """Record paths that a command checks, writes or passes on: later commands may do without them as scripts."""
        self._named.update(path for word in words if (path := self._path(word)))

    def _children(self, node: Node) -> None:
        self.visit(*node.children)

    def _in_subshell(self, node: Node) -> None:
        before = dict(self._variables)
        self.visit(*node.children)
        self._variables = before
        self._prepared = False

    def _branch(self, node: Node) -> None:
        """A condition, which may fail on purpose, with what depends on it, or a function, which runs where it is called."""
        before = dict(self._variables)
        self._decisions += 1
        if variable := node.child_by_field_name("variable"):
            self._set(self.tree.text(variable), None)
        self.visit(*node.children)
        self._decisions -= 1
        self._forget(before)
        self._prepared = False

    def _list(self, node: Node) -> None:
        """Commands joined by && and ||, whose nodes are nested to the left, or one with redirections."""
        before, decisions, first = dict(self._variables), self._decisions, self._first
        self._first = len(self.scripts)
        left = [node]
        while left:
            part = left.pop()
            if part.type == "list":
                left += reversed(part.children)
            else:
                (self._command if part.type == "redirected_statement" else self.visit)(part)
        if self._decisions != decisions:
            self._forget(before)
        self._decisions, self._first = decisions, first

    def _operator(self, node: Node) -> None:
        self._decisions += not self._prepared
        if node.type == "||" and not self.tree.is_followed_by(node, FAILING):
            self.scripts[self._first :] = _perhaps(self.scripts[self._first :])

    def _command(self, node: Node) -> None:
        """A command with its redirections. Substitutions in it run first; a here-document's node holds the rest of its line."""
        body = node.child_by_field_name("body")
        parts = [*body.children, *node.children[1:]] if body and body.type == "command" else node.children
        heredocs = [part for part in parts if part.type == "heredoc_redirect"]
        own = [part for part in parts if part not in heredocs]
        for part in own:
            self._assigned(part)
            self.visit(*part.children if part.type == "variable_assignment" else [part])
        words: list[Word] = []
        outputs: list[Word] = []
        inputs: list[Word] = []
        for part in (*own, *(child for heredoc in heredocs for child in heredoc.children)):
            # The grammar treats arguments after the target of a redirection as more targets.
            targets = [self._word(word) for word in part.children if part.type == "file_redirect" and word.type in WORDS]
            words += [self._word(part)] if part.type in WORDS else targets[1:]
            is_output = any(">" in child.type for child in part.children)
            (outputs if is_output else inputs).extend(targets[:1])
        # It also splits a word before a substitution in backticks.
        split = {word.span[0] for word in words} & {word.span[1] for word in words}
        # And it ends an assignment at a `$` that a colon precedes; what touches one is the rest of it.
        ends = {self._word(part).span[1] for part in own if part.type == "variable_assignment"}
        words = [word for word in words if word.span[0] not in ends]
        known = [word._replace(value=None) if split.intersection(word.span) else word for word in words]
        self.run(
            known,
            outputs,
            inputs,
            [self._heredoc(part) for part in own if part.type == "herestring_redirect"]
            + [self._heredoc(part) for part in heredocs],
        )
        self.visit(*heredocs)

    def _heredoc(self, node: Node) -> Word:
        """The text of a here-document, whose value is known if nothing is expanded in it, or of a here-string."""
        if node.type == "herestring_redirect":
            return self._word(node.named_children[-1])
        start = next((child for child in node.children if child.type == "heredoc_start"), None)
        body = next((child for child in node.children if child.type == "heredoc_body"), None)
        if body is None:
            return self._word(node)._replace(value=None)
        is_literal = start is not None and self.tree.text(start)[:1] in "'\"\\"
        expands = any(child.type not in ("heredoc_content", "heredoc_end") for child in body.named_children)
        word = self._word(body)
        return word._replace(value=word.text if is_literal or not expands else None)

    def _assigned(self, node: Node) -> None:
        """Record an assignment, also one for a single command."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if node.type == "variable_assignment" and name:
            self.assignments.append((self.tree.text(name), self._word(value) if value else None))

    def _assignment(self, node: Node) -> None:
        self._assigned(node)
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        self.visit(*[value] if value else [])
        if name and self.tree.text(name) != "PWD":
            appends = any(child.type == "+=" for child in node.children)
            self._set(self.tree.text(name), None if appends else self._word(value).value if value else "")
        self._prepared = True

    def _declaration(self, node: Node) -> None:
        """`export`, `local`, `unset` and the like. A variable without a value is unknown, unless it is exported."""
        for child in node.children:
            if child.type == "variable_name" and node.children[0].type != "export":
                self._set(self.tree.text(child), None)
            self.visit(child)
        self._prepared = True

    def _test(self, node: Node) -> None:
        self._children(node)
        left = [node]
        while left:
            part = left.pop()
            self._name([self._word(part)] if part.type in WORDS else [])
            left += [] if part.type in WORDS else part.children
        self._prepared = False

    def _word(self, node: Node) -> Word:
        return self.tree.word(node, self._variables)

    def _set(self, name: str, value: str | None) -> None:
        """Set a variable; None makes it unknown."""
        if value is None or (len(self._variables) >= _MOST_VARIABLES and name not in self._variables):
            self._variables.pop(name, None)
        else:
            self._variables[name] = value

    def _forget(self, before: Mapping[str, str]) -> None:
        """Make the variables unknown that differ from those `before`: what was done since may not have happened."""
        self._variables = dict(before.items() & self._variables.items())


_BRANCHES = ("if", "while", "for", "c_style_for", "case")
_VISITORS: Mapping[str, Callable[[_Walk, Node], None]] = {
    "command": _Walk._command,
    **dict.fromkeys(("list", "redirected_statement"), _Walk._list),
    **dict.fromkeys(("&&", "||"), _Walk._operator),
    **dict.fromkeys(("subshell", "command_substitution", "process_substitution", "pipeline"), _Walk._in_subshell),
    **dict.fromkeys((*(f"{name}_statement" for name in _BRANCHES), "function_definition"), _Walk._branch),
    **dict.fromkeys(("declaration_command", "unset_command"), _Walk._declaration),
    **dict.fromkeys(("test_command", "(("), _Walk._test),
    "variable_assignment": _Walk._assignment,
}
