"""Which extensions run where: the rules that Gemini CLI and Qwen Code have in common."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def why_off(name: str, listed: Mapping[str, object], directory: str) -> str:
    """Why the hooks of an extension do not run in a directory, "" if they do.

    The last of its rules that fits the directory decides; without one it is enabled. A rule is a path with a slash at both
    ends, `*` for any rest, and `!` in front if it disables.
    """
    extension = listed.get(name)
    rules = extension.get("overrides") if isinstance(extension, dict) else None
    starts = {os.path.join(start, "") for start in (directory, os.path.realpath(directory))}
    enabled = True
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, str) and any(map(_regex_of(rule.removeprefix("!")).fullmatch, starts)):
            enabled = not rule.startswith("!")
    return "" if enabled else "the extension is disabled for this directory"


def _regex_of(rule: str) -> re.Pattern[str]:
    parts = re.split(r"(/?\*)", rule)
    return re.compile("".join(f"(?:{part[:-1]}.*)?" if part.endswith("*") else re.escape(part) for part in parts))
