"""Links between the lines of the spool: edited, removed and added lines are noticed when the spool is taken into the log.

A line ends with the link of a line before it, the last that its writer saw, and with its own link: a hash of both. Two writers
may follow the same line. Anyone who can write the file can compute all links again, as in the chain of the log (hash_chain.py).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SIZE = 32  # hexadecimal digits of a link
_FIRST = "0" * _SIZE  # a line without one before it, or after a line that a full disk has cut off
_KEY, _END = ',"links":"', '"}'
_LENGTH = len(_KEY) + 2 * _SIZE + len(_END)
TAIL = _LENGTH + 1  # bytes at the end of a file that show its last link


def linked(text: str, tail: bytes) -> str:
    """A JSON object as text, with its links; `tail` are the last TAIL bytes of the file."""
    after = _link_in(tail.decode(errors="replace").rstrip("\n")) or _FIRST
    return f"{text[:-1]}{_KEY}{after}{_hash(after, text)}{_END}"


def checked(lines: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Lines that are not blank, each with whether it and the line before it are as they were written."""
    seen = {_FIRST}
    for line in lines:
        text = line.decode(errors="replace").strip()
        if text:
            bare, after, own = _parts(text)
            seen.add(own)
            yield line, after in seen and own == _hash(after, bare)


def _parts(text: str) -> tuple[str, str, str]:
    """A line without its links, the link it follows and its own; both are "" if it has none."""
    own = _link_in(text)
    return (text[:-_LENGTH] + "}", text[-_SIZE * 2 - len(_END) : -_SIZE - len(_END)], own) if own else (text, "", "")


def _link_in(text: str) -> str:
    """The link of a line; "" if it has none."""
    has_links = text.endswith(_END) and text[-_LENGTH:].startswith(_KEY)
    return text[-_SIZE - len(_END) : -len(_END)] if has_links else ""


def _hash(after: str, text: str) -> str:
    from _blake2 import blake2b  # the C module behind hashlib, which would import OpenSSL

    return blake2b((after + text).encode(), digest_size=_SIZE // 2).hexdigest()
