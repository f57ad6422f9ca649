"""What a Python script imports and reads from the project."""

from __future__ import annotations

import ast
import os
import warnings
from typing import TYPE_CHECKING

from hooktui.formats.coverage.loads import Loads, below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SAME = ("abspath", "realpath", "normpath", "fspath", "str", "Path", "PurePath", "resolve", "absolute", "expanduser")
_READS = ("read_text", "read_bytes", "exists", "is_file", "open", "stat")
_WRITES = ("write_text", "write_bytes", "touch")
_NAMES = ("name", "stem", "suffix")
_STARTS = ("run", "Popen", "call", "check_call", "check_output", "execv", "execvp", "execve", "system", "popen")
_CHECKS = ("exists", "isfile", "is_file", "basename")
_BY_NAME = ("import_module", "__import__", "run_path", "run_module", "spec_from_file_location", "SourceFileLoader")
_LEVELS = 100  # of directories
_NODES = 50_000  # of one script
COST = 8  # times that of reading as much shell text


def of_script(path: str, text: str, root: str, search: Sequence[str] = ()) -> Loads:
    """What the Python file at `path` loads from below `root`.

    `search` are the directories where it finds its imports, its own for a script.
    """
    name = os.path.basename(path)
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
        nodes = [node for _, node in zip(range(_NODES), ast.walk(tree), strict=False)]
        return _Reader(path, root, nodes, search or [os.path.dirname(path)]).loads
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        loads = Loads()
        if "__file__" in text:
            loads.bound.append(f"{name} cannot be parsed")
        return loads


def module(name: str, directory: str) -> list[str]:
    """The files of a module, with those of its packages, in a directory of the search path; empty if it is not there."""
    files: list[str] = []
    place = directory
    for part in name.split("."):
        place = os.path.join(place, part)
        if os.path.isfile(f"{place}.py"):
            return [*files, f"{place}.py"]
        if not os.path.isdir(place):
            return files
        files += [file for file in (os.path.join(place, "__init__.py"),) if os.path.isfile(file)]
    return files


