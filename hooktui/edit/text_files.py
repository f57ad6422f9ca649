"""The files of a hook as an editor reads and writes them."""

from hooktui.core.atomic_write import error_message
from hooktui.edit.reapprove import save
from hooktui.security.approval import difference
from hooktui.security.documents import (
    ChangedError,
    Document,
    content,
    is_gone,
    line_feeds,
    read,
    read_hook,
    with_endings,
)

__all__ = [
    "ChangedError", "Document", "content", "difference", "error_message", "is_gone", "line_feeds", "read", "read_hook", "save",
    "with_endings",
]  # fmt: skip
