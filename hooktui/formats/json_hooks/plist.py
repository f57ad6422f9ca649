"""Property lists, in which macOS keeps the settings that an organization manages."""

from __future__ import annotations

import json

from hooktui.formats import files


def as_json(path: str, limit: int) -> str:
    """The JSON text of a property list of at most `limit` bytes, in XML or binary. Raises UnreadableFileError."""
    import plistlib  # only macOS has these files
    from xml.parsers.expat import ExpatError

    data, size = files.read_bytes(path, limit + 1)
    if len(data) > limit:
        why = f"the file is too large: {size:,} bytes, limit {limit // files.KIB} KiB"
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
