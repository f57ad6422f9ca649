"""How hooks are written down: each shape of hook files, read with positions and edited. Nothing here runs a hook."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from hooktui import hosts
from hooktui.core.model import AzureEntry, HookDirectory, JsonEntry
from hooktui.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.core.model import Diagnostic, Hook, HookSource, Scope
    from hooktui.formats.form_fields import FormField
    from hooktui.formats.source_cache import Sources

# The module that reads a shape of hook files. It is the Format where one host has that shape; else its `of` makes one.
_MODULES: Mapping[str, str] = {
    "agenthooks": "hooktui.formats.agenthooks.hook_directories",
    "json_hooks": "hooktui.formats.json_hooks.json_format",
    "azure": "hooktui.formats.azure.azure_files",
}
# Formats that are not JSON, with the source of a hook that is in no file.
_DETACHED: Mapping[str, HookSource] = {"agenthooks": HookDirectory(), "azure": AzureEntry()}


class Parsed(Record):
    """What a format found: its hooks, what is wrong with them, and every path whose change would change the answer.

    `watched` holds directories and files, also those that do not exist yet; `files` the hook files that were read.
    """

    hooks: tuple[Hook, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    watched: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def merged(found: Iterable[Parsed]) -> Parsed:
    """What several files or formats hold, in their order."""
    found = tuple(found)
    return Parsed(
        hooks=tuple(hook for one in found for hook in one.hooks),
        diagnostics=tuple(note for one in found for note in one.diagnostics),
        watched=tuple(dict.fromkeys(path for one in found for path in one.watched)),
        files=tuple(path for one in found for path in one.files),
    )


class Format(Protocol):
    """The hook files of one host."""

    def discover(self, project: str, sources: Sources | None = None) -> Parsed:
        """Find and read all hooks of the user and of one project; never raises for what a file holds.

        What `sources` know already is not read again.
        """

    def parse(self, text: str, file: str, scope: Scope) -> Parsed:
        """Read one hook file from its text, as `discover` would if it were saved."""

    def fields(self, text: str, hook: Hook) -> tuple[FormField, ...]:
        """The form of one of the hooks that `parse` finds in `text`; ValueError when the text must be mended first."""

    def edit(self, text: str, field: str, value: object) -> str:
        """The text with one field changed and no other byte; ValueError when the text cannot be edited safely."""


def detached_source(name: str) -> HookSource:
    """The source of a format's hook that is in no file: a draft, or a command that `exec` observed."""
    return _DETACHED.get(hosts.spec(name).format) or JsonEntry()


def load(name: str) -> Format:
    """The format of a host's hook files. Raises KeyError for an unknown name."""
    spec = hosts.spec(name)
    module = import_module(_MODULES[spec.format])
    return cast("Format", module.of(spec) if hasattr(module, "of") else module)
