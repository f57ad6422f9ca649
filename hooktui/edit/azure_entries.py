"""A hook of an Azure YAML file taken out, or put into the file as a document of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.formats import yaml_source, yaml_writer
from hooktui.formats.azure import azure_edit

if TYPE_CHECKING:
    from collections.abc import Mapping

    Path = tuple[str | int, ...]

_BOM = "\ufeff"
_SEPARATOR = re.compile(r"^---(?=[ \t\r\n]|\Z)[^\r\n]*(?:\r\n?|\n|\Z)", re.MULTILINE)
_AGENT_PATH = 5  # steps to a hook of an agent: document, spec, hooks, event, place


def taken_out(text: str, path: Path) -> str | None:
    """The text without a hook; a global hook goes with its document, the last of which takes the file along (None).

    Raises ValueError when that would change anything else.
    """
    if len(path) < _AGENT_PATH:
        return _without_document(text, int(path[0]))
    alone = len(azure_edit.node(text, path[:-1]).items) == 1
    return azure_edit.remove_entry(text, path[:-1] if alone else path)


def added(text: str | None, document: Mapping[str, object]) -> str:
    """The text with one more document, in its own line ends."""
    new = next(yaml_writer.candidates(dict(document), ""))[1:] + "\n"
    if text is None or not text.removeprefix(_BOM).strip():
        return (text or "")[:1].strip() + new
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if text.endswith(("\n", "\r")) else "\n"
    return text + f"{gap}---\n{new}".replace("\n", end)


def _without_document(text: str, number: int) -> str | None:
    body = text.removeprefix(_BOM)
    roots = yaml_source.compose(body).roots
    if len(roots) == 1:
        return None
    begins = [found.start() for found in _SEPARATOR.finditer(body, 0, roots[number].start)]
    ends = list(_SEPARATOR.finditer(body, roots[number].end))
    start = begins[-1] if begins else 0
    without = body[:start] + (body[ends[0].start() :] if ends else "")
    left = [root.value for root in yaml_source.compose(without).roots]
    if left != [root.value for at, root in enumerate(roots) if at != number]:
        raise ValueError("this cannot be taken out without changing more: edit the source")
    return text[: len(text) - len(body)] + without
