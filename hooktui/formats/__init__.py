"""Hook file formats: read hook files with positions, and edit them. Nothing here runs a hook."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from hooktui import hosts
from hooktui.core import paths
from hooktui.core.model import AzureEntry, Hook, HookDirectory, JsonEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.core.model import Diagnostic, HookSource, Scope
    from hooktui.formats.form_fields import FormField
    from hooktui.formats.source_cache import Sources

# Modules by format. A module is itself a Format, or has a function `of` that makes one for a host.
_MODULES: Mapping[str, str] = {
    "agenthooks": "hooktui.formats.agenthooks.hook_directories",
    "json_hooks": "hooktui.formats.json_hooks.json_format",
    "azure": "hooktui.formats.azure.azure_files",
    "own_plugin": "hooktui.formats.own_plugin",
}
# The source of a hook without a file, for formats other than JSON.
_DETACHED: Mapping[str, HookSource] = {"agenthooks": HookDirectory(), "azure": AzureEntry()}


class ManagedSettings(NamedTuple):
    """A managed settings file. `host` is a title, `source` "remote" or "file", `date` the day of the last change (ISO 8601).
    `why_unread` says why the host does not read the file; empty if it is in force."""

    host: str
    source: str
    file: str
    date: str
    why_unread: str = ""

    @property
    def sentence(self) -> str:
        origin = "your organization's server" if self.source == "remote" else "an administrator of this machine"
        if self.why_unread:
            return f"{self.host} does not read {paths.short(self.file)} ({self.date}): {self.why_unread}"
        return f"{self.host} obeys {paths.short(self.file)} ({self.date}), managed settings from {origin}"


class Parsed(NamedTuple):
    """The hooks of some files, their diagnostics, and every path whose change would change either.

    `watched` lists directories and files, including missing ones; `files` lists the hook files that were read. `managed` are
    the managed settings, those that count most first. `switched_off` are hosts that run no hooks, each with the reason.
    """

    hooks: tuple[Hook, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    watched: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    managed: tuple[ManagedSettings, ...] = ()
    switched_off: Mapping[str, str] = {}


def merged(results: Iterable[Parsed]) -> Parsed:
    """Combine the results of several files or formats, in order."""
    results = tuple(results)
    return Parsed(
        hooks=tuple(hook for result in results for hook in result.hooks),
        diagnostics=tuple(note for result in results for note in result.diagnostics),
        watched=tuple(dict.fromkeys(path for result in results for path in result.watched)),
        files=tuple(path for result in results for path in result.files),
        managed=tuple(settings for result in results for settings in result.managed),
        switched_off={host: why for result in results for host, why in result.switched_off.items()},
    )


class Format(Protocol):
    """The hook files of one host."""

    def discover(self, directory: str, sources: Sources | None = None) -> Parsed:
        """Find and read all hooks of the user and of a project, as the host does when it starts in a directory of it.

        File content never raises. Unchanged files are taken from `sources`.
        """

    def parse(self, text: str, file: str, scope: Scope) -> Parsed:
        """Read a hook file from its text, as `discover` would if it were saved."""

    def fields(self, text: str, hook: Hook) -> tuple[FormField, ...]:
        """The form of a hook that `parse` finds in `text`. Raises ValueError if the text cannot be read."""


def detached_source(name: str) -> HookSource:
    """The source of a hook without a file: a draft, or a command that `exec` observed."""
    return _DETACHED.get(hosts.spec(name).format) or JsonEntry()


def detached_hook(host: str, event: str, as_written: str, name: str = "") -> Hook:
    """A hook without a file that listens to an event, in its canonical name or the host's own."""
    return Hook(
        id="",
        name=name,
        event=event,
        event_as_written=as_written,
        format=host,
        scope="project",
        file="",
        line=1,
        source=detached_source(host),
    )


def load(name: str) -> Format:
    """The format of a host's hook files. Raises KeyError for an unknown name."""
    spec = hosts.spec(name)
    module = import_module(_MODULES[spec.format])
    return cast("Format", module.of(spec) if hasattr(module, "of") else module)
