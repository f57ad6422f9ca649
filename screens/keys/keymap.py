"""The app-wide keys, and the user's own: `[keys]` of the configuration, checked against the actions of all bindings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import Keys, _character_to_key
from textual.screen import Screen

from hooktui import config
from hooktui.config.suggest import closest
from hooktui.core import paths
from hooktui.core.model import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual.binding import BindingType

    from hooktui.catalog.catalog import Catalog

_WITH_BINDINGS = ("hooks.screen", "live.screen", "sessions.screen", "diagnostics.screen", "fleet.screen",
    "fleet.hooks_screen", "hooks.hook_detail", "hooks.try_pane", "hooks.tests_pane", "hooks.history_pane")  # fmt: skip


# The keys that work on every screen.
GLOBAL_BINDINGS: list[BindingType] = [
    Binding("1", "switch_mode('hooks')", "Hooks screen", show=False, id="hooks-screen"),
    Binding("2", "switch_mode('live')", "Live screen", show=False, id="live-screen"),
    Binding("3", "switch_mode('sessions')", "Sessions screen", show=False, id="sessions-screen"),
    Binding("4", "switch_mode('diagnostics')", "Diagnostics screen", show=False, id="diagnostics-screen"),
    Binding("4", "switch_mode('fleet')", "Fleet screen", show=False, id="fleet-screen"),  # with --fleet
    Binding("question_mark", "help", "Help", key_display="?", id="help"),
    Binding("f1", "help", "Help", id="help"),  # works in text fields
    Binding("ctrl+p,colon", "command_palette", "Command palette", show=False, id="palette"),
    Binding("ctrl+o", "jump", "Jump", tooltip="Jump to a pane by its letter", show=False, id="jump"),
    Binding("K", "connect", "Connect an agent program", show=False, id="connect"),
    Binding("W", "demo", "Watch the demo", show=False, id="demo"),
    Binding("exclamation_mark", "skipped_guard", "Go to the first guard that does not run", show=False, id="skipped-guard"),
    Binding("escape", "cancel_import", "Stop reading transcripts", show=False, id="cancel-import"),
    Binding("ctrl+z,Z", "suspend_process", "Suspend to the shell", show=False, id="suspend"),
    Binding("q,ctrl+q", "quit", "Quit", show=False, id="quit"),
]

# Actions on a fleet only, and those on this machine only: they change it, or ask its hooks.
_OF_FLEET = {("switch_mode", ("fleet",))}
_OF_MACHINE = {
    *((name, ()) for name in ("connect", "demo", "skipped_guard", "all_projects", "audit", "cancel_import")),
    *(("decision", (name,)) for name in ("what_ran", "try_again", "try_past", "new_rule", "approve", "keep_example", "undo")),
    ("switch_mode", ("diagnostics",)),
}


def is_offered(action: str, parameters: tuple[object, ...], *, fleet: bool) -> bool:
    """Whether an action makes sense for a fleet, or else for this machine."""
    return (action, parameters) not in (_OF_MACHINE if fleet else _OF_FLEET)


_MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")
_PRINTED = {_character_to_key(chr(number)) for number in range(32, 127)}
_NAMED = {key.value.rpartition("+")[2] for key in Keys}
_TYPED = _PRINTED - {"space"}


class BindableAction(NamedTuple):
    """An action that keys can be bound to: its default keys, and the classes that offer it."""

    keys: tuple[str, ...]
    owners: frozenset[type[DOMNode]]


def actions() -> Mapping[str, BindableAction]:
    """All actions by ID. Imports every screen."""
    for name in _WITH_BINDINGS:
        import_module(f"hooktui.screens.{name}")
    return offered()


def offered() -> Mapping[str, BindableAction]:
    """The actions of everything imported so far, by ID."""
    known: dict[str, BindableAction] = {}
    everywhere: tuple[type[DOMNode], Sequence[BindingType]] = (App, GLOBAL_BINDINGS)
    for owner, bindings in (everywhere, *_declared(DOMNode)):
        for binding in Binding.make_bindings(bindings):
            if binding.id:
                keys, owners = known.get(binding.id, BindableAction((), frozenset()))
                known[binding.id] = BindableAction((*dict.fromkeys((*keys, binding.key)),), owners | {owner})
    return known


def keymap(wanted: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The keymap for Textual: the valid keys, and the default keys of every action that shares one with them.

    Without the latter Textual would take a key away from all actions when one of them gets another.
    """
    known = actions()
    valid = {name: tuple(map(normalize_key, keys)) for name, keys in wanted.items() if not trouble(name, wanted)}
    moved = {key for name in valid for key in known[name].keys}
    neighbours = {name: action.keys for name, action in known.items() if moved.intersection(action.keys)}
    return {name: ",".join(keys) for name, keys in {**neighbours, **valid}.items()}


