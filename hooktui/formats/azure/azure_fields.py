"""The keys of Azure's YAML, whose spelling drifts in the wild: `failMode` is `fail_mode` is `FailMode` (formats.md §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui.formats import slips, yaml_text
from hooktui.formats.json_hooks.json_fields import kind_of

if TYPE_CHECKING:
    from hooktui.core.model import Fix
    from hooktui.formats.host_notes import HostNotes
    from hooktui.formats.problems import Span
    from hooktui.formats.yaml_source import Node

HOST = "Azure SRE Agent"


class Fields:
    """The values of a mapping, by the documented spelling of their keys; of two spellings the first counts."""

    def __init__(self, node: Node, notes: HostNotes) -> None:
        self.node = node
        self.notes = notes
        self._entries = {folded(key.value): (key, value) for key, value in reversed(node.entries)}

    def __contains__(self, key: str) -> bool:
        return folded(key) in self._entries

    def node_of(self, key: str) -> Node | None:
        """The value of a key; None without one."""
        entry = self._entries.get(folded(key))
        return entry[1] if entry else None

    def key_of(self, key: str) -> Node | None:
        """The key as it is written."""
        entry = self._entries.get(folded(key))
        return entry[0] if entry else None

    def place(self, key: str) -> Span:
        """Where a key's value stands; the key when it is empty, the mapping's first character when there is no such key."""
        key_node, value = self._entries.get(folded(key), (None, None))
        if key_node is None or value is None:
            return self.node.start, self.node.start + 1
        return value.span if value.end > value.start else key_node.span

    def text(self, key: str) -> str | None:
        """A text; what is none is noted and counts as not given."""
        value: str | None = self._typed(key, (str,), "text")
        return value

    def number(self, key: str) -> float | None:
        """A number; what is none is noted and counts as not given."""
        value: float | None = self._typed(key, (int, float), "a number")
        return value

    def mapping(self, key: str) -> Fields | None:
        """A mapping inside; what is none is noted and counts as not given."""
        node = self.node_of(key)
        return Fields(node, self.notes) if node and self._typed(key, (dict,), "a mapping") is not None else None

    def instead(self, key: str, value: str | int | None) -> Fix | None:
        """A fix that writes another value of a key; None where it is not known which."""
        node = self.node_of(key)
        return None if node is None or value is None else self.notes.instead(node, yaml_text.written(value))

    def report_slips(self, known: tuple[str, ...]) -> None:
        """Warn about keys that were probably meant to be others."""
        read = {folded(key) for key in known}
        unread = (key for key, _ in self.node.entries if folded(key.value) not in read)
        self.notes.slips(unread, (one for one in known if one not in self), HOST)

    def _typed(self, key: str, types: tuple[type, ...], wanted: str) -> Any:
        node = self.node_of(key)
        if node is None or node.value is None or type(node.value) in types:
            return node.value if node else None
        number = slips.number(node.value, slips.SECOND) if float in types and isinstance(node.value, str) else None
        fix = self.notes.instead(node, number)
        self.notes.error("wrong-type", f"{key} must be {wanted}, not {kind_of(node.value)}", self.place(key), fix=fix)
        return None


def folded(key: str) -> str:
    """What all spellings of a key have in common."""
    return key.lower().replace("_", "").replace("-", "")
