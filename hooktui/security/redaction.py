"""Secrets out of what is stored (contract.md, "The log").

A net with two meshes: what looks like a token or key, and what is called one. `re` costs a third of what `hooktui run` may
take, so it is imported only when something in the text may be a secret.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.security import secret_patterns
from hooktui.security.secret_patterns import NAMES, bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MARK = "[redacted]"
_END = 65536  # kept of each end of a long text (contract.md: 64 KiB head, 64 KiB tail)
CAP = 2 * _END
LEFT_OUT = "left out …"
_REACH = 16384  # no secret is longer

# What is called one in whole: headers.
_HEADERS = ("cookie", "cookies", "setcookie", "authorization", "proxyauthorization")
# How a name ends under which a number is a secret too, and how small one is a count.
_NUMBERED = ("password", "passwd", "passphrase", "passcode", "pincode")
_COUNT = 1000
_HINTS = (*NAMES, *_NUMBERED, "cookie", "authorization", '"pin"')
_PAIRED = ("name", "key", "header", "id", "field")  # {"name": "api_key", "value": …}

# What of the values under a key is a secret, whatever they look like.
_NONE, _TEXTS, _NUMBERS = range(3)
_DEEPEST = 100  # levels of a JSON value that are gone through
_TOO_DEEP = f"… nested too deep: {LEFT_OUT}"

# Short texts in which nothing was found: the names of tools and what matched come again with every event of an agent.
_clean: set[str] = set()
_SHORT, _MANY = 200, 1000


def redact(text: str, own: Sequence[str] = ()) -> str:
    """The text with every known secret, and every match of the user's `own` regexes, replaced by a mark.

    In a text that is JSON, what its keys call a secret goes, too.
    """
    return _redacted(text, own, 0)


def redacted_value(value: Any, own: Sequence[str] = ()) -> Any:
    """A JSON value in which every text is as it is stored (`kept`), and a mark wherever its key calls it a secret."""
    return _clean_value(value, own, _NONE, 0)


def may_hold_secrets(text: str) -> bool:
    """Whether anything in a JSON value, given as text, could be redacted; true too often, never too seldom."""
    return (
        _has_hint(text)
        or "\\\\u" in text
        or "\\\\/" in text
        or any(True for _ in secret_patterns.patterns(text, by_name=False))
    )


def kept(text: str, own: Sequence[str] = ()) -> str:
    """A text as it is stored: without its secrets, and of a long one the first and last 64 KiB.

    What lies in between is not looked at, but for as much as a secret at the cut may reach into.
    """
    return _kept(text, own, 0)


def capped(text: str) -> str:
    """The first and last 64 KiB of a long text."""
    return text if len(text) <= CAP else _joined(text[:_END], len(text) - CAP, text[-_END:])


def is_cut(text: str) -> bool:
    """Whether something was left out of what is stored; of a text that speaks of that itself it may be said, too."""
    return LEFT_OUT in text


def _joined(head: str, left_out: int, tail: str) -> str:
    return f"{head}\n… {left_out} characters {LEFT_OUT}\n{tail}"


# Texts ------------------------------------------------------------------------------------------------------------------------


def _redacted(text: str, own: Sequence[str], depth: int) -> str:
    if not own and text in _clean:
        return text
    value = _read(text)
    marked = _marked(text, own) if value is None else _marked_json(text, value, own, depth)
    if marked == text:
        _remember_clean(text)
    return marked


def _marked(text: str, own: Sequence[str], *, by_name: bool = True) -> str:
    """A text without what patterns find in it."""
    patterns = (*secret_patterns.patterns(text, by_name=by_name), *own) if text else ()
    if not patterns:
        return text
    import re

    for pattern in patterns:
        text = re.sub(pattern, lambda found: (found.groupdict().get("keep") or "") + MARK, text)
    return text


def _marked_json(text: str, value: Any, own: Sequence[str], depth: int) -> str:
    """A text that is JSON: its layout stays where patterns find all of its secrets, and only those."""
    clean = _clean_value(value, own, _NONE, depth + 1)
    if clean != value:
        marked = _marked(text, own)
        text = marked if _json(marked) == clean else fast_json.dumps(clean, ascii_only=False)
    return _marked(text, own, by_name=False)


def _remember_clean(text: str) -> None:
    if len(text) <= _SHORT:
        if len(_clean) >= _MANY:
            _clean.clear()
        _clean.add(text)


def _kept(text: str, own: Sequence[str], depth: int) -> str:
    value = _read(text) if len(text) > CAP else None
    clean = value and _clean_value(value, own, _NONE, depth + 1)
    if clean != value:
        text = fast_json.dumps(clean, ascii_only=False)
    if len(text) <= CAP:
        return _redacted(text, own, depth)
    head = _marked(text[: _END + _REACH], own)[:-_REACH]  # at its end a secret may be cut in two
    tail = _marked(text[-_END - _REACH :], own)[_REACH:]
    return _joined(head[:_END], len(text) - CAP, tail[-_END:])


def _read(text: str) -> Any:
    """The object or list of JSON that a text is, if patterns may not find all of its secrets; None for all others."""
    inside = text.strip()
    if inside[:1] + inside[-1:] not in ("{}", "[]"):
        return None
    return _json(inside) if _has_hint(text) or "\\u" in text or "\\/" in text else None


def _json(text: str) -> Any:
    try:
        return fast_json.loads(text)
    except (ValueError, RecursionError):
        return None


def _has_hint(text: str) -> bool:
    """Whether what may be the name of a secret is in a text, given or not."""
    plain = bare(text)
    return any(name in plain for name in _HINTS)


# JSON values ------------------------------------------------------------------------------------------------------------------


def _clean_value(value: Any, own: Sequence[str], secret: int, depth: int) -> Any:
    if depth > _DEEPEST:
        return _TOO_DEEP
    if isinstance(value, str):
        return MARK if secret and value else _kept(value, own, depth)
    if isinstance(value, int | float):
        return MARK if secret == _NUMBERS and not isinstance(value, bool) and abs(value) >= _COUNT else value
    if value is None:
        return None
    if isinstance(value, dict):
        return _clean_object(value, own, secret, depth)
    return _clean_items(value, own, secret, depth)


def _clean_object(value: dict[str, Any], own: Sequence[str], secret: int, depth: int) -> dict[str, Any]:
    clean = {}
    for key, item in value.items():
        called = max(secret, _secret_under(key), _secret_by_name(value) if key.lower() == "value" else _NONE)
        clean[_redacted(key, own, depth)] = _clean_value(item, own, called, depth + 1)
    return clean


def _clean_items(items: Sequence[Any], own: Sequence[str], secret: int, depth: int) -> list[Any]:
    """Items of a list; a private key may go over many."""
    clean, is_open = [], False
    for item in items:
        clean.append(_clean_value(item, own, max(secret, _TEXTS if is_open else _NONE), depth + 1))
        is_open = _is_key_open(_line(item), is_open)
    return clean


def _line(item: Any) -> str:
    """An item of a list that is a line, or an object that holds one."""
    if isinstance(item, dict):
        return "\n".join(text for text in item.values() if isinstance(text, str))
    return item if isinstance(item, str) else ""


def _is_key_open(text: str, was_open: bool) -> bool:
    """Whether a private key goes on behind a line."""
    begun, ended = text.rfind("-----BEGIN "), text.rfind("-----END ")
    if begun > ended:
        return "PRIVATE KEY" in text[begun : begun + 60]
    return was_open and ended < 0


def _secret_by_name(value: dict[str, Any]) -> int:
    """What is a secret under `value`, where an object like {"name": …, "value": …} names it."""
    names = (name for key, name in value.items() if key.lower() in _PAIRED and isinstance(name, str))
    return max(map(_secret_under, names), default=_NONE)


def _secret_under(key: str) -> int:
    """What is a secret under a key of an object."""
    last = key.replace("\\", "/").rpartition("/")[2]
    if last != key and "." in last:  # a file
        return _NONE
    plain = bare(key)
    if plain.endswith((*_NUMBERED, *(f"{name}s" for name in _NUMBERED))) or plain == "pin":
        return _NUMBERS
    return _TEXTS if plain in _HEADERS or any(name in plain for name in NAMES) else _NONE
