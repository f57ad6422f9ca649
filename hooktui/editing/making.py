"""A new hook, made by `hooktui new` or in the app: written, and approved when a person has just made it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from hooktui import approving, paths, trust
from hooktui.editing import templates
from hooktui.formats import agenthooks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    NewScope = Literal["user", "project"]

_ROOTS: Mapping[NewScope, Callable[[str], str]] = {
    "user": lambda _project: paths.agenthooks_user_root(),
    "project": paths.agenthooks_project_root,
}
SCOPES: tuple[NewScope, ...] = tuple(_ROOTS)


class Made(NamedTuple):
    """A new hook: its HOOK.md, its script, and the line of the script (1-based) where one goes on."""

    file: str
    script: str
    line: int


def make(project: str, scope: NewScope, draft: templates.Draft, *, approve: bool) -> Made:
    """Write a hook. `approve` it as it is: only what a person has asked for, there and then.

    Raises FileExistsError when there is something of that name already, OSError when it cannot be written.
    """
    file = templates.create(_ROOTS[scope](project), draft)
    if approve and scope != trust.OWN_SCOPE:
        made = agenthooks.read(file, scope).hooks
        approving.approve(project, [(hook, trust.digest(hook)) for hook in made])
    return Made(file, os.path.join(os.path.dirname(file), draft.entry), templates.line_to_edit(draft))
