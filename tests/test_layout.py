"""The rules of docs/architecture.md for the layout: rooms, layers and names, including type-only imports."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

from hooktui import hosts

ROOT = Path(__file__).parents[1]
MOST_LINES = 400
HOSTS = {path.stem for path in (ROOT / "hooktui/hosts").glob("*.py")} - {"__init__", "base"}
# Module names that the layout itself repeats: one screen.py a screen, one module a host in each room that has hosts.
REPEATED = {"screen", "__init__", "__main__", *HOSTS}


@cache
def modules() -> dict[str, Path]:
    """The product's modules by dotted name."""
    found = {}
    for room in ("hooktui", "screens"):
        for path in sorted((ROOT / room).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if parts[:2] in (("hooktui", "screens"), ("hooktui", "styles")):
                continue  # links to the folders at the top
            name = ".".join(parts if room == "hooktui" else ("hooktui", *parts))
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def nodes(name: str) -> list[ast.AST]:
    """The syntax tree of a module, from its top on."""
    return list(ast.walk(ast.parse(modules()[name].read_text())))


@cache
def imports() -> dict[str, set[str]]:
    """Our modules that each module imports, at run time or for its types."""
    graph: dict[str, set[str]] = {}
    for name in modules():
        graph[name] = set()
        for node in nodes(name):
            if isinstance(node, ast.ImportFrom) and node.module:
                graph[name].update(
                    full if (full := f"{node.module}.{alias.name}") in modules() else node.module for alias in node.names
                )
            elif isinstance(node, ast.Import):
                graph[name].update(alias.name for alias in node.names)
        graph[name] &= modules().keys() - {name}
    return graph


def test_every_module_is_in_a_package() -> None:
    assert {path.name for path in (ROOT / "hooktui").glob("*.py")} == {"__init__.py", "__main__.py", "app.py"}


def test_imports_have_no_circle() -> None:
    """Remove modules without imports until none is left to remove; the rest import in a circle."""
    left = {name: set(targets) for name, targets in imports().items()}
    while leaves := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in leaves:
            del left[name]
    assert not left, f"in a circle, or above one: {sorted(left)}"


def test_imports_follow_the_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    rank = {room.strip(): place for place, row in enumerate(layers) for room in row.replace("|", ":").split(":")}
    wrong = [
        f"{name} imports {target}"
        for name, targets in imports().items()
        for target in targets
        if name != "hooktui" != target and rank[name.split(".")[1]] > rank[target.split(".")[1]]
    ]
    assert wrong == []


def test_only_host_modules_name_a_host() -> None:
    named = {
        name
        for name in modules()
        for node in nodes(name)
        if isinstance(node, ast.Constant) and node.value in HOSTS - {"agenthooks", "azure", "claude"}
    }
    assert named <= {f"hooktui.hosts.{host}" for host in HOSTS}


def directories_of_hosts() -> re.Pattern[str]:
    """The directories in which hosts keep their hooks."""
    paths = (files.path.removeprefix("~/") for host in hosts.specs() for files in host.files)
    names = {path.partition("/")[0][1:] for path in paths if path.startswith(".")} - {"config"}
    return re.compile(rf"(?<![\w-])({'|'.join(sorted(names))})(?![\w-])")


def test_only_host_modules_list_directories_of_hosts() -> None:
    """A regex or a collection with two of them would miss the next host: ask `hosts.keeps_hooks_in`."""
    directory = directories_of_hosts()
    listed = {
        name
        for name in modules()
        if not name.startswith(("hooktui.hosts", "hooktui.transcripts"))
        for node in nodes(name)
        if isinstance(node, ast.Constant | ast.Tuple | ast.List | ast.Set | ast.Dict)
        for texts in [[part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]]
        if not any(" " in text for text in texts)  # prose
        and len({match for text in texts for match in directory.findall(text)}) > 1
    }
    assert listed == set()


def test_each_module_name_is_used_once_in_its_room() -> None:
    places = defaultdict(list)
    for name, path in modules().items():
        if path.stem not in REPEATED:
            room = name.split(".")[1]
            places[room, path.stem].append(name)
    assert {stem: names for stem, names in places.items() if len(names) > 1} == {}


def test_each_class_name_is_used_once() -> None:
    """A leading underscore keeps a name within its module. `Hook` is public in hooktui.stack (formats.md §5)."""
    places = defaultdict(list)
    for name in modules():
        for node in nodes(name):
            if isinstance(node, ast.ClassDef) and node.col_offset == 0 and not node.name.startswith("_"):
                places[node.name].append(name)
    assert {class_name: names for class_name, names in places.items() if len(names) > 1 and class_name != "Hook"} == {}


def test_every_module_is_read_in_one_sitting() -> None:
    lengths = {name: len(path.read_text().splitlines()) for name, path in modules().items()}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{name}.{node.name}: from line {node.lineno}"
        for name in modules()
        for node in nodes(name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= 60
    ]
    assert long == []
