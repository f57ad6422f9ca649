"""Scripts for HOOK.md hooks, and commands for a host's own hooks."""

from __future__ import annotations

import json

REASON = "not while the moon is full"
DENIES = f"#!/bin/sh\ncat > /dev/null\necho {REASON} >&2\nexit 2\n"


def answering(**answer: object) -> str:
    """A script that gives this answer."""
    return f"#!/bin/sh\ncat > /dev/null\ncat <<'END'\n{json.dumps(answer)}\nEND\n"


def command(answer: object = "", stderr: str = "", code: int = 0) -> str:
    """A shell command that reads its stdin and gives this answer."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return f"cat > /dev/null; printf '%s' '{text}'; printf '%s' '{stderr}' >&2; exit {code}"
