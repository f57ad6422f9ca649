"""Read the files of a mod with tree-sitter, and never run them: functions, imports, and what Claude Code refuses."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hooktui.formats import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Parser

EXTENSIONS = (".ts", ".tsx", ".jsx", ".js", ".mjs", ".cjs", ".mts", ".cts")
_LIMIT = 1024 * files.KIB  # Claude Code's own
_MOST_FILES = 200  # of one mod
FUNCTIONS = frozenset({"function_declaration", "generator_function_declaration", "arrow_function", "function_expression"})
_JSX = ("jsx_element", "jsx_self_closing_element")
_WITHOUT_JSX = (".js", ".mjs", ".cjs")
_OWN_FILES_ONLY = 'a hooks module imports its own files by relative path and "claude-code", nothing else'
_NOT_CODE = "is not named like code and was not loaded"


class RefusedModuleError(Exception):
    """Claude Code does not load a module; the message is its reason, `path` and `line` the place."""

    def __init__(self, message: str, path: str, line: int = 1) -> None:
        super().__init__(message)
        self.path = path
        self.line = line


class Imported(NamedTuple):
    """What a name stands for: a name that another file exports, "*" for all of them."""

    path: str
    name: str


@dataclass(slots=True)
class ModuleFile:
    """A parsed file.

    `functions` are those declared at its top by name, `variables` those that may change, `exports` its own names by exported
    name, `imports` what its names stand for, `reexports` what it exports of other files, `stars` the files of which it exports
    everything.
    """

    path: str
    source: bytes
    root: Node
    functions: dict[str, Node] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    exports: dict[str, str] = field(default_factory=dict)
    imports: dict[str, Imported] = field(default_factory=dict)
    reexports: dict[str, Imported] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def text(self, node: Node | None) -> str:
        """The text of a node; of a name, without escapes."""
        if node is None:
            return ""
        text = self.source[node.start_byte : node.end_byte].decode(errors="replace")
        return unescaped(text) if "\\" in text and node.type.endswith("identifier") else text

    def refused(self, message: str, node: Node) -> RefusedModuleError:
        return RefusedModuleError(message, self.path, line_of(node))


def line_of(node: Node) -> int:
    """The line of a node, 1-based."""
    return node.start_point[0] + 1


def below(node: Node) -> Iterator[Node]:
    """A node and all nodes in it, in the order of the text."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def bare(node: Node | None) -> Node | None:
    """An expression without parentheses and without what TypeScript adds to it."""
    while node is not None and node.type in (
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
    ):
        node = node.named_children[0] if node.named_children else None
    return node


def string_of(file: ModuleFile, node: Node | None) -> str | None:
    """The value of a string or of a template without expressions; None for anything else."""
    if node is None or node.type not in ("string", "template_string"):
        return None
    if any(child.type == "template_substitution" for child in node.children):
        return None
    return unescaped(file.text(node)[1:-1])


_ESCAPES = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{0*([0-9a-fA-F]{1,6})\}|(\r\n|[\n\r\u2028\u2029])|(.))", re.DOTALL
)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}


def unescaped(text: str) -> str:
    """The value of a string or name of JavaScript that is written with escapes."""

    def plain(match: re.Match[str]) -> str:
        *codes, line_end, letter = match.groups()
        if code := next(filter(None, codes), None):
            return chr(min(int(code, 16), sys.maxunicode))
        return "" if line_end else _CONTROLS.get(letter, letter)

    return _ESCAPES.sub(plain, text)


