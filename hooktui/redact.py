"""Secrets out of what is stored (contract.md, "The log").

A net with two meshes: what looks like a token or key, and what is called one. `re` costs a third of what `hooktui run` may
take, so it is imported only when something in the text may be a secret.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

MARK = "[redacted]"
_END = 65536  # kept of each end of a long text (contract.md: 64 KiB head, 64 KiB tail)
CAP = 2 * _END
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
    ("cookie:", "", r"(?i)(?P<keep>\b(?:set-)?cookie:\s*)[^\r\n\"'\\]{6,}"),
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
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "accountkey",
    "privatekey",
    "credential",
)
_NAME = r"(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|credentials?)"
_GIVEN = rf"{_NAME}[\w-]{{0,20}}\\*[\"']?\s{{0,3}}[:=]\s{{0,3}}"
_NAMED = (
    rf"(?i)(?P<keep>{_GIVEN}(?P<quote>\\*[\"']))[\s\S]{{4,400}}?(?=(?<!\\)(?P=quote))",
    rf"(?i)(?P<keep>{_GIVEN}\\*[\"']?)[^\s\"'\\,;&]{{6,}}",
    rf"(?i)(?P<keep>--(?:[\w-]{{0,20}}-)?{_NAME}\s+\\*[\"']?)(?!-)[^\s\"'\\]{{4,}}",
)
_AFTER = 30  # letters behind a name among which its value must begin

# Short texts in which nothing was found: the names of tools and what matched come again with every event of an agent.
_clean: set[str] = set()
_SHORT, _MANY = 200, 1000


def redact(text: str, own: Sequence[str] = ()) -> str:
    """The text with every known secret, and every match of the user's `own` regexes, replaced by a mark."""
    if not own and text in _clean:
        return text
    patterns = (*_patterns(text), *own) if text else ()
    if not patterns:
        _remember_clean(text)
        return text
    import re

    for pattern in patterns:
        text = re.sub(pattern, lambda found: (found.groupdict().get("keep") or "") + MARK, text)
    return text


def _remember_clean(text: str) -> None:
    if len(text) <= _SHORT:
        if len(_clean) >= _MANY:
            _clean.clear()
        _clean.add(text)


def redacted_value(value: Any, own: Sequence[str] = ()) -> Any:
    """A JSON value in which every text is redacted, and whole wherever its key calls it a secret."""
    if isinstance(value, str):
        return redact(value, own)
    if isinstance(value, dict):
        return {redact(key, own): _under(key, item, own) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redacted_value(item, own) for item in value]
    return value


def may_hold_secrets(text: str) -> bool:
    """Whether anything in a text, or in the JSON value that it is, could be redacted; true too often, never too seldom."""
    return any(True for _ in _patterns(text))


def kept(text: str, own: Sequence[str] = ()) -> str:
    """A text as it is stored: without its secrets, and of a long one the first and last 64 KiB.

    What lies in between is not looked at, but for as much as a secret at the cut may reach into.
    """
    if len(text) <= CAP:
        return redact(text, own)
    head = redact(text[: _END + _REACH], own)[:-_REACH]  # at its end a secret may be cut in two
    tail = redact(text[-_END - _REACH :], own)[_REACH:]
    return _joined(head[:_END], len(text) - CAP, tail[-_END:])


def capped(text: str) -> str:
    """The first and last 64 KiB of a long text."""
    return text if len(text) <= CAP else _joined(text[:_END], len(text) - CAP, text[-_END:])


def _joined(head: str, left_out: int, tail: str) -> str:
    return f"{head}\n… {left_out} characters left out …\n{tail}"


def _under(key: str, value: Any, own: Sequence[str]) -> Any:
    """What stands under a key of an object."""
    plain = key.lower().replace("_", "").replace("-", "")
    if not any(name in plain for name in _NAMES):
        return redacted_value(value, own)
    if isinstance(value, list | tuple):
        return [_under(key, item, own) for item in value]
    return MARK if isinstance(value, str) and value else redacted_value(value, own)


def _patterns(text: str) -> Iterator[str]:
    """The patterns that could find something in a text."""
    long_words = [word for word in text.translate(_NO_TOKEN).split() if len(word) >= _LEAST]
    for prefix, least in _ISSUED if long_words else ():
        if any(prefix in word and len(word) >= len(prefix) + least for word in long_words):
            yield f"{_START}{prefix.replace('.', '[.]')}[\\w-]{{{least},}}"
    lower = text.lower()
    for hint, other, pattern in _SHAPED:
        if hint in lower and other in lower:
            yield pattern
    if _gives_a_name(lower):
        yield from _NAMED


def _gives_a_name(lower: str) -> bool:
    """Whether anything is called a secret and given: a mere `token` in a sentence is not."""
    plain = lower.replace("_", "").replace("-", "")
    flags = "--" in lower
    for name in _NAMES:
        if name in plain:
            behind = [part[:_AFTER] for part in plain.split(name)[1:]]
            if flags or any(":" in part or "=" in part for part in behind):
                return True
    return False
