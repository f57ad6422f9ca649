"""What a Python program imports, runs and reads of a project."""

from __future__ import annotations

import ast
import os
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING

from hooktui.scripts.loads import Gap, Load, below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.scripts.loads import Dependency, Started

_READS, _WRITES = ("open", "read_text", "read_bytes"), ("write_text", "write_bytes", "touch")
_BY_NAME = ("import_module", "__import__", "run_path", "run_module", "spec_from_file_location", "SourceFileLoader")
_SHELLS = ("system", "popen", "getoutput", "getstatusoutput", "create_subprocess_shell")
_STARTS = (*_SHELLS, "run", "Popen", "call", "check_call", "check_output", "execv", "execvp", "execl", "create_subprocess_exec")
_STARTERS = ("subprocess", "os", "asyncio")
_NODES = 50_000  # of one script
_SHORT = 16 * 1024  # characters of a script whose nodes are kept
_ROUNDS = 4  # of variables that are made of each other
_DEPTH = 100  # of an expression
COST = 8  # times that of reading as much shell text


def module(name: str, directory: str, *, is_program: bool = False) -> list[str]:
    """The files in a directory that are looked for when a module is imported, or run, with those of its packages."""
    files, place = [], directory
    for part in name.split("."):
        place = os.path.join(place, part)
        files.append(os.path.join(place, "__init__.py"))
        if not os.path.isdir(place):
            return [*files, f"{place}.py"]
    return [*files, os.path.join(place, "__main__.py")] if is_program else files


def of_text(text: str, path: str | None, directory: str | None, root: str, started: Started) -> Iterator[Dependency]:
    """What a program loads from below `root`: a script at `path`, or a text that Python gets in a directory."""
    try:
        nodes = (_nodes_of_short if len(text) <= _SHORT else _nodes)(text)
        yield from dict.fromkeys(_Program(nodes, path, directory, root, started).dependencies())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield Gap("hooktui cannot parse it")


def _nodes(text: str) -> list[ast.AST]:
    with warnings.catch_warnings(action="ignore"):
        tree = ast.parse(text)
    return [node for _, node in zip(range(_NODES), ast.walk(tree), strict=False)]


_nodes_of_short = lru_cache(maxsize=32)(_nodes)  # a script is read several times in a row