class ModuleFiles:
    """The files of one mod, each read once. `root` is the plugin's directory; the paths are added to `looked_at`."""

    def __init__(self, root: str, looked_at: list[str]) -> None:
        self.root = os.path.realpath(root)
        self.looked_at = looked_at
        self.read: dict[str, ModuleFile] = {}

    def load(self, path: str, named: str = "") -> ModuleFile:
        """A file with all that it imports. `named`: the beginning of the reason, for an import. Raises RefusedModuleError."""
        if path in self.read:
            return self.read[path]
        if not path.endswith(EXTENSIONS):
            raise RefusedModuleError(f"{named}{os.path.basename(path)} {_NOT_CODE}", path)
        if len(self.read) >= _MOST_FILES:
            raise RefusedModuleError(f"hooktui reads {_MOST_FILES} files of a mod, and this one has more", path)
        file = self.read[path] = _parsed(path)
        _Outline(file, self).take()
        return file

    def resolve(self, file: ModuleFile, name: str, node: Node) -> str:
        """The file that an import names. Raises RefusedModuleError."""
        how = f'cannot import "{name}" (from {os.path.relpath(file.path, self.root)})'
        if not name.startswith(("./", "../")):
            raise file.refused(f"{how}: {_OWN_FILES_ONLY}", node)
        path = os.path.normpath(os.path.join(os.path.dirname(file.path), name))
        found = next((each for each in _candidates(path) if os.path.isfile(each)), path)
        self.looked_at.append(found)
        if not os.path.realpath(found).startswith(os.path.join(self.root, "")):
            raise file.refused(f"{how}: it is outside the plugin's folder", node)
        if not os.path.isfile(found):
            raise file.refused(f"{how}: no such file", node)
        self.load(found, f"{how}: ")
        return found

    def function(
        self, file: ModuleFile, name: str, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> tuple[ModuleFile, Node] | None:
        """The function that a name at the top of a file stands for, in whichever file it is declared."""
        if name in file.functions:
            return file, file.functions[name]
        imported = file.imports.get(name)
        return self._exported(imported.path, imported.name, seen) if imported else None

    def _exported(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> tuple[ModuleFile, Node] | None:
        """The function that a file exports; `seen` are the exports on the way there, which may go round."""
        file = self.read.get(path)
        if file is None or (path, name) in seen:
            return None
        seen |= {(path, name)}
        if name in file.exports:
            return self.function(file, file.exports[name], seen)
        if name in file.reexports:
            return self._exported(file.reexports[name].path, file.reexports[name].name, seen)
        return next(filter(None, (self._exported(star, name, seen) for star in file.stars)), None)


def _candidates(path: str) -> Iterator[str]:
    """An import may leave the extension out, name a directory, or name the file that TypeScript would write."""
    yield path
    stem, extension = os.path.splitext(path)
    if extension in (".js", ".mjs", ".cjs", ".jsx"):
        yield from (stem + extension.replace("js", "ts"), f"{stem}.tsx")
    yield from (path + each for each in EXTENSIONS)
    yield from (os.path.join(path, f"index{each}") for each in EXTENSIONS)


def _parsed(path: str) -> ModuleFile:
    try:
        data, size = files.read_bytes(path, _LIMIT + 1)
    except files.UnreadableFileError as refused:
        raise RefusedModuleError(str(refused), path) from refused
    if len(data) > _LIMIT:
        raise RefusedModuleError(f"the file is too large: {size:,} bytes, limit {_LIMIT // files.KIB} KiB", path)
    # Claude Code reads what is not UTF-8, and a null byte in a comment, where tree-sitter stops (run, 2.1.332).
    source = data.decode("utf-8-sig", "replace").replace("\0", " ").encode()
    root = _parser(os.path.splitext(path)[1]).parse(source).root_node
    wrong = next((node for node in below(root) if node.is_error or node.is_missing), None) if root.has_error else None
    if wrong is None and path.endswith(_WITHOUT_JSX):
        wrong = next((node for node in below(root) if node.type in _JSX), None)
    if wrong is not None:
        raise RefusedModuleError("it does not parse", path, line_of(wrong))
    return ModuleFile(path, source, root)


@cache
def _parser(extension: str) -> Parser:
    import tree_sitter

    if extension in (".ts", ".mts", ".cts", ".tsx"):
        import tree_sitter_typescript

        of = tree_sitter_typescript.language_tsx if extension == ".tsx" else tree_sitter_typescript.language_typescript
        return tree_sitter.Parser(tree_sitter.Language(of()))
    import tree_sitter_javascript

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


class _Outline:
    """Takes in what a file declares, imports and exports at its top. Raises RefusedModuleError."""

    def __init__(self, file: ModuleFile, all_files: ModuleFiles) -> None:
        self.file = file
        self.all_files = all_files

    def take(self) -> None:
        for node in below(self.file.root):
            if node.type == "call_expression" and node.children[0].type == "import":
                raise self.file.refused(
                    "a dynamic import(); a hooks module imports its own files with an import declaration", node
                )
        for statement in self.file.root.named_children:
            match statement.type:
                case "import_statement":
                    self._import(statement)
                case "export_statement":
                    self._export(statement)
                case _:
                    self._declare(statement)

    def _declare(self, node: Node) -> list[str]:
        """Take in a declaration; the names that it declares."""
        if node.type in FUNCTIONS or node.type == "class_declaration":
            name = self.file.text(node.child_by_field_name("name"))
            if node.type in FUNCTIONS:
                self.file.functions[name] = node
            return [name]
        names = []
        for each in node.named_children if node.type == "lexical_declaration" else ():
            value, name = bare(each.child_by_field_name("value")), self.file.text(each.child_by_field_name("name"))
            names.append(name)
            if self.file.text(node.children[0]) != "const":
                self.file.variables.add(name)
            elif value is not None and value.type in FUNCTIONS:
                self.file.functions[name] = value
        return names

    def _import(self, node: Node) -> None:
        name = string_of(self.file, node.child_by_field_name("source"))
        if name is None or name == "claude-code" or any(child.type == "type" for child in node.children):
            return
        path = self.all_files.resolve(self.file, name, node)
        for part in (
            part for clause in node.named_children if clause.type == "import_clause" for part in clause.named_children
        ):
            if part.type == "identifier":
                self.file.imports[self.file.text(part)] = Imported(path, "default")
            for local, exported in self._specifiers(part, "import_specifier"):
                self.file.imports[local] = Imported(path, exported)

    def _specifiers(self, node: Node, kind: str) -> Iterator[tuple[str, str]]:
        """The alias and the name of each specifier; the same text without an alias."""
        for each in node.named_children:
            if each.type == kind:
                name, alias = (each.child_by_field_name(field) for field in ("name", "alias"))
                yield self._name(alias or name), self._name(name)

    def _name(self, node: Node | None) -> str:
        """A name of an import or export, which may be written as a string."""
        return string_of(self.file, node) or self.file.text(node)

    def _export(self, node: Node) -> None:
        source = string_of(self.file, node.child_by_field_name("source"))
        path = self.all_files.resolve(self.file, source, node) if source is not None else ""
        clause = next((child for child in node.named_children if child.type == "export_clause"), None)
        for alias, name in self._specifiers(clause, "export_specifier") if clause else ():
            if path:
                self.file.reexports[alias] = Imported(path, name)
            else:
                self.file.exports[alias] = name
        if path and clause is None:
            self.file.stars.append(path)
        declaration, value = node.child_by_field_name("declaration"), bare(node.child_by_field_name("value"))
        is_default = any(child.type == "default" for child in node.children)
        if declaration is not None:
            for name in self._declare(declaration):
                self.file.exports["default" if is_default else name] = name
        elif is_default and value is not None:
            name = self.file.text(value) if value.type == "identifier" else "default"
            self.file.exports["default"] = name
            if value.type in FUNCTIONS:
                self.file.functions[name] = value
