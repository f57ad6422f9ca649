"""The guards of a project: the hooks that can deny an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.diagnostics import exit_rules
from hooktui.runner import trust

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.core.model import Hook


def of(hooks: Iterable[Hook], *, with_users: bool = False) -> tuple[Hook, ...]:
    """The guards among hooks, as far as their texts tell; of the user's own hooks only if asked for."""
    able = (hook for hook in hooks if may_decide(hook) and (with_users or not trust.is_own(hook)))
    return tuple(hook for hook in able if hook.type == "prompt" or exit_rules.may_block(hook.full_text))


def may_decide(hook: Hook) -> bool:
    """Whether a hook runs, and its host obeys a denial of its event."""
    is_able = hook.enabled and not hook.obstacle and not hook.calls_hooktui and not hook.is_async
    return is_able and hook.type in ("command", "prompt", "http") and hosts.spec(hook.format).can_deny(hook.event)
