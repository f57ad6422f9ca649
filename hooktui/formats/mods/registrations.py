"""What a mod registers, read from its text as Claude Code reads it: it refuses every other way of writing a registration."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hooktui.formats.mods import handlers, mod_events
from hooktui.formats.mods.module_files import (
    FUNCTIONS,
    ModuleFile,
    ModuleFiles,
    RefusedModuleError,
    bare,
    below,
    line_of,
    string_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_REGISTER = "register"
_NO_REGISTER = "no export named register (export function register(on, options) {...})"
_NOT_TOP = (
    "is not a function declared at the top of this file (a function declaration, or a const bound to a function), nor imported "
    "from one of the module's own files"
)
_MISUSED = "is used other than as a call or an argument to a function of the module's own (bound, spread or read)"
_TOOL_KEYS = ("tool", "tool_name")


class ModMatcher(NamedTuple):
    """Which tools a registration hears: names or a pattern as written, None for all. `is_computed`: only a run can tell."""

    tool: str | None = None
    is_computed: bool = False


class Registration(NamedTuple):
    """A call of `on`. `line` is 1-based. `catches`: it has a `.catch`, which answers where the handler fails."""

    path: str
    line: int
    event: str
    matcher: ModMatcher
    handler: handlers.Handler
    catches: bool


def read(root: str, module: str, looked_at: list[str]) -> list[Registration]:
    """The registrations of a module of the plugin in a directory, in the order of its calls. Raises RefusedModuleError.

    The paths of all files that it imports are added to `looked_at`.
    """
    all_files = ModuleFiles(root, looked_at)
    file = all_files.load(module)
    walk = _Walk(all_files)
    where, register = _register(all_files, file)
    if parameter := _parameter(where, register, 0, is_needed=False):
        walk.follow(where, register, parameter)
    return walk.found


def _register(all_files: ModuleFiles, file: ModuleFile) -> tuple[ModuleFile, Node]:
    name = file.exports.get(_REGISTER, "")
    if name in file.functions:
        return file, file.functions[name]
    if _REGISTER in file.reexports:
        raise RefusedModuleError("register is re-exported from another file", file.path)
    if name in file.variables:
        raise RefusedModuleError("register is exported as something other than a const function", file.path)
    if name:
        message = f'register is exported as "{name}", which is not a function declared at the top of this file'
        raise RefusedModuleError(message, file.path)
    if file.stars:
        message = "register is not exported here by name; what `export *` re-exports from another file is not followed"
        raise RefusedModuleError(message, file.path)
    raise RefusedModuleError(_NO_REGISTER, file.path)


def _parameter(file: ModuleFile, function: Node, place: int, *, is_needed: bool = True) -> str:
    """The name of a function's parameter. Raises RefusedModuleError if it is no plain name."""
    parameters = handlers.parameters(function)
    if place >= len(parameters) and not is_needed:
        return ""
    name = parameters[place] if place < len(parameters) else None
    if name is None or name.type != "identifier":
        raise file.refused("the parameter that receives on is not a plain name", function)
    return file.text(name)


