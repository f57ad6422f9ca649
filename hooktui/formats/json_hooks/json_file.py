"""A hook file in JSON or TOML as it was read, before the rules of a host are applied."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui.core.model import JsonEntry
from hooktui.formats import files
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.json_hooks import file_syntax
from hooktui.formats.node import HEADER, Node

if TYPE_CHECKING:
    from hooktui.core.model import EntryPath, Scope
    from hooktui.formats.node import ParseError, Span
    from hooktui.hosts.shared.entry_spec import EntrySpec

LIMIT = 1024 * files.KIB


class JsonHookFile(NamedTuple):
    """A hook file. `root` is its value, None if it cannot be read; `extras` are comments and trailing commas.

    `has_bom`: it starts with a byte order mark. `source` has what all its entries have in common. `prefix` leads to `root` from
    the file's own. `consequence`: what the host does about a file that it cannot read. `fault` is the error of a text that is
    not JSON or TOML, `not_utf8` that of its bytes. `entry`: how the host reads it, if not as its other files.
    """

    path: str
    scope: Scope
    notes: DiagnosticCollector
    root: Node | None = None
    extras: tuple[Span, ...] = ()
    has_bom: bool = False
    source: JsonEntry = JsonEntry()
    prefix: EntryPath = ()
    consequence: str = "ignores this file"
    fault: ParseError | None = None
    not_utf8: files.UnreadableFileError | None = None
    entry: EntrySpec | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The keys and values of `root`, none if it is not an object."""
        return self.root.value if self.root and isinstance(self.root.value, dict) else {}

    @property
    def events(self) -> tuple[str, ...]:
        listed = self.values.get("hooks")
        return tuple(listed) if isinstance(listed, dict) else ()


def load(path: str, scope: Scope) -> JsonHookFile | None:
    """Load a hook file; None if there is none. Content never raises."""
    if not files.exists(path):
        return None
    try:
        text = _of_property_list(path) if path.endswith(".plist") else files.read_text(path, LIMIT, keep_bom=True)
    except files.UnreadableFileError as refused:
        if refused.code == "unreadable-file" and refused.head:
            return parse(refused.head, path, scope)._replace(not_utf8=refused)
        notes = DiagnosticCollector(path, "")
        notes.error(refused.code, str(refused))
        return JsonHookFile(path, scope, notes)
    return parse(text, path, scope)


def parse(text: str, path: str, scope: Scope) -> JsonHookFile:
    """Parse the text of a hook file."""
    has_bom = text.startswith("\ufeff")
    text = text.removeprefix("\ufeff")
    notes = DiagnosticCollector(path, text)
    if not notes.is_json and "hooks" not in text:  # most of a program's configuration is no concern of ours
        return JsonHookFile(path, scope, notes, Node({}, 0, len(text), HEADER))
    read = file_syntax.of(path).read(text)
    return JsonHookFile(path, scope, notes, read.root, read.extras, has_bom, fault=read.fault)


def _of_property_list(path: str) -> str:
    """The JSON text of a property list, in which macOS keeps managed settings, in XML or binary. Raises UnreadableFileError."""
    import plistlib  # only macOS has these files
    from xml.parsers.expat import ExpatError

    data, size = files.read_bytes(path, LIMIT + 1)
    if len(data) > LIMIT:
        why = f"the file is too large: {size:,} bytes, limit {LIMIT // files.KIB} KiB"
        raise files.UnreadableFileError("too-large", why)
    try:
        return json.dumps(plistlib.loads(data), default=str)
    except (
        ExpatError,
        plistlib.InvalidFileException,
        ValueError,
        IndexError,
        AttributeError,
        TypeError,
        RecursionError,
    ) as error:
        raise files.UnreadableFileError("unreadable-file", "it is not a property list") from error
