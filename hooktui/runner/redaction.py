"""Redact secrets in everything that is stored (contract.md, "The log").

A secret is known by its shape, as a token or key, or by the name before it. `re` takes a third of the time that `hooktui run`
may take, so it is imported only for a text that may hold a secret.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.runner import secret_patterns
from hooktui.runner.secret_patterns import NAMES, PROGRAMS, bare, is_pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from re import Match
    from typing import Any

MARK = "[redacted]"
_END = 65536  # kept characters at each end of a long text (contract.md)
CAP = 2 * _END
LEFT_OUT = "left out …"
_MAX_SECRET = 16384  # characters of the longest secret
_UNSPLIT = "\ue000"  # a space inside an argument
_MAX_LINE = 250  # characters of a command line before an argument, of which the patterns see 300

# Headers whose whole value is a secret.
_HEADERS = ("cookie", "cookies", "setcookie", "authorization", "proxyauthorization")
# Endings of names whose numbers are secrets too; a smaller number is a count.
_NUMBERED = ("password", "passwd", "passphrase", "passcode", "pincode")
_MIN_SECRET_NUMBER = 1000
HINTS = (*NAMES, *_NUMBERED, "cookie", "authorization", '"pin"', 'auth"')
_JSON_SIGNS = ("\\u", "\\/", '"-')  # escapes and options in a JSON text that may hide a secret from the patterns
_PAIRED = ("name", "key", "header", "id", "field")  # {"name": "api_key", "value": …}

# Which values below a key are secrets, whatever their shape.
_NONE, _TEXTS, _NUMBERS = range(3)
_MAX_DEPTH = 100  # levels of a JSON value
_TOO_DEEP = f"… nested too deep: {LEFT_OUT}"

# Short texts without secrets: tool names and match reasons recur in every event of an agent.
_clean: set[str] = set()
_MAX_CLEAN_LENGTH, _MAX_CLEAN = 200, 1000


def redact(text: str, own: Sequence[str] = (), depth: int = 0) -> str:
    """Replace every secret in a text by a mark; `own` are the user's own regexes, `depth` counts the levels around the text.

    In a JSON text, this also replaces values that their keys name as secrets.
    """
    if not own and text in _clean:
        return text
    value = _read(text)
    marked = _marked(text, own) if value is None else _marked_json(text, value, own, depth)
    if marked == text:
        _remember_clean(text)
    return marked


def redacted_value(value: Any, own: Sequence[str] = ()) -> Any:
    """A JSON value with all texts as they are stored (`stored_text`), and marks for values that their keys name as secrets."""
    return _clean_value(value, own, _NONE, 0)


def may_hold_secrets(text: str) -> bool:
    """Whether a JSON value, given as text, may hold secrets; errs on the side of true."""
    return (
        _has_hint(text)
        or "\\\\u" in text
        or "\\\\/" in text
        or any(True for _ in secret_patterns.patterns(text, by_name=False))
    )


def stored_text(text: str, own: Sequence[str] = (), depth: int = 0) -> str:
    """A text as it is stored: redacted, and a long one cut to its first and last 64 KiB.

    The middle is not searched, except as far as a secret at a cut may reach.
    """
    value = _read(text) if len(text) > CAP else None
    clean = value and _clean_value(value, own, _NONE, depth + 1)
    if clean != value:
        text = fast_json.dumps(clean, ascii_only=False)
    if len(text) <= CAP:
        return redact(text, own, depth)
    head = _marked(text[: _END + _MAX_SECRET], own)[:-_MAX_SECRET]  # a secret may cross the cut
    tail = _marked(text[-_END - _MAX_SECRET :], own)[_MAX_SECRET:]
    return _joined(head[:_END], len(text) - CAP, tail[-_END:])


def capped(text: str) -> str:
    """Cut a long text to its first and last 64 KiB."""
    return text if len(text) <= CAP else _joined(text[:_END], len(text) - CAP, text[-_END:])


def is_cut(text: str) -> bool:
    """Whether a stored text was cut; also true for a text that contains the mark of a cut itself."""
    return LEFT_OUT in text


def _joined(head: str, left_out: int, tail: str) -> str:
    return f"{head}\n… {left_out} characters {LEFT_OUT}\n{tail}"


# Texts ------------------------------------------------------------------------------------------------------------------------


def _marked(text: str, own: Sequence[str], *, by_name: bool = True) -> str:
    patterns = (*secret_patterns.patterns(text, by_name=by_name), *own) if text else ()
    if not patterns:
        return text
    import re

    for pattern in patterns:
        text = re.sub(pattern, _mark, text)
    return text


def _mark(match: Match[str]) -> str:
    groups = match.groupdict()
    if "pair" in groups and not is_pair(groups["pair"]):
        return match[0]
    return (groups.get("keep") or "") + MARK


def _marked_json(text: str, value: Any, own: Sequence[str], depth: int) -> str:
    """A redacted JSON text, in its own layout when the patterns find exactly its secrets."""
    clean = _clean_value(value, own, _NONE, depth + 1)
    if clean != value:
        marked = _marked(text, own)
        text = marked if _json(marked) == clean else fast_json.dumps(clean, ascii_only=False)
    return _marked(text, own, by_name=False)


def _remember_clean(text: str) -> None:
    if len(text) <= _MAX_CLEAN_LENGTH:
        if len(_clean) >= _MAX_CLEAN:
            _clean.clear()
        _clean.add(text)


def _read(text: str) -> Any:
    """The object or list in a JSON text whose secrets the patterns may miss; None for any other text."""
    inside = text.strip()
    if inside[:1] + inside[-1:] not in ("{}", "[]"):
        return None
    return _json(inside) if _has_hint(text) or any(sign in text for sign in _JSON_SIGNS) else None


def _json(text: str) -> Any:
    try:
        return fast_json.loads(text)
    except (ValueError, RecursionError):
        return None


def _has_hint(text: str) -> bool:
    plain = bare(text)
    for name in HINTS:  # noqa: SIM110 - twice as fast as any()
        if name in plain:
            return True
    return False


# JSON values ------------------------------------------------------------------------------------------------------------------


def _clean_value(value: Any, own: Sequence[str], secret: int, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        return _TOO_DEEP
    if isinstance(value, str):
        return MARK if secret and value else stored_text(value, own, depth)
    if isinstance(value, int | float):
        return MARK if secret == _NUMBERS and not isinstance(value, bool) and abs(value) >= _MIN_SECRET_NUMBER else value
    if value is None:
        return None
    if isinstance(value, dict):
        return _clean_object(value, own, secret, depth)
    return _clean_items(value, own, secret, depth)


def _clean_object(value: dict[str, Any], own: Sequence[str], secret: int, depth: int) -> dict[str, Any]:
    clean = {}
    for key, item in value.items():
        named = max(secret, _secret_under(key), _secret_by_name(value) if key.lower() == "value" else _NONE)
        if isinstance(item, str) and bare(key).endswith("auth") and is_pair(item):
            named = _TEXTS
        clean[redact(key, own, depth)] = _clean_value(item, own, named, depth + 1)
    return clean


def _clean_items(items: Sequence[Any], own: Sequence[str], secret: int, depth: int) -> list[Any]:
    """The items of a list: lines, through which a private key may extend, or the arguments of a program."""
    clean: list[Any] = []
    is_open, program = False, None
    for at, item in enumerate(items):
        if isinstance(item, str) and item.rpartition("/")[2] in PROGRAMS and not item.startswith("-"):
            program = max(at - 1, 0)  # the last two words: `docker login`
        is_secret = is_open or (at > 0 and _is_secret_option(items[at - 1], item))
        clean.append(_clean_value(item, own, max(secret, _TEXTS if is_secret else _NONE), depth + 1))
        if program is not None and clean[at] == item:
            clean[at] = _clean_argument(clean[program:], own)
        is_open = _is_key_open(_line(item), is_open)
    return clean


def _is_secret_option(option: Any, value: Any) -> bool:
    """Whether an argument is the value of an option that is named as a secret: `--password`."""
    if (
        not isinstance(option, str)
        or not isinstance(value, str)
        or not option.startswith("--")
        or value.startswith(("-", "$", "%"))
    ):
        return False
    return bare(option).endswith((*NAMES, *_NUMBERED))


def _clean_argument(arguments: Sequence[Any], own: Sequence[str]) -> Any:
    """The last of a program's arguments, redacted as in a command line."""
    *before, last = arguments
    if not before or not isinstance(last, str) or len(last) > _MAX_SECRET:
        return last
    words = [word for word in before if isinstance(word, str)]
    line = " ".join(words)
    if len(line) > _MAX_LINE:
        line = " ".join((*words[:2], words[-1][:_MAX_LINE]))
    whole = _marked(f"{line} {last.replace(' ', _UNSPLIT)}", own)
    marked = whole[len(line) + 1 :].replace(_UNSPLIT, " ")
    return marked if whole.startswith(line) and marked.count(MARK) > last.count(MARK) else last


