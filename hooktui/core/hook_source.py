"""The source of a hook: one record per kind of configuration, with the fields that only this kind has."""

from __future__ import annotations

from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    EntryPath = tuple[str | int, ...]  # keys and list indexes; of a YAML file the document's index comes first


class HookDirectory(Record):
    """A directory with a HOOK.md, which is the hook's `root`."""


class JsonEntry(Record):
    """An entry of a JSON file.

    `path` leads from the file's root to the entry. It is empty for a hook that was not read from a file: a draft, or a command
    observed by `hooktui exec`. `condition` is the permission rule `if`. `placeholder` is the text in `argv` that
    the host replaces by the project's root. `original` is the entry as it was before `hooktui connect --observe` wrapped its
    command, "" for an entry that is not wrapped. An http hook posts to `url` with `headers`, in which `allowed_variables` of
    the environment are expanded.
    """

    path: EntryPath = ()
    condition: str | None = None
    placeholder: str = ""
    original: str = ""
    url: str | None = None
    headers: Mapping[str, Any] = {}
    allowed_variables: tuple[str, ...] = ()


class AzureEntry(Record):
    """A hook in a YAML file of Azure SRE Agent.

    `path` leads from the list of documents to the hook, as in JsonEntry. `agent` is the custom agent that the hook belongs
    to, None for a global hook. `script` is the text of an inline script. `max_rejections` limits how often a prompt hook may
    keep the agent from stopping, None for all other hooks.
    """

    path: EntryPath = ()
    agent: str | None = None
    script: str | None = None
    max_rejections: int | None = None


class Callback(Record):
    """A Python callable that an agent has registered with its hook stack."""


HookSource = HookDirectory | JsonEntry | AzureEntry | Callback

_BY_NAME: Mapping[str, type[HookSource]] = {kind.__name__: kind for kind in (HookDirectory, JsonEntry, AzureEntry, Callback)}
_TUPLES = ("path", "allowed_variables")


def encode(source: HookSource) -> tuple[str, dict[str, Any]]:
    """Convert a source to plain data for marshal or JSON."""
    return type(source).__name__, source.as_dict()


def decode(plain: Sequence[Any]) -> HookSource:
    """Convert the result of `encode` back. Raises ValueError, TypeError or KeyError for other data."""
    name, values = plain
    fields: dict[str, Any] = {key: tuple(value) if key in _TUPLES else value for key, value in values.items()}
    return _BY_NAME[name](**fields)
