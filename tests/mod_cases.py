"""Modules of mods, and what Claude Code's own `plugin validate` says of them (run, 2.1.332): events, or a refusal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.mod_world import PASSES, registering

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ModCase:
    """A module `m.js` with other files of its folder; `events` in order, or part of the reason why it is `refused`."""

    name: str
    module: str
    events: tuple[str, ...] = ()
    refused: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


_CALL = f"on('tool.call', {PASSES})"
_HELPER = "export function helper(o) { o('prompt.submit', ($, e, next) => next(e)) }\n"
_IMPORTED = "import { helper } from './lib.js'\n" + registering("helper(on)")
_BOTH = ("tool.call", "tool.check")
_KEPT = "is kept"
_MISUSED = "is used other than as a call"

CASES = (
    ModCase("a literal", registering(_CALL), ("tool.call",)),
    ModCase("a template", registering(f"on(`tool.check`, {PASSES})"), ("tool.check",)),
    ModCase("patterns", registering(f"on('*', {PASSES})", f"on('!tool.*', {PASSES})"), ("*", "!tool.*")),
    ModCase(
        "escapes in an event", registering("on('tool\\u002e\\x63all', ($) => 1)", "on(`tool.\\u{63}heck`, ($) => 1)"), _BOTH
    ),
    ModCase("a continued line", registering("on('tool.\\\ncall', ($) => 1)"), ("tool.call",)),
    ModCase("escapes in names", f"export function r\\u0065gister(on) {{ \\u006f{_CALL[1:]} }}", ("tool.call",)),
    ModCase("an export named by a string", f"function r(on) {{ {_CALL} }}\nexport {{ r as 'register' }}", ("tool.call",)),
    ModCase("escapes in an import", _IMPORTED.replace("lib", "l\\u0069b"), ("prompt.submit",), files={"lib.js": _HELPER}),
    ModCase("a null byte in a comment", "// \0\n" + registering(_CALL), ("tool.call",)),
    ModCase("an event of its own", registering(f"on('my.thing', {PASSES})"), ("my.thing",)),
    ModCase("a condition", registering(f"if (options.x) {_CALL}"), ("tool.call",)),
    ModCase("a constant function", f"export const register = on => {_CALL}", ("tool.call",)),
    ModCase("an exported name", f"function r(on) {{ {_CALL} }}\nexport {{ r as register }}", ("tool.call",)),
    ModCase("a catch", registering(f"{_CALL}.catch({PASSES})"), ("tool.call",)),
    ModCase("nothing", "export function register() {}", ()),
    ModCase("an imported function", _IMPORTED, ("prompt.submit",), files={"lib.js": _HELPER}),
    ModCase("an import without extension", _IMPORTED.replace(".js", ""), ("prompt.submit",), files={"lib.js": _HELPER}),
    ModCase(
        "a function that another file exports again",
        _IMPORTED,
        ("prompt.submit",),
        files={"lib.js": "export * from './deep.js'", "deep.js": _HELPER},
    ),
    ModCase("a computed event", registering(f"on('tool.' + 'call', {PASSES})"), refused="is not a string literal"),
    ModCase("an unknown event", registering(f"on('tool.frob', {PASSES})"), refused='"tool.frob" is not an event'),
    ModCase(
        "a pattern of part of a name", registering(f"on('tool.c*', {PASSES})"), refused="is not an event name or a pattern"
    ),
    ModCase("another name for on", registering(f"const f = on; f('tool.call', {PASSES})"), refused=_MISUSED),
    ModCase("on in an object", registering(f"const o = {{ on }}; o.on('tool.call', {PASSES})"), refused=_MISUSED),
    ModCase("an inner function", registering(f"function f(o) {{ o('tool.call', {PASSES}) }}", "f(on)"), refused="the callee"),
    ModCase("a kept registration", registering(f"const h = {_CALL}"), refused=_KEPT),
    ModCase("the same event twice", registering(_CALL, _CALL), refused="is registered twice"),
    ModCase("too few arguments", registering("on('tool.call')"), refused="on() takes (event, hook) or (event, matcher, hook)"),
    ModCase("no register", "export const x = 1", refused="no export named register"),
    ModCase(
        "register of another file", "export { register } from './lib.js'", refused="re-exported", files={"lib.js": _HELPER}
    ),
    ModCase("an unpacked parameter", f"export function register({{ on }}) {{ {_CALL} }}", refused="is not a plain name"),
    ModCase("next declared again", registering(f"on('tool.call', ($, e, next) => [1].map({PASSES}))"), refused="shadowed"),
    ModCase("an unfinished text", registering("on('tool.call', ("), refused="does not parse"),
    ModCase("types in JavaScript", f"export function register(on: any) {{ {_CALL} }}", refused="does not parse"),
    ModCase("a dynamic import", registering(_CALL, "import('./lib.js')"), refused="a dynamic import()"),
    ModCase("an import of Node.js", "import fs from 'node:fs'\n" + registering(_CALL), refused='cannot import "node:fs"'),
    ModCase("a missing import", _IMPORTED, refused="no such file"),
    ModCase("an import from outside", _IMPORTED.replace("./lib", "../../lib"), refused="outside the plugin's folder"),
    ModCase(
        "an import of a text",
        "import x from './x.txt'\n" + registering(_CALL),
        refused="not named like code",
        files={"x.txt": ""},
    ),
)
LOADED = [case for case in CASES if not case.refused]
REFUSED = [case for case in CASES if case.refused]
