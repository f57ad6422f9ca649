"""The programs and variables that a shell text uses, found without running it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hooktui.scripts import analysis_budget, commands, syntax
from hooktui.scripts.programs import from_program, shell_text
from hooktui.scripts.syntax import FAILING, WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tree_sitter import Node

    from hooktui.scripts.syntax import Span, Tree, Word

_NESTED_TEXTS = 3  # levels of `sh -c` in `sh -c`
_PROGRAM = re.compile(r"(?:/(?:usr/(?:local/)?)?s?bin/)?[A-Za-z][\w.+-]*")
_SIMPLE_EXPANSION = re.compile(r"\$(?:(\w+)|\{(\w+)(?P<default>:?-[^${}`]*)?\})")
_KEPT = r"(\w+)=\"?\$\{\1:?-[^${}`]*\}\"?"  # an assignment that gives a variable a literal default value
_BUILTINS = frozenset(
    {
        "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen", "complete", "continue",
        "coproc", "declare", "dirs", "disown", "do", "done", "echo", "elif", "else", "enable", "esac", "eval", "exec", "exit",
        "export", "false", "fc", "fg", "fi", "for", "function", "getopts", "hash", "help", "history", "if", "in", "jobs",
        "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly",
        "return", "select", "set", "setopt", "shift", "shopt", "source", "suspend", "test", "then", "time", "times", "trap",
        "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while",
    }
)  # fmt: skip
_ASSIGNING = ("read", "mapfile", "readarray", "getopts", "printf")  # builtins whose arguments may name variables
_LOADING = ("source", ".", "eval")  # what they bring is unknown
_CODE_READ = re.compile(r"[\s;]*[^\n]*\$\?")  # a next line that looks at the exit code
_HUSHED = re.compile(r"(2|&)>\s*/dev/null")
_STATEMENTS = ("command", "pipeline", "redirected_statement", "variable_assignment")
# A decision by the operating system.
_SYSTEM = re.compile(r"uname|OSTYPE|darwin|linux|msys|cygwin|mingw|windows|\bwsl|\*\.exe\b", re.IGNORECASE)
_BRANCHES = ("if_statement", "elif_clause", "case_statement", "case_item", "while_statement", "list")
_TESTS = ("test_command", "negated_command")
_OTHERWISE = ("elif_clause", "else_clause")
# A test whether a file exists, with the literal end of its path.
_FILE_TEST = re.compile(r"(?<!! )(?:\[\[?|\btest|&&|\|\|) -[efdsrx] [\"']?(?:\$\{?\w+\}?[\"']?/)?([\w./][\w./-]*)(?=[\"'\s;])")
_DIRECTORY = re.compile(
    r"(?:\$\(|`) *(?:git (?:-C \S+ )?rev-parse --show-toplevel|pwd)\b[^\n]*[)`]"
)  # a substitution that prints one
# An expansion in one of these is not split into words.
_WHOLE = (
    "string",
    "variable_assignment",
    "test_command",
    "case_statement",
    "heredoc_body",
    "arithmetic_expansion",
    "subscript",
)


class UsedName(NamedTuple):
    """A program or variable where it is used. `split`: the shell splits the variable's value at blanks.

    `default` is the literal value of a variable that is not set, and `target` the variable that its value is assigned to.
    `if_any`: a program is used only if one file of each group exists, by paths from a directory that is unknown here.
    `hushed`: the text hides the errors of a program.
    """

    name: str
    span: Span
    split: bool = False
    default: str = ""
    target: str = ""
    if_any: tuple[tuple[str, ...], ...] = ()
    hushed: bool = False


class _Need(NamedTuple):
    """Whether a missing program would be a failure, without which files it is not needed, and whether nobody would see it."""

    counts: bool = True
    if_any: tuple[tuple[str, ...], ...] = ()
    hushed: bool = False


@dataclass(slots=True)
class ShellNames:
    """What a text uses: `programs` that must be on PATH, `variables` without a default value, in order, and `defaulted` ones
    with a literal one; `arguments` outside of functions, with such a value or none; `directories` that a substitution prints.

    `assigned` are variables that it sets; `mentioned` words that it passes as arguments. `loads`: it sources or evaluates
    what is unknown here.
    """

    programs: list[UsedName] = field(default_factory=list)
    variables: list[UsedName] = field(default_factory=list)
    defaulted: list[UsedName] = field(default_factory=list)
    arguments: list[UsedName] = field(default_factory=list)
    directories: list[UsedName] = field(default_factory=list)
    assigned: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    loads: bool = False
    complete: bool = True

    def needed(self) -> Iterator[UsedName]:
        """The programs that the text neither defines nor tests for; none if its syntax is broken."""
        if "PATH" not in self.assigned and not self.loads and self.complete:
            yield from (used for used in self.programs if used.name not in self.functions | self.mentioned)


def names(text: str, depth: int = _NESTED_TEXTS) -> ShellNames:
    """The names in a shell text, to read only. `depth` limits commands that are arguments of a shell in another command."""
    return _names(text, depth, analysis_budget.current())


@lru_cache(maxsize=16)  # each rule asks for those of the same text
def _names(text: str, depth: int, _limit: object) -> ShellNames:
    collected = ShellNames()
    for tree in syntax.parse(text):
        collected.complete &= tree.complete
        _collect(tree, collected, depth)
    return collected


def with_sourced(
    text: str, base: str | None, variables: Mapping[str, str], read: Callable[[str], str | None], depth: int = _NESTED_TEXTS
) -> ShellNames:
    """The names in a shell text, which `loads` nothing if `read` has the texts of all files that it sources."""
    collected = names(text)
    if not collected.loads:
        return collected
    loading = [found for found in commands.read(text, base, variables).commands if found.program in _LOADING]
    paths = [found.uses[1].path if found.program != "eval" and found.uses[1:] else None for found in loading]
    assigned, mentioned, functions = {*collected.assigned}, {*collected.mentioned}, {*collected.functions}
    collected = replace(collected, assigned=assigned, mentioned=mentioned, functions=functions)
    sourced = [read(path) if path and depth else None for path in paths]
    collected.loads = not sourced or None in sourced
    for path, inner in zip(paths, sourced, strict=True):
        own = with_sourced(inner or "", base, {**variables, "BASH_SOURCE": path or ""}, read, depth - 1)
        collected.assigned |= own.assigned
        collected.mentioned |= own.mentioned
        collected.functions |= own.functions
        collected.loads |= own.loads
    return collected


def _collect(tree: Tree, into: ShellNames, depth: int) -> None:
    left: list[tuple[Node, _Need]] = [(tree.root, _Need())]
    while left:
        node, need = left.pop()
        match node.type:
            case "command":
                _command(node, tree, into, need, depth)
            case "simple_expansion" | "expansion":
                _expansion(node, tree, into)
            case "command_substitution" if _DIRECTORY.fullmatch(tree.text(node).strip()):
                into.directories.append(UsedName("", tree.word(node, {}).span, _is_split(node)))
            case "variable_assignment" if not re.fullmatch(_KEPT, tree.text(node)):
                into.assigned.add(tree.text(node.named_children[0]))
            case "for_statement":
                into.assigned.add(tree.text(node.named_children[0]))
                into.mentioned |= {tree.text(child) for child in node.named_children if child.type == "word"}
            case "function_definition":
                into.functions.add(tree.text(node.named_children[0]))
        left += ((child, _need(child, node, tree, need)) for child in reversed(node.children))


def _need(child: Node, parent: Node, tree: Tree, need: _Need) -> _Need:
    """The need for programs at a child, which may depend on a condition of its parent."""
    if child.type in _STATEMENTS and tree.is_followed_by(child, _CODE_READ):
        return need._replace(counts=False)
    if parent.type == "redirected_statement" and _HUSHED.search(tree.text(parent)[len(tree.text(child)) :]):
        return need._replace(hushed=True)
    if parent.type not in _BRANCHES or not parent.named_children:
        return need
    condition = parent.children[0] if parent.type == "list" else parent.named_children[0]
    if child == condition:
        fails = parent.type != "list" or parent.children[1].type != "||" or tree.is_followed_by(parent.children[1], FAILING)
        return need._replace(counts=need.counts and fails)
    text = tree.text(condition)
    is_spare = parent.children[1].type == "||" and condition.type not in _TESTS
    if is_spare or _SYSTEM.search(text):  # where the first program works, the other never starts
        return need._replace(counts=False)
    is_other = child.type in _OTHERWISE or parent.type == "case_item" or parent.children[1].type == "||"
    files = () if is_other else tuple(_FILE_TEST.findall(f"{text} "))
    return need._replace(if_any=(*need.if_any, files)) if files else need


def _command(node: Node, tree: Tree, into: ShellNames, need: _Need, depth: int) -> None:
    words = [tree.word(child, {}) for child in node.children if child.type in WORDS]
    rest = from_program(words)
    program = rest[0].value if rest else None
    text = shell_text(rest)
    into.mentioned |= {word.value for word in words if word.value is not None and word not in (*rest[:1], text)}
    if program is None:
        return
    if program in _ASSIGNING:
        into.assigned |= {word.text for word in rest[1:]}
    into.loads |= program in _LOADING
    if need.counts and _PROGRAM.fullmatch(program) and program not in _BUILTINS and "\\" not in rest[0].text:
        into.programs.append(UsedName(program, rest[0].span, if_any=need.if_any, hushed=need.hushed))
    if depth and text is not None and text.value is not None:
        _nested(text, names(text.value, depth - 1), into, need)


def _nested(text: Word, inner: ShellNames, into: ShellNames, need: _Need) -> None:
    exact = text.text[1:-1] == text.value  # otherwise offsets differ

    def placed(used: UsedName) -> UsedName:
        start, end = (text.span[0] + 1 + index for index in used.span) if exact else text.span
        return used._replace(span=(start, end), if_any=(*need.if_any, *used.if_any))

    into.programs += map(placed, inner.needed()) if need.counts else ()
    into.variables += [placed(used) for used in inner.variables if used.name not in inner.assigned]
    into.defaulted += [placed(used) for used in inner.defaulted if used.name not in inner.assigned]
    into.assigned |= inner.assigned
    into.loads |= inner.loads


def _expansion(node: Node, tree: Tree, into: ShellNames) -> None:
    written = tree.text(node)
    begin = node.start_byte + len(written) - len(written.lstrip())  # in a string, the node begins with blanks
    simple = _SIMPLE_EXPANSION.fullmatch(written.strip())
    if simple is None:
        name = next((tree.text(child) for child in node.named_children if child.type == "variable_name"), "")
        into.assigned |= {name} if re.match(r"\s*\$\{\w+:?[-=?+]", written) else set()
        return
    start = tree.word(node, {}).span[0] + begin - node.start_byte
    default = (simple["default"] or "").lstrip(":").removeprefix("-").strip("\"'")
    span = (start, start + len(written.strip()))
    used = UsedName(simple[1] or simple[2], span, _is_split(node), default, _target(node, tree))
    (into.variables if simple["default"] is None else into.defaulted).append(used)
    if used.name.isdecimal() and used.name != "0" and not _is_in_function(node):
        into.arguments.append(used)


def _target(node: Node, tree: Tree) -> str:
    """The variable to which the value of an expansion is assigned, "" for none."""
    around = node.parent.parent if node.parent and node.parent.type == "string" else node.parent
    name = around.child_by_field_name("name") if around and around.type == "variable_assignment" else None
    return tree.text(name) if name else ""


def _is_in_function(node: Node) -> bool:
    around = node.parent
    while around is not None and around.type != "function_definition":
        around = around.parent
    return around is not None


def _is_split(node: Node) -> bool:
    around = node.parent
    while around is not None and around.type not in ("command", "command_substitution", "program"):
        if around.type in _WHOLE:
            return False
        around = around.parent
    return around is not None and around.type == "command"