class _Reader:
    """Reads one script, with the variables that hold its own paths."""

    def __init__(self, path: str, root: str, nodes: Sequence[ast.AST], search: Sequence[str]) -> None:
        self.loads = Loads()
        self._path = path
        self._root = root
        self._name = os.path.basename(path)
        self._parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
        self._known: dict[str, str] = {}
        self._values: dict[ast.AST, str | None] = {}  # with the present variables, so that nested expressions take linear time
        self._find_variables(nodes)
        self._of_file = self._nodes_of_file(nodes)
        self._search = self.loads.search = [*search]
        own = [node for node in nodes if self._is_own(node)]
        self._written: set[str] = set()
        self._started: set[str] = set()
        self._read_whole: set[str] = set()
        for node in own:
            self._judge(node)
        uncovered = self._written - self._started
        self.loads.files = [file for file in self.loads.files if file not in uncovered]
        for file in sorted(uncovered & self._read_whole):
            self.loads.gaps.append(f"{self._name} reads {os.path.basename(file)}, which it writes")
        for node in nodes:
            self._import(node)
            self._call(node)

    def _find_variables(self, nodes: Sequence[ast.AST]) -> None:
        """Find the paths of its own that variables hold."""
        assigned: dict[str, list[ast.expr]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        assigned.setdefault(target.id, []).append(node.value)
        for _ in range(4):  # a variable may be made of another
            values = {name: {self._value(value) for value in given} for name, given in assigned.items()}
            own = {name: {value for value in given if value and os.path.isabs(value)} for name, given in values.items()}
            known = {name: min(given) for name, given in own.items() if given}
            if known == self._known:
                break
            self._known = known
            self._values.clear()
        for name, given in values.items():
            if len(given) > 1 and name in self._known:
                self._bind(f"computes {name} from its own path")

    def _value(self, node: ast.AST) -> str | None:
        """The text that an expression made of `__file__` and literals has."""
        if node not in self._values:
            self._values[node] = self._computed(node)
        return self._values[node]

    def _computed(self, node: ast.AST) -> str | None:
        match node:
            case ast.Name(id="__file__"):
                return self._path
            case ast.Name(id=name):
                return self._known.get(name)
            case ast.Constant(value=str(text)):
                return text
            case ast.Attribute(value=value, attr="parent"):
                inner = self._value(value)
                return os.path.dirname(inner) if inner else None
            case ast.Subscript(value=ast.Attribute(value=value, attr="parents"), slice=ast.Constant(value=int(levels))):
                return _up(self._value(value), levels + 1)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="sys"), attr="argv"), slice=ast.Constant(value=0)):
                return self._path
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._joined([left, right])
            case ast.Call(func=func, args=args):
                return self._called(func, args)
        return None

    def _called(self, func: ast.expr, args: Sequence[ast.expr]) -> str | None:
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name in ("resolve", "absolute", "expanduser") and isinstance(func, ast.Attribute) and not args:
            return self._value(func.value)
        if name in _SAME and len(args) == 1:
            return self._value(args[0])
        if name == "dirname" and len(args) == 1:
            inner = self._value(args[0])
            return os.path.dirname(inner) if inner else None
        if name == "join":
            return self._joined(args)
        if name in ("joinpath", "with_name") and isinstance(func, ast.Attribute):
            base = self._value(func.value)
            first: list[ast.expr] = [ast.Constant(value=_up(base, 1) if name == "with_name" else base)]
            return self._joined([*first, *args]) if base else None
        return None

    def _joined(self, parts: Sequence[ast.expr]) -> str | None:
        values = [self._value(part) for part in parts]
        texts = [value for value in values if value is not None]
        return os.path.normpath(os.path.join(*texts)) if texts and len(texts) == len(values) else None

    def _is_own(self, node: ast.AST) -> bool:
        """Whether a node is the largest expression that has a path of the script's own."""
        if not isinstance(node, ast.expr) or isinstance(node, ast.Constant):
            return False
        value = self._value(node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            return False
        if value is None or not os.path.isabs(value):
            return False
        if node not in self._of_file:
            return False
        parent = self._parents.get(node)
        call = self._parents.get(parent) if isinstance(parent, ast.Attribute) else None
        return all(around is None or self._value(around) is None for around in (parent, call))

    def _nodes_of_file(self, nodes: Sequence[ast.AST]) -> set[ast.AST]:
        """The nodes with names of the script's own path in them."""
        own = {"__file__", "sys", *self._known}
        marked: set[ast.AST] = set()
        for node in nodes:
            around: ast.AST | None = node if isinstance(node, ast.Name) and node.id in own else None
            while around is not None and around not in marked:
                marked.add(around)
                around = self._parents.get(around)
        return marked

    def _judge(self, node: ast.AST) -> None:
        """Judge what the script does with a path of its own."""
        path, parent = self._value(node) or "", self._parents.get(node)
        around = self._parents.get(parent) if parent else None
        match parent:
            case ast.Assign() | ast.AnnAssign() | ast.FormattedValue():
                return
            case ast.Attribute(attr=attr) if attr in _NAMES:
                return
            case ast.Attribute(attr=attr) if attr in _READS and isinstance(around, ast.Call):
                self._open(path, reads=attr != "open" or _is_reading(around, 0), whole=attr not in (*_CHECKS, "stat"))
            case ast.Attribute(attr=attr) if attr in _WRITES:
                self._open(path, reads=False)
            case ast.Call() if _called_name(parent) == "open":
                self._open(path, reads=_is_reading(parent, 1))
            case ast.Call() if _called_name(parent) in _CHECKS:
                self._read(path)
            case ast.Call() if _is_search_path(parent):
                self._search.append(path)
            case ast.List() | ast.Tuple() if isinstance(around, ast.Call) and _called_name(around) in _STARTS:
                self._started.add(path)
                self._read(path)
            case ast.Call() if path == self._path:
                return
            case _:
                self._bind(f"uses {os.path.relpath(path, os.path.dirname(self._path))}")

    def _open(self, path: str, *, reads: bool, whole: bool = True) -> None:
        """Judge a file that the script reads, as a `whole` or only its status, or writes: no approval covers what it writes."""
        if reads:
            self._read_whole |= {path} if whole else set()
            self._read(path)
        else:
            self._written.add(path)
            self._bind(f"uses {os.path.relpath(path, os.path.dirname(self._path))}")

    def _read(self, path: str) -> None:
        if not below(path, self._root) or os.path.isdir(path):
            self._bind(f"uses {os.path.relpath(path, os.path.dirname(self._path))}")
        elif os.path.isfile(path):
            self.loads.files.append(path)

    def _import(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=aliases):
                names = [alias.name for alias in aliases]
                search = self._search
            case ast.ImportFrom(module=module, names=aliases, level=level):
                base = f"{module}." if module else ""
                names = [*([module] if module else []), *(f"{base}{alias.name}" for alias in aliases)]
                search = [_up(self._path, level) or ""] if level else self._search
            case _:
                return
        for name in names:
            for directory in search:
                if found := self._module(name, directory):
                    self.loads.files += found
                    break

    def _module(self, name: str, directory: str) -> list[str]:
        return [file for file in module(name, directory) if below(file, self._root)]

    def _call(self, node: ast.AST) -> None:
        """Calls that load code by a name, and uses of the script's path with something unknown."""
        is_path = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and self._value(node) is not None
        if is_path and not any(map(self._is_own, self._around(node))):
            self._bind("computes a path from its own")
        if isinstance(node, ast.Call):
            name = _called_name(node)
            literal = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
            if name in ("exec", "eval") and isinstance(node.func, ast.Name) and literal is None:
                self.loads.gaps.append(f"{self._name}: {name} runs a computed text")
            elif name in _BY_NAME and isinstance(literal, str) and name in ("import_module", "__import__"):
                for directory in self._search:
                    self.loads.files += self._module(literal, directory)
            elif name in _BY_NAME:
                self.loads.gaps.append(f"{self._name}: {name} loads a module by a computed name")
                self._bind(f"loads a module by {name}")

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        current: ast.AST | None = node
        while current is not None:
            yield current
            current = self._parents.get(current)

    def _bind(self, reason: str) -> None:
        self.loads.bound.append(f"{self._name} {reason}")


def _up(path: str | None, levels: int) -> str | None:
    for _ in range(min(levels, _LEVELS) if path else 0):
        path = os.path.dirname(path or "")
    return path


def _called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_reading(call: ast.Call, position: int) -> bool:
    """Whether a call of `open` gives no mode that writes, at a position or by name."""
    modes = [*call.args[position : position + 1], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return all(isinstance(mode, ast.Constant) and not {*"wax+"} & {*str(mode.value)} for mode in modes)


def _is_search_path(call: ast.Call) -> bool:
    """Whether a call is `sys.path.insert` or `sys.path.append`."""
    match call.func:
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="sys"), attr="path")):
            return True
    return False