class _Program:
    """The nodes of a program, with the variables whose values are made of its own path and literals."""

    def __init__(self, nodes: Sequence[ast.AST], path: str | None, directory: str | None, root: str, started: Started) -> None:
        self._nodes, self._path, self._root, self._started = nodes, path, root, started
        self._search = [directory] if directory else []
        self._modules = {
            alias.asname or alias.name: alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
        }
        self._assigned: dict[str, list[ast.expr]] = {}
        for node in nodes:
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if isinstance(target, ast.Name) and isinstance(node, ast.Assign):
                    self._assigned.setdefault(target.id, []).append(node.value)
        self._known: dict[str, str | None] = {}
        for _ in range(_ROUNDS):
            self._known = {name: self._value(values[0]) for name, values in self._assigned.items() if len(values) == 1}

    def dependencies(self) -> Iterator[Dependency]:
        calls = [node for node in self._nodes if isinstance(node, ast.Call)]
        for call in calls:
            if ast.unparse(call.func).startswith("sys.path."):
                place = self._value(call.args[-1]) if call.args else None
                self._search[:0] = [place] if place else []
                yield from [] if place and os.path.isabs(place) else [Gap("it looks for modules in an unknown directory")]
        for node in self._nodes:
            yield from self._imported(node)
        for call in calls:
            yield from self._run(call)
        yield from self._data(calls)

    def _value(self, node: ast.AST | None, depth: int = 0) -> str | None:
        """The text of an expression made of `__file__` and literals."""
        match node if depth < _DEPTH else None:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name):
                return self._path if name == "__file__" else self._known.get(name)
            case ast.Attribute(value=ast.Name(id="sys"), attr="executable"):
                return "python3"
            case ast.Attribute(value=value, attr="parent") | ast.Call(func=ast.Attribute(attr="dirname"), args=[value]):
                inner = self._value(value, depth + 1)
                return os.path.dirname(inner) if inner else None
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._joined([left, right], depth)
            case ast.Call(func=ast.Attribute(attr="join"), args=[_, _, *_] as parts):
                return self._joined(parts, depth)
            case ast.Call(func=ast.Attribute(attr="resolve" | "absolute", value=value), args=[]) | ast.Call(args=[value]):
                is_same = isinstance(node, ast.Call) and _name(node) in (
                    "resolve",
                    "absolute",
                    "Path",
                    "abspath",
                    "realpath",
                    "str",
                    "fspath",
                )
                return self._value(value, depth + 1) if is_same else None
        return None

    def _joined(self, parts: Sequence[ast.expr], depth: int) -> str | None:
        values = [self._value(part, depth + 1) for part in parts]
        known = [value for value in values if value is not None]
        return os.path.normpath(os.path.join(*known)) if len(known) == len(values) else None

    def _imported(self, node: ast.AST) -> Iterator[Dependency]:
        match node:
            case ast.Import(names=aliases):
                yield from (load for alias in aliases for load in self._module(alias.name, self._search))
            case ast.ImportFrom(module=base, names=aliases, level=level):
                place = self._path or ""
                for _ in range(min(level, _DEPTH)):
                    place = os.path.dirname(place)
                search = [place] if level and place else self._search
                names = [base] if base else []
                for name in (*names, *(f"{base}.{alias.name}" if base else alias.name for alias in aliases)):
                    yield from self._module(name, search)

    def _module(self, name: str, search: Sequence[str]) -> Iterator[Dependency]:
        """The files of a module, there or not: one that is added would be found in place of an installed module."""
        for directory in search:
            files = module(name, directory)
            is_there = any(map(os.path.isfile, files))
            wanted = (file for file in files if below(file, self._root) and ("." not in name or os.path.isfile(file)))
            yield from (Load(file, "python") for file in wanted)
            if is_there:
                return

    def _run(self, call: ast.Call) -> Iterator[Dependency]:
        """Calls that run a text, load a module by its name, or start a process."""
        name, first = _name(call), call.args[0] if call.args else None
        owner = self._modules.get(_owner(call), "") if isinstance(call.func, ast.Attribute) else None
        text = self._value(first)
        if name in ("exec", "eval") and owner is None:
            yield from [Gap(f"{name} runs a computed text")] if text is None else []
        elif name in ("import_module", "__import__") and text:
            yield from self._module(text, self._search)
        elif name in _BY_NAME:
            yield Gap(f"{name} loads a module by a computed name")
        elif name in _STARTS and owner in (None, *_STARTERS) and (owner, name) != ("asyncio", "run"):
            given = self._assigned.get(first.id, []) if isinstance(first, ast.Name) else [first]
            parts = given[0].elts if len(given) == 1 and isinstance(given[0], ast.List | ast.Tuple) else []
            is_shell = name in _SHELLS or any(keyword.arg == "shell" for keyword in call.keywords)
            if text or (parts and self._value(parts[0])):
                yield from self._started(text if is_shell and text else [self._value(part) for part in parts or call.args])
            elif owner or name not in ("run", "call"):  # functions of its own have such names, too
                yield Gap(f"{name} starts a computed command")

    def _data(self, calls: Sequence[ast.Call]) -> Iterator[Dependency]:
        """Files that it reads by a path of its own, but for those that it writes."""
        read, written = dict[str, None](), set[str]()
        for call in calls:
            name, func = _name(call), call.func
            owner = func.value if isinstance(func, ast.Attribute) and self._modules.get(_owner(call)) is None else None
            target = owner or (call.args[0] if call.args else None)
            path = self._value(target)
            if name in (*_READS, *_WRITES) and path and os.path.isabs(path) and below(path, self._root):
                modes = [
                    ast.unparse(mode) for mode in (*call.args[0 if owner else 1 :][:1], *(key.value for key in call.keywords))
                ]
                writes = name in _WRITES or (name == "open" and any(set("wax+") & set(mode) for mode in modes))
                written |= {path} if writes else set()
                read |= {} if writes else {path: None}
            elif name in _READS and path is None and target and "__file__" in self._names(target):
                yield Gap("it reads a file by a path that is computed from its own")
        for path in read:
            if path in written:
                yield Gap(f"reads {os.path.basename(path)}, which it writes")
            elif os.path.isfile(path):
                yield Load(path, "data")

    def _names(self, target: ast.expr) -> set[str]:
        """The variables in an expression, and those of which these are made."""
        names = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
        for _ in range(_ROUNDS):
            values = (value for name in names for value in self._assigned.get(name, ()))
            names = names.union(*({node.id for node in ast.walk(value) if isinstance(node, ast.Name)} for value in values))
        return names


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _owner(call: ast.Call) -> str:
    """The name before the last dot of what is called."""
    return getattr(call.func.value, "id", "") if isinstance(call.func, ast.Attribute) else ""
