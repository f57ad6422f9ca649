"""The program that a shell command is about, without what prepares it: tests, assignments, runners, readers of stdin."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hooktui.scripts import syntax
from hooktui.scripts.programs import from_program, shell_text
from hooktui.scripts.syntax import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

    from hooktui.scripts.syntax import Tree, Word

_NESTED_TEXTS = 3  # levels of `sh -c` in `sh -c`
_DEEPEST = 50  # nodes of a tree in each other
_PREPARING = frozenset({"[", "test", "cd", "set", "export", "true", ":", "read", "trap", "umask", "command", "local", "mkdir"})
_PASSING = frozenset({"cat", "echo", "printf", "jq", "grep", "sed", "awk", "tr", "head", "tail", "exit", "return", "tee"})
# Programs that run another one: its subcommands that do, and their options that take a value.
_RUNNERS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **dict.fromkeys(("npx", "bunx", "pnpx"), ((), ("-p", "--package"))),
    **dict.fromkeys(("pnpm", "npm", "yarn"), (("exec", "dlx", "x"), ("--package",))),
    **dict.fromkeys(("poetry", "pipx", "bundle"), (("run", "exec"), ())),
    "uv": (("run",), ("--with", "--python", "-p", "--project", "--directory")),
    "uvx": ((), ("--from", "--with", "--python", "-p")),
    "xargs": ((), ("-n", "-I", "-P", "-L", "-d", "-s", "-a")),
}
_PYTHON = re.compile(r"python[0-9.]*")
_CODE = re.compile(r"(?:python[0-9.]*|node|bun|deno|ruby|perl|php) (?:-[a-z]*[cer]|eval|--eval|--print)")

_Ranked = tuple[int, list[str]]  # 0: does the work, 1: passes text on or ends, 2: prepares


def main_program(command: str, depth: int = _NESTED_TEXTS) -> list[str]:
    """The name of the program and its arguments; a text in quotes is one word. Empty if the syntax is broken."""
    ranked: list[_Ranked] = []
    for tree in syntax.parse(command):
        if not tree.complete:
            return []
        ranked += _programs(tree.root, tree, depth)
    return min(ranked, key=lambda found: found[0], default=(0, list[str]()))[1]


def _programs(node: Node, tree: Tree, depth: int, deep: int = 0) -> Iterator[_Ranked]:
    if deep > _DEEPEST:
        return
    below = [found for child in node.children for found in _programs(child, tree, depth, deep + 1)]
    if node.type == "command":
        words = [tree.word(child, {}) for child in node.children if child.type in WORDS]
        yield from _ranked(_run(from_program(words)), depth)
    if node.type == "pipeline" and below and below[0][0]:
        below.reverse()
    yield from ((rank + (node.type == "command_substitution"), words) for rank, words in below)


def _ranked(words: Sequence[Word], depth: int) -> Iterator[_Ranked]:
    text = shell_text(words)
    inner = main_program(text.value, depth - 1) if depth and text and text.value else []
    values = inner or [word.text.strip("\"'") if word.value is None else word.value for word in words]
    if not values:
        return
    name = os.path.basename(values[0])
    prepares = name in _PREPARING or values == ["cat"]
    yield 2 if prepares else int(name in _PASSING), values


def _run(words: Sequence[Word]) -> Sequence[Word]:
    """The words from the program on that a runner such as npx starts."""
    name = os.path.basename(words[0].value or "") if words else ""
    if _PYTHON.fullmatch(name) and len(words) > 2 and words[1].text == "-m":
        return words[2:]
    commands, with_value = _RUNNERS.get(name, (("",), ()))
    rest = list(words[1:])
    if commands and (not rest or rest.pop(0).text not in commands):
        return words
    while rest and rest[0].text.startswith("-"):
        if rest.pop(0).text in with_value and rest:
            rest.pop(0)
    return _run(from_program(rest)) if rest else words


def code_of(words: Sequence[str]) -> str:
    """The program's text among the words of an interpreter, such as `python3 -c TEXT`; empty if there is none."""
    return words[2] if len(words) > 2 and _CODE.fullmatch(" ".join(words[:2])) else ""
