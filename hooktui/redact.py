"""Secrets out of what is stored (contract.md, "The log"). A pattern is compiled only when its hint is in the text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MARK = "[redacted]"
_END = 65536  # kept of each end of a long text (contract.md: 64 KiB head, 64 KiB tail)
CAP = 2 * _END

# (what the text must hold, case ignored; what is a secret). A group named `keep` stays in front of the mark.
_SECRETS = (
    ("akia", r"\bAKIA[0-9A-Z]{16}\b"),
    ("asia", r"\bASIA[0-9A-Z]{16}\b"),
    ("gh", r"\bgh[pousr]_[A-Za-z0-9]{30,}"),
    ("github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{30,}"),
    ("glpat-", r"\bglpat-[A-Za-z0-9_-]{18,}"),
    ("npm_", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    ("xox", r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    ("sk-", r"\bsk-[A-Za-z0-9_-]{16,}"),
    ("sk_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("aiza", r"\bAIza[0-9A-Za-z_-]{30,}"),
    ("eyj", r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
    ("earer", r"(?P<keep>[Bb]earer\s+)[\w.~+/-]{12,}=*"),
    ("basic ", r"(?P<keep>[Bb]asic\s+)[A-Za-z0-9+/]{16,}=*"),
    ("://", r"(?P<keep>://[^/\s:@\"]{1,100}:)[^@/\s\"]{1,200}(?=@)"),
)
_NAMED_HINTS = (
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accountkey",
    "credential",
)
_NAMED = (
    r"(?i)(?P<keep>(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|accountkey|credentials?)"
    r"[\w-]{0,20}\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?)[^\s\"'\\,;&]{6,}"
)


def redact(text: str, own: Sequence[str] = ()) -> str:
    """The text with every known secret, and every match of the user's `own` regexes, replaced by a mark."""
    lower = text.lower()
    patterns = [pattern for hint, pattern in _SECRETS if hint in lower]
    if any(hint in lower for hint in _NAMED_HINTS):
        patterns.append(_NAMED)
    if not patterns and not own:
        return text
    import re

    for pattern in (*patterns, *own):
        text = re.sub(pattern, lambda found: (found.groupdict().get("keep") or "") + MARK, text)
    return text


def capped(text: str) -> str:
    """The first and last 64 KiB of a long text."""
    return text if len(text) <= 2 * _END else f"{text[:_END]}\n… {len(text) - 2 * _END} characters left out …\n{text[-_END:]}"
