"""Secrets out of what is stored (contract.md, "The log").

A net with two meshes: what looks like a token or key, and what is called one. `re` costs a third of what `hooktui run` may
take, so it is imported only when something in the text may be a secret.
"""

from __future__ import annotations

from hooktui import quick_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

MARK = "[redacted]"
_END = 65536  # kept of each end of a long text (contract.md: 64 KiB head, 64 KiB tail)
CAP = 2 * _END
LEFT_OUT = "left out …"
_REACH = 16384  # no secret is longer

# How tokens and keys begin that their issuer marks, and how many letters, digits, `-` and `_` follow at least.
_ISSUED = (
    ("AKIA", 16), ("ASIA", 16), ("ghp_", 30), ("gho_", 30), ("ghu_", 30), ("ghs_", 30), ("ghr_", 30), ("github_pat_", 30),
    ("glpat-", 18), ("gldt-", 18), ("glrt-", 18), ("npm_", 30), ("pypi-AgE", 40), ("dckr_pat_", 20), ("hf_", 30), ("xoxa-", 10),
    ("xoxb-", 10), ("xoxp-", 10), ("xoxr-", 10), ("xoxs-", 10), ("xapp-", 20), ("sk-", 16), ("sk_live_", 16), ("sk_test_", 16),
    ("rk_live_", 16), ("rk_test_", 16), ("whsec_", 20), ("AIza", 30), ("GOCSPX-", 20), ("gsk_", 30), ("xai-", 40),
    ("pplx-", 40), ("r8_", 30), ("dop_v1_", 40), ("shpat_", 30), ("hvs.", 20), ("ATATT3", 40), ("lin_api_", 30), ("ntn_", 30),
    ("glsa_", 30),
    ("tskey-", 20), ("NRAK-", 20), ("dapi", 32), ("AGE-SECRET-KEY-1", 40),
)  # fmt: skip
_LEAST = min(len(prefix) + least for prefix, least in _ISSUED)
_NO_TOKEN = {number: " " for number in range(128) if not chr(number).isalnum() and chr(number) not in "-_."}
# A token may follow an escape of JSON: in `\nghp_…` no letter stands before it.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4}))"

# (two things that the text must hold, case ignored; what is a secret). A group named `keep` stays in front of the mark.
_SHAPED = (
    ("eyj", ".", r"(?:(?<![\w-])|(?<=\\[bfnrt]))eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    ("private key", "", r"-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----|$)"),
    ("bearer ", "", r"(?i)(?P<keep>bearer\s+)[\w.~+/-]{12,}=*"),
    ("basic ", "", r"(?i)(?P<keep>basic\s+)[A-Za-z0-9+/]{16,}=*"),
    ("authorization", "", r"(?i)(?P<keep>authorization\\*[\"']?\s*[:=]\s*\\*[\"']?(?:[a-z]+\s+)?)[^\s\"'\\,;]{8,}"),
    ("cookie", ":", r"(?i)(?P<keep>\b(?:set-)?cookie\\*[\"']?\s*:\s*\\*[\"']?)[^\r\n\"'\\]{6,}"),
    ("://", "@", r"(?P<keep>://[^/\s:@\"]{0,100}:)[^@/\s\"]{1,200}(?=@)"),
    ("curl", "-u", r"(?P<keep>\s(?:-u|--user)[\s=]\s*\\*[\"']?[^\s:\"']{1,100}:)[^\s\"'\\]{3,}"),
    ("://", "hooks.slack.com", r"(?P<keep>hooks\.slack\.com/services/)[\w/]{20,}"),
    ("://", "/api/webhooks/", r"(?P<keep>/api/webhooks/\d{1,30}/)[\w-]{40,}"),
    ("://", "signature=", r"(?i)(?P<keep>signature=)[0-9a-f]{32,}"),
    ("://", "sig=", r"(?P<keep>[?&]sig=)[\w%+/=-]{16,}"),
    (":aa", "", r"(?<!\d)\d{8,10}:AA[\w-]{33}\b"),
)

