"""A person's own keys: `[keys]` of the configuration, held against the actions that the screens offer by a name (`id`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

from hooktui.core import config, paths
from hooktui.core.model import Diagnostic
from hooktui.core.suggest import closest
from hooktui.screens.keys import key_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Severity

_WITH_BINDINGS = (
    *("keys.global_bindings", "hooks.screen", "live.screen", "sessions.screen", "diagnostics.screen"),
    "hooks.hook_detail",
)


class Action(NamedTuple):
    """What can be bound: the keys it has by itself, and the classes that offer it."""

    keys: tuple[str, ...]
    owners: frozenset[type[DOMNode]]


def actions() -> Mapping[str, Action]:
    """All actions by name. Brings in every screen."""
    for name in _WITH_BINDINGS:
        import_module(f"hooktui.screens.{name}")
    return offered()


def offered() -> Mapping[str, Action]:
    """The actions of what has been imported, by name."""
    found: dict[str, Action] = {}
    for owner in _ours(DOMNode):
        for binding in Binding.make_bindings(owner.__dict__.get("BINDINGS", ())):
            if binding.id:
                known = found.get(binding.id, Action((), frozenset()))
                found[binding.id] = Action((*dict.fromkeys((*known.keys, binding.key)),), known.owners | {owner})
    return found


def keymap(wanted: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What Textual is to be told: the wishes that make sense, and the keys of every action that shares one with them.

    Without the latter Textual would take a key away from all actions when one of them gets another.
    """
    known = actions()
    sound = {name: tuple(map(key_names.spelled, keys)) for name, keys in wanted.items() if not trouble(name, wanted)}
    moved = {key for name in sound for key in known[name].keys}
    neighbours = {name: action.keys for name, action in known.items() if moved.intersection(action.keys)}
    return {name: ",".join(keys) for name, keys in {**neighbours, **sound}.items()}


def checked(catalog: Catalog) -> Catalog:
    """The catalog with what is wrong with the keys of the configuration among its diagnostics."""
    wanted = catalog.settings.keys
    told = ((name, trouble(name, wanted), doubt(wanted[name])) for name in wanted)
    faults = tuple(
        _diagnostic("error" if why else "warning", name, why or doubtful) for name, why, doubtful in told if why or doubtful
    )
    return catalog.replace(diagnostics=(*faults, *catalog.diagnostics)) if faults else catalog


def trouble(name: str, wanted: Mapping[str, Sequence[str]]) -> str:
    """Why an action cannot have the keys that are wanted for it, "" when it can."""
    known = actions()
    if name not in known:
        near = closest(name, known)
        return f"there is no action {name}{f': did you mean {near}?' if near else ''}"
    for key in wanted[name]:
        if why := key_names.wrong(key):
            return why
        if rival := _rival(name, key_names.spelled(key), wanted, known):
            return f"{key} is the key of {rival} already, which would be without it"
    return ""


def doubt(keys: Sequence[str]) -> str:
    """What may keep keys that make sense from ever coming, "" when nothing does."""
    rare = next(filter(key_names.is_rare, keys), "")
    return f"only terminals with the Kitty keyboard protocol send {rare}, others do not" if rare else ""


def _rival(name: str, key: str, wanted: Mapping[str, Sequence[str]], known: Mapping[str, Action]) -> str | None:
    """Another action with the same key where both can be meant."""
    for other, action in known.items():
        keys = map(key_names.spelled, wanted.get(other, action.keys))
        if other != name and key in keys and key not in known[name].keys and _meet(known[name].owners, action.owners):
            return other
    return None


def _meet(some: frozenset[type[DOMNode]], others: frozenset[type[DOMNode]]) -> bool:
    """Whether a key can mean both: on one pane, in the app and anywhere, on a screen and on what may stand in it."""
    if some & others or any(issubclass(owner, App) for owner in some | others):
        return True
    screens = [any(issubclass(owner, Screen) for owner in owners) for owners in (some, others)]
    return screens[0] != screens[1] or any(issubclass(one, two) or issubclass(two, one) for one in some for two in others)


def _diagnostic(severity: Severity, name: str, said: str) -> Diagnostic:
    line = config.line_of("keys", name)
    file = paths.config_file()
    message = f"[keys] {name}: {said}"
    return Diagnostic(severity=severity, code="bad-value", message=message, file=file, line=line, end_line=line)


def _ours(cls: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for child in cls.__subclasses__():
        if child.__module__.startswith("hooktui."):
            yield child
        yield from _ours(child)
