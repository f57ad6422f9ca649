"""hooktui's own plugin for a host whose hooks are plugins: the connection, listed as a hook for each event.

Plugins of others are programs, which hooktui does not read.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hooktui.core import events as canonical_events
from hooktui.core.model import Hook, JsonEntry
from hooktui.formats import Parsed, files, hook_version, merged
from hooktui.formats.json_hooks.hook_locations import Location, locations
from hooktui.formats.source_cache import Sources
from hooktui.scripts import hooktui_commands

if TYPE_CHECKING:
    from hooktui.core.model import Scope
    from hooktui.formats.form_fields import FormField
    from hooktui.hosts import Host

_LIST = r"^const {0} = (\[.*\])$"
_COMMAND = re.compile(_LIST.format("COMMAND"), re.MULTILINE)
_EVENTS = re.compile(_LIST.format("EVENTS"), re.MULTILINE)
_LIMIT = 256 * files.KIB
_WHY = "Calls hooktui (written by `hooktui connect`)"


def command(text: str, host: str) -> tuple[str, ...]:
    """The command that a plugin of ours calls; () for any other text."""
    words = _texts(_COMMAND, text)
    return words if hooktui_commands.runs(shlex.join(words), host) else ()


def events(text: str) -> tuple[str, ...]:
    """The events that a plugin of ours sends."""
    return _texts(_EVENTS, text)


def filled(template: str, command: tuple[str, ...], events: tuple[str, ...]) -> str:
    """A plugin's text for a command and events."""
    for pattern, values in ((_COMMAND, command), (_EVENTS, events)):
        match = pattern.search(template)
        assert match
        template = template[: match.start(1)] + json.dumps(values) + template[match.end(1) :]
    return template


def _texts(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    match = pattern.search(text)
    try:
        values = json.loads(match[1]) if match else []
    except (ValueError, RecursionError):
        return ()
    return tuple(values) if all(isinstance(value, str) for value in values) else ()


@dataclass(frozen=True, slots=True, eq=False)
class OwnPlugin:
    """Our plugin in the places where a host looks for plugins."""

    spec: Host

    def discover(self, directory: str, sources: Sources | None = None) -> Parsed:
        """Our plugins of the user and of a project. Content never raises."""
        sources = sources or Sources()
        return merged(self._in_place(place, directory, sources) for place in locations(self.spec, directory))

    def _in_place(self, place: Location, directory: str, sources: Sources) -> Parsed:
        path = os.path.join(place.path, place.files.own_file)
        parsed = sources.keep((self.spec.name, path), partial(self._load, path, place.scope))
        off = self.spec.folder_off(place.scope, directory)
        switched = (hook.replace(enabled=False, why_disabled=off) for hook in parsed.hooks) if off else parsed.hooks
        return parsed._replace(hooks=tuple(switched))

    def parse(self, text: str, file: str, scope: Scope) -> Parsed:
        """The events that the plugin sends; none for a plugin of others."""
        called = command(text, self.spec.name)
        names = events(text) if called else ()
        return Parsed(hooks=tuple(self._hook(text, file, scope, called, name) for name in names))

    def fields(self, text: str, hook: Hook) -> tuple[FormField, ...]:
        """None: the plugin is not edited."""
        return ()

    def _load(self, path: str, scope: Scope) -> Parsed:
        try:
            parsed = self.parse(files.read_text(path, _LIMIT), path, scope)
        except files.UnreadableFileError:
            parsed = Parsed()
        return parsed._replace(watched=(path,), files=(path,) if parsed.hooks else ())

    def _hook(self, text: str, file: str, scope: Scope, called: tuple[str, ...], event: str) -> Hook:
        name = f"{os.path.basename(file)}:{event}"
        match = _EVENTS.search(text)
        hook = Hook(
            id=f"{self.spec.name}:{scope}:{file}:{event}",
            name=name,
            event=canonical_events.canonical(event) or event,
            event_as_written=event,
            format=self.spec.name,
            scope=scope,
            file=file,
            line=text.count("\n", 0, match.start()) + 1 if match else 1,
            source=JsonEntry(read_only=_WHY),
            description=_WHY,
            argv=called,
            command=shlex.join(called),
            text=text,
            calls_hooktui=True,
        )
        return hook_version.placed(hook_version.with_scripts(hook, text))


def of(spec: Host) -> OwnPlugin:
    """The format of a host."""
    return OwnPlugin(spec)
