"""Time-ordered IDs: one 63-bit integer that sorts by time, serves as a SQLite rowid, and reads as 13 characters.

An ID has 51 bits of microseconds since 2020 and 12 bits of the process ID. Two processes make the same ID only in the same
microsecond and with process IDs that are equal modulo 4,096; one process never returns an ID twice, in any thread. Sorting IDs
sorts events; the log needs no other key.
"""

from __future__ import annotations

import _thread  # `threading` takes 3 ms to import
import os
import time

EPOCH_US = 1_577_836_800_000_000  # 2020-01-01T00:00:00Z
_PROCESS_BITS = 12
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
_LENGTH = 13
_last = 0
_lock = _thread.RLock()  # reentrant: a signal handler may need an ID inside `several`
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def new() -> int:
    """The next ID of this process, later than all its earlier ones."""
    (number,) = several(1)
    return number


def several(count: int) -> list[int]:
    """The next IDs of this process."""
    global _last
    now = time.time_ns() // 1000 - EPOCH_US
    with _lock:
        first = now if now > _last else _last + 1  # no call here, so no signal handler runs in between
        _last = first + count - 1
    process = os.getpid() & ((1 << _PROCESS_BITS) - 1)
    return [moment << _PROCESS_BITS | process for moment in range(first, first + count)]


def at_time(seconds: float) -> int:
    """The smallest ID at a time (seconds since 1970): the bound of a time range."""
    return max(int(seconds * 1_000_000) - EPOCH_US, 0) << _PROCESS_BITS


def seconds(number: int) -> float:
    """The creation time of an ID, in seconds since 1970."""
    return ((number >> _PROCESS_BITS) + EPOCH_US) / 1_000_000


def text(number: int) -> str:
    """An ID as people and JSON see it."""
    digits = (ALPHABET[number >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))
    return "".join(digits)


def parse(written: str) -> int | None:
    """The ID in a text, None if the text is not an ID. Ignores case."""
    upper = written.strip().upper()
    if len(upper) != _LENGTH or any(letter not in ALPHABET for letter in upper):
        return None
    number = 0
    for letter in upper:
        number = number << 5 | ALPHABET.index(letter)
    return number if number < 1 << 63 else None


def content_of(version: str) -> str:
    """The hash of a hook's content in a version, which is `CONTENT-PLACE`; "" if it is not known.

    Equal hooks have equal hashes, wherever their files are (formats/hook_version.py).
    """
    content, dash, _ = version.partition("-")
    return content if dash else ""
