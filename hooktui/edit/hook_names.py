"""What a new hook is called: suggested, and looked at as it is typed, by the rules of `check`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.formats.agenthooks import frontmatter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from hooktui.core.model import Hook, Scope

_SUGGESTED = 40  # characters of a name that is made up
_ESCAPES = re.compile(r"\\[A-Za-z]")  # of a regex: no letters of what it looks for


def suggested(event: str, tool: str | None, pattern: str | None, taken: Collection[str]) -> str:
    """A name for a hook that got none: told from what it looks for, and not one of those that are taken."""
    sought = frontmatter.portable_name(_ESCAPES.sub("-", pattern or tool or ""))
    words = f"{'no' if event == 'pre-tool-call' else 'on'}-{sought}" if sought else f"on-{frontmatter.portable_name(event)}"
    name = words[:_SUGGESTED].strip("-")
    return next(one for one in _numbered(name) if one not in taken)


def fault(name: str) -> str | None:
    """Why a hook cannot be called this, a sentence for the person; None when it can."""
    plain = name.isprintable() and name == name.strip() and name and name[0] not in ".-" and not set(name) & set("/\\")
    if not plain:
        return f"{name!r} is no plain directory name: use letters, digits and hyphens, like block-dangerous"
    return f"a hook's name has at most {frontmatter.NAME_LIMIT} characters" if len(name) > frontmatter.NAME_LIMIT else None


def better(name: str) -> str:
    """What to call it instead: a name for every host; empty when it is one, or when nothing of it can stand in one."""
    return frontmatter.portable_name(name) if frontmatter.name_problem(name) or fault(name) else ""


def namesakes(name: str, scope: Scope, hooks: Iterable[Hook]) -> str:
    """What `check` would warn of in a HOOK.md of a scope beside these hooks, where one has its name; else empty."""
    same = {hook.scope: hook for hook in hooks if isinstance(hook.source, HookDirectory) and hook.name == name}
    if scope in same:
        return f"{name} is also the name of {paths.short(same[scope].file)}: both run"
    if scope == "project" and "user" in same:
        return f"{name} replaces the user's hook of the same name ({paths.short(same['user'].file)})"
    if scope == "user" and "project" in same:
        return f"{name} would be replaced by the project's hook of the same name ({paths.short(same['project'].file)})"
    return ""


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1
