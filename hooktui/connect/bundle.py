"""The bundle: the code of every module on the fast path in one file next to the launcher, which reads it in 0.2 ms.

It begins with the version and path of the Python that made it, for the launcher to compare. `connect` writes it; when it is
missing, foreign or stale, the launcher imports the sources instead, and `hooktui` renews it once it has answered the agent.
"""

from __future__ import annotations
import __future__

import ast
import fcntl
import functools
import marshal
import os
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import bundle_finder, paths

if TYPE_CHECKING:
    from hooktui.core.bundle_finder import Modules, Stamp

SUFFIX = ".bundle"  # next to the launcher
_COMMANDS = ("hooktui.__main__", "hooktui.runner.command", "hooktui.runner.run", "hooktui.runner.execute")
_LATER = tuple(
    f"hooktui.runner.{name}" for name in ("journal.side_files", "journal.observations", "upkeep")
)  # imported when needed
_WITH_HOOKS = ("hooktui.hosts.shared.json_interpretation", "hooktui.hosts.shared.json_stdin")
_FOR_PROJECT_HOOKS = ("hooktui.runner.environment",)
_LISTED = (
    "import sys; [__import__(name) for name in sys.argv[1:]]; print(*filter(lambda n: n.startswith('hooktui'), sys.modules))"
)
_OPTIMIZED = 2  # without docstrings and assertions


def write(path: str) -> None:
    """Write the bundle for this Python. Raises OSError."""
    paths.write_private(path, content())


def content() -> bytes:
    """The bundle: its head, then the finder's code and all modules."""
    finder = bundle_finder.__file__
    modules: Modules = {}
    for name in module_names():
        spec = find_spec(name)
        assert spec, name
        assert spec.origin, name
        stamp = bundle_finder.stamp(spec.origin)
        needed, code = _compiled(spec.origin, stamp)
        modules[name] = (spec.origin, stamp, spec.submodule_search_locations is not None, needed, code)
    return head() + marshal.dumps((_compiled(finder, bundle_finder.stamp(finder))[1], modules))


def head() -> bytes:
    """What a bundle for this Python begins with; the launcher compares the same."""
    return f"{sys.version}\0{sys.executable}\0".encode()


@functools.cache
def module_names() -> tuple[str, ...]:
    """The modules that `run` and `exec` import for any host, as a Python of its own reports them."""
    names = (
        *_COMMANDS,
        *_FOR_PROJECT_HOOKS,
        *_LATER,
        *_WITH_HOOKS,
        *(f"hooktui.hosts.{name}" for name in hosts.names()),
    )
    done = subprocess.run((sys.executable, "-I", "-c", _LISTED, *names), capture_output=True, text=True, check=False)
    return tuple(done.stdout.split())


@functools.cache
def _compiled(file: str, _stamp: Stamp | None) -> tuple[tuple[str, ...], bytes]:
    """The bundled modules that a file imports at its top level, and its code."""
    with open(file, encoding="utf-8") as source:
        tree = _Stripped().visit(ast.parse(source.read(), file))
    code = compile(tree, file, "exec", __future__.annotations.compiler_flag, dont_inherit=True, optimize=_OPTIMIZED)
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module)
    named = [(node.module, f"{node.module}.{alias.name}") for node in imports for alias in node.names]
    known = set(module_names())
    return tuple(dict.fromkeys(name for names in named for name in names if name in known)), marshal.dumps(code)


class _Stripped(ast.NodeTransformer):
    """Removes annotations, except the names of fields, and imports for type checkers.

    The import of `__future__` goes, too: a compiler flag replaces it.
    """

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        return None if node.module == "__future__" else node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return node.orelse if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING" else node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        self.generic_visit(node)
        node.annotation = ast.copy_location(ast.Constant(0), node.annotation)
        return node


def renew(path: str) -> None:
    """Write the bundle unless another process is doing so."""
    fd = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        write(path)
    except BlockingIOError:
        return
    finally:
        os.close(fd)


if __name__ == "__main__":
    renew(sys.argv[1])