class _Walk:
    """Follows `on` through the functions that get it."""

    def __init__(self, all_files: ModuleFiles) -> None:
        self.all_files = all_files
        self.found: list[Registration] = []
        self._visited: set[tuple[str, int, str]] = set()
        self._whole: dict[str, Registration] = {}  # the registrations without a matcher, by event

    def follow(self, file: ModuleFile, function: Node, name: str) -> None:
        key = (file.path, function.start_byte, name)
        if key in self._visited:
            return
        self._visited.add(key)
        body = function.child_by_field_name("body")
        for node in below(body) if body else ():
            if node.type in FUNCTIONS and any(file.text(each) == name for each in handlers.parameters(node)):
                raise file.refused(f'"{name}" is declared again (shadowed)', node)
            if node.type in ("identifier", "shorthand_property_identifier") and file.text(node) == name:
                self._use(file, node, name)

    def _use(self, file: ModuleFile, node: Node, name: str) -> None:
        child: Node | None = node
        parent = node.parent
        while parent is not None and parent.type == "parenthesized_expression":
            parent, child = parent.parent, parent
        around = parent.parent if parent is not None else None
        if parent is not None and parent.type == "call_expression" and parent.child_by_field_name("function") == child:
            if any(each.type == "optional_chain" for each in parent.children):
                raise file.refused(f'"{name}" {_MISUSED}', node)
            self._register(file, parent)
        elif parent is not None and parent.type == "arguments" and around is not None and around.type == "call_expression":
            self._pass_on(file, around, [each == child for each in parent.named_children].index(True), name)
        else:
            raise file.refused(f'"{name}" {_MISUSED}', node)

    def _pass_on(self, file: ModuleFile, call: Node, place: int, name: str) -> None:
        callee = call.child_by_field_name("function")
        if callee is None or callee.type != "identifier":
            message = (
                f'"{name}" is passed to something other than a function named at the top of this file or imported from one of'
            )
            raise file.refused(f"{message} the module's own files", call)
        target = self.all_files.function(file, file.text(callee))
        if target is None:
            raise file.refused(f'the callee "{file.text(callee)}" {_NOT_TOP}', call)
        self.follow(*target, _parameter(*target, place))

    def _register(self, file: ModuleFile, call: Node) -> None:
        listed = call.child_by_field_name("arguments")
        arguments = [each for each in (listed.named_children if listed else ()) if each.type != "comment"]
        if any(each.type == "spread_element" for each in arguments):
            raise file.refused("on() is called with a spread argument", call)
        if len(arguments) not in (2, 3):
            message = f"on() takes (event, hook) or (event, matcher, hook); got {len(arguments)} argument(s)"
            raise file.refused(message, call)
        event = string_of(file, bare(arguments[0]))
        if event is None:
            raise file.refused("the event name passed to on() is not a string literal", call)
        if why := mod_events.fault(event):
            raise file.refused(why, call)
        catches = _catches(file, call, event)
        matcher = _matcher(file, bare(arguments[1])) if len(arguments) == 3 else ModMatcher()
        handler = handlers.read(self.all_files, file, bare(arguments[-1]), event)
        if catches is not None:
            caught = handlers.read(self.all_files, file, bare(catches), event)
            handler = handlers.Handler(handler.gates or caught.gates, handler.allows or caught.allows)
        made = Registration(file.path, line_of(call), event, matcher, handler, catches is not None)
        if len(arguments) == 2:
            self._once(file, call, made)
        self.found.append(made)

    def _once(self, file: ModuleFile, call: Node, made: Registration) -> None:
        first = self._whole.setdefault(made.event, made)
        if first is not made:
            raise file.refused(
                f'on("{made.event}") is registered twice without a matcher; the first is in line {first.line}', call
            )


def _catches(file: ModuleFile, call: Node, event: str) -> Node | None:
    """What a registration's `.catch` is given, the only thing that may be done with its value; None without one."""
    parent = call.parent
    if parent is None or parent.type != "member_expression":
        if parent is not None and parent.type in (
            "variable_declarator",
            "assignment_expression",
            "arguments",
            "await_expression",
        ):
            raise file.refused(f'the value of on("{event}") is kept; it takes .catch(handler) and nothing else', call)
        return None
    if file.text(parent.child_by_field_name("property")) != "catch":
        raise file.refused(f'on("{event}") is read for something other than .catch', call)
    outer = parent.parent.parent if parent.parent is not None else None
    if outer is not None and outer.type == "member_expression":
        raise file.refused(f'on("{event}").catch(...) is followed by another member; a registration takes one .catch', call)
    given = parent.parent.child_by_field_name("arguments") if parent.parent is not None else None
    return next((each for each in (given.named_children if given else ()) if each.type != "comment"), parent)


def _matcher(file: ModuleFile, node: Node | None) -> ModMatcher:
    if node is None:
        return ModMatcher()
    if node.type != "object":
        tool = _tools(file, node)
        return ModMatcher(tool, is_computed=tool is None)
    is_computed, tool = False, None
    for pair in node.named_children:
        key = file.text(pair.child_by_field_name("key")).strip("'\"") if pair.type == "pair" else ""
        value = _tools(file, bare(pair.child_by_field_name("value"))) if key else None
        tool = value if key in _TOOL_KEYS else tool
        is_computed = is_computed or not key or (key in _TOOL_KEYS and value is None)
    return ModMatcher(tool, is_computed)


def _tools(file: ModuleFile, node: Node | None) -> str | None:
    """The tools that a literal names: a name, a pattern, or a list of them; None for an expression."""
    if node is not None and node.type == "array":
        names = [_tools(file, bare(each)) for each in node.named_children]
        return "|".join(filter(None, names)) if names and all(names) else None
    if node is not None and node.type == "regex":
        return file.text(node.child_by_field_name("pattern"))
    return string_of(file, node)