# What people call a secret, letter case and `_` or `-` inside ignored.
_NAMES = (
    "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "accountkey", "privatekey", "credential",
)  # fmt: skip
# Not a secret: `max_tokens: 200000`.
_COUNTED = r"(?:s|[_-]?count|[_-]?limit)[\w-]{0,20}\\*[\"']?\s{0,3}[:=]\s{0,3}\d+(?![\w+/=-]|\.\w)"
_NAME = (
    rf"(?:passw(?:or)?d|passphrase|secret|token(?!{_COUNTED})|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key"
    r"|credentials?)"
)
_GIVEN = rf"{_NAME}[\w-]{{0,20}}\\*[\"']?\s{{0,3}}[:=]\s{{0,3}}"
_NAMED = (
    rf"(?i)(?P<keep>{_GIVEN}(?P<quote>\\*[\"']))[\s\S]{{4,400}}?(?=(?<!\\)(?P=quote))",
    rf"(?i)(?P<keep>{_GIVEN}\\*[\"']?)[^\s\"'\\,;&]{{6,}}",
    rf"(?i)(?P<keep>--(?:[\w-]{{0,20}}-)?{_NAME}\s+\\*[\"']?)(?!-)[^\s\"'\\]{{4,}}",
)
_AFTER = 30  # letters behind a name among which its value must begin

# What is called one in whole: headers.
_HEADERS = ("cookie", "cookies", "setcookie", "authorization", "proxyauthorization")
# How a name ends under which a number is a secret too, and how small one is a count.
_NUMBERED = ("password", "passwd", "passphrase", "passcode", "pincode")
_COUNT = 1000
_HINTS = (*_NAMES, *_NUMBERED, "cookie", "authorization", '"pin"')
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
    return _has_hint(text) or "\\\\u" in text or "\\\\/" in text or any(True for _ in _patterns(text, by_name=False))


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
    patterns = (*_patterns(text, by_name=by_name), *own) if text else ()
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
        text = marked if _json(marked) == clean else quick_json.dumps(clean, ascii_only=False)
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
        text = quick_json.dumps(clean, ascii_only=False)
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
        return quick_json.loads(text)
    except (ValueError, RecursionError):
        return None


def _has_hint(text: str) -> bool:
    """Whether what may be the name of a secret is in a text, given or not."""
    plain = _plain(text)
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
    plain = _plain(key)
    if plain.endswith((*_NUMBERED, *(f"{name}s" for name in _NUMBERED))) or plain == "pin":
        return _NUMBERS
    return _TEXTS if plain in _HEADERS or any(name in plain for name in _NAMES) else _NONE


def _plain(text: str) -> str:
    return text.lower().replace("_", "").replace("-", "")


# What is looked for -----------------------------------------------------------------------------------------------------------


def _patterns(text: str, *, by_name: bool = True) -> Iterator[str]:
    """The patterns that could find something in a text; those of what is called a secret only `by_name`."""
    long_words = [word for word in text.translate(_NO_TOKEN).split() if len(word) >= _LEAST]
    together = " ".join(long_words)
    for prefix, least in _ISSUED if long_words else ():
        if prefix in together and any(prefix in word and len(word) >= len(prefix) + least for word in long_words):
            yield f"{_START}{prefix.replace('.', '[.]')}[\\w-]{{{least},}}"
    lower = text.lower()
    for hint, other, pattern in _SHAPED:
        if hint in lower and other in lower:
            yield pattern
    if by_name and _gives_a_name(lower):
        yield from _NAMED


def _gives_a_name(lower: str) -> bool:
    """Whether anything is called a secret and given: a mere `token` in a sentence is not."""
    plain = _plain(lower)
    flags = "--" in lower
    for name in _NAMES:
        if name in plain:
            behind = [part[:_AFTER] for part in plain.split(name)[1:]]
            if flags or any(":" in part or "=" in part for part in behind):
                return True
    return False
