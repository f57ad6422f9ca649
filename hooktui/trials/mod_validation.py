"""Ask Claude Code itself what a mod registers: `claude plugin validate`, which reads the module and does not run it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hooktui import hosts
from hooktui.core.model import Hook, Mod

_TIMEOUT_S = 60.0


class ValidationError(Exception):
    """Claude Code could not be asked; the message says why."""


def validate(mod: Hook, listed: Sequence[Hook]) -> tuple[bool, str]:
    """Whether Claude Code loads a mod and registers what is listed of it, and what it says, in a sentence. Blocks.

    Raises ValidationError.
    """
    assert isinstance(mod.source, Mod)
    told = _asked(mod.source.plugin_root)
    refused = [str(error.get("message")) for part in _parts(told) for error in part.get("errors") or ()]
    if refused:
        return False, f"Claude Code does not load {mod.label}: {refused[0]}"
    registered = [
        str(hook.get("pattern")) for part in _parts(told) for each in part.get("modules") or () for hook in each["hooks"]
    ]
    ours = [hook.event_as_written for hook in listed if hook.plugin == mod.plugin and hook.type == "mod"]
    events = ", ".join(registered) or "nothing"
    if Counter(registered) != Counter(ours):
        return False, f"Claude Code registers {events} for {mod.label}; hooktui lists {', '.join(ours)}"
    return True, f"Claude Code agrees: {mod.label} registers {events}"


def _parts(told: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from (part for part in (told.get("manifest"), *(told.get("contents") or ())) if isinstance(part, dict))


def _asked(root: str) -> Mapping[str, Any]:
    program = next(filter(None, map(shutil.which, hosts.spec("claude").programs)), None)
    if program is None:
        raise ValidationError("Claude Code is not installed here, or not on PATH")
    command = [program, "plugin", "validate", root, "--json"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, stdin=subprocess.DEVNULL, check=False
        )
        told = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise ValidationError(
            "This Claude Code cannot say what a mod registers: `claude plugin validate --json` failed"
        ) from error
    if not isinstance(told, dict):
        raise ValidationError("`claude plugin validate --json` did not print an object")
    return told