def _line(item: Any) -> str:
    """The text of an item: a line, or an object with one."""
    if isinstance(item, dict):
        return "\n".join(text for text in item.values() if isinstance(text, str))
    return item if isinstance(item, str) else ""


def _is_key_open(text: str, was_open: bool) -> bool:
    """Whether a private key continues after a line."""
    begin, end = text.rfind("-----BEGIN "), text.rfind("-----END ")
    if begin > end:
        return "PRIVATE KEY" in text[begin : begin + 60]
    return was_open and end < 0


def _secret_by_name(value: dict[str, Any]) -> int:
    """Which values below the key `value` are secrets, in an object like {"name": …, "value": …}."""
    names = (name for key, name in value.items() if key.lower() in _PAIRED and isinstance(name, str))
    return max(map(_secret_under, names), default=_NONE)


def _secret_under(key: str) -> int:
    """Which values below a key are secrets."""
    last = key.replace("\\", "/").rpartition("/")[2]
    if last != key and "." in last:  # a file name
        return _NONE
    plain = bare(key)
    if plain.endswith((*_NUMBERED, *(f"{name}s" for name in _NUMBERED))) or plain == "pin":
        return _NUMBERS
    return _TEXTS if plain in _HEADERS or any(name in plain for name in NAMES) else _NONE