def checked(catalog: Catalog) -> Catalog:
    """Add diagnostics about `[keys]` to a catalog."""
    return catalog._replace(diagnostics=(*_diagnostics(catalog.settings.keys), *catalog.diagnostics))


def _diagnostics(wanted: Mapping[str, Sequence[str]]) -> Iterator[Diagnostic]:
    for name in wanted:
        if error := trouble(name, wanted):
            yield _diagnostic(name, error)


def trouble(name: str, wanted: Mapping[str, Sequence[str]]) -> str:
    """Why an action cannot have the keys wanted for it; "" if it can."""
    known = actions()
    if name not in known:
        near = closest(name, known)
        return f"unknown action: {name}{f'; did you mean {near}?' if near else ''}"
    for key in wanted[name]:
        if error := key_fault(key):
            return error
        if rival := _rival(name, normalize_key(key), wanted, known):
            return f"{key} is already the key for {rival}"
    return ""


def _rival(name: str, key: str, wanted: Mapping[str, Sequence[str]], known: Mapping[str, BindableAction]) -> str | None:
    """Another action with the same key in the same place."""
    for other, action in known.items():
        keys = map(normalize_key, wanted.get(other, action.keys))
        if other != name and key in keys and key not in known[name].keys and _overlap(known[name].owners, action.owners):
            return other
    return None


def _overlap(some: frozenset[type[DOMNode]], others: frozenset[type[DOMNode]]) -> bool:
    """Whether a key could mean either action: on the same pane, app-wide, or on a screen and a widget that may be on it."""
    if some & others or any(issubclass(owner, App) for owner in some | others):
        return True
    screens = [any(issubclass(owner, Screen) for owner in owners) for owners in (some, others)]
    return screens[0] != screens[1] or any(issubclass(a, b) or issubclass(b, a) for a in some for b in others)


def _diagnostic(name: str, problem: str) -> Diagnostic:
    line = config.line_of("keys", name)
    message = f"[keys] {name}: {problem}"
    return Diagnostic(severity="error", code="bad-value", message=message, file=paths.config_file(), line=line, end_line=line)


def _declared(cls: type[DOMNode]) -> Iterator[tuple[type[DOMNode], Sequence[BindingType]]]:
    """The subclasses of a class in hooktui, each with its own bindings."""
    for child in cls.__subclasses__():
        if child.__module__.startswith("hooktui."):
            yield child, child.__dict__.get("BINDINGS", ())
        yield from _declared(child)


def normalize_key(key: str) -> str:
    """Textual's name for a key: `/` is `slash`, modifiers are sorted."""
    *modifiers, base = key.split("+") if len(key) > 1 else (key,)
    return "+".join((*sorted(modifiers), _character_to_key(base) if len(base) == 1 else base))


def key_fault(key: str) -> str:
    """Why no terminal sends a key, however it is spelled; "" if some do."""
    *modifiers, base = normalize_key(key).split("+")
    if unknown := next(_unknown(modifiers, base), ""):
        near = closest(unknown, (*_MODIFIERS, *_NAMED))
        return f"unknown key: {key}{f'; did you mean {near}?' if near else ''}"
    if modifiers == ["shift"] and base in _TYPED:
        return f"no terminal sends {key}: use the character it types{f', {base.upper()}' if base.isalpha() else ''}"
    if "ctrl" in modifiers and base in _TYPED and base != base.lower():
        return f"no terminal sends {key}; did you mean {key.lower()}?"
    return ""


def _unknown(modifiers: list[str], base: str) -> Iterator[str]:
    yield from (modifier for modifier in modifiers if modifier not in _MODIFIERS)
    if base not in _NAMED | _PRINTED:
        yield base
