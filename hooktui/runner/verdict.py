"""Whether a hook runs, or the first reason to skip it (`skip` in contract.md)."""

from __future__ import annotations

from hooktui import hosts
from hooktui.core import events
from hooktui.core.model import JsonEntry
from hooktui.runner import matching
from hooktui.runner.matching import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hooktui.core.model import Event, Hook
    from hooktui.core.settings import DispatchContext


class Judge:
    """Judges the hooks of one dispatch in order."""

    def __init__(self, hooks: Sequence[Hook], event: Event, context: DispatchContext) -> None:
        self._hooks = hooks
        self._context = context
        self._event = event
        self._denials: int | None = None
        self._seen: set[tuple[Any, ...]] = set()
        self._matched: dict[tuple[Any, ...], Verdict] = {}  # by matcher, of the event as rewritten so far

    def verdict(self, hook: Hook, event: Event, blocker: str | None) -> Verdict:
        """The verdict on a hook. `event` is the event as rewritten so far, `blocker` the hook that has blocked it."""
        if unfit := self._never_runs(hook) or self._unapproved(hook):
            return unfit
        verdict = self._match(hook, event)
        return verdict if verdict.skip else self._held_back(hook, blocker) or verdict

    def _match(self, hook: Hook, event: Event) -> Verdict:
        """Match an event; equal matchers are evaluated once."""
        if event is not self._event:
            self._event = event
            self._matched.clear()
        matcher = (hook.format, hook.event_as_written, hook.tool, hook.pattern, hook.condition)
        if matcher not in self._matched:
            self._matched[matcher] = matching.match(hook, event)
        return self._matched[matcher]

    def _never_runs(self, hook: Hook) -> Verdict | None:
        """Why the hook does not run on any event of this agent."""
        if not hook.enabled:
            return Verdict(skip="disabled", why=hook.why_disabled or "it is disabled")
        if hook.calls_hooktui:
            return Verdict(skip="duplicate", why="it calls hooktui, which is already running")
        if hook.obstacle:
            return Verdict(skip=hook.obstacle.skip, why=hook.obstacle.why)
        rival = next((rival for rival in hook.rivals if self._context.trust(rival) == "trusted"), None)
        if rival:
            return Verdict(skip="overridden", why="replaced by the project's hook of the same name")
        return self._of_another_agent(hook)

    def _of_another_agent(self, hook: Hook) -> Verdict | None:
        """Whether the hook runs only for an agent, or while a skill is in use, that the event does not come from."""
        agent = self._event.agent_name
        if hook.agent is None:
            is_part = isinstance(hook.source, JsonEntry) and hook.source.part and not self._context.synthetic
            return Verdict(skip="agent-mismatch", why=f"runs only while the {hook.owner} is in use") if is_part else None
        if agent == hook.agent or (hook.scope == "agent" and not agent):  # Azure names no agent for the main one
            return None
        return Verdict(skip="agent-mismatch", why=f"belongs to agent {hook.agent}, not to {agent or 'the main agent'}")

    def _unapproved(self, hook: Hook) -> Verdict | None:
        """Whether a project's hook is not approved. Asked before its matcher, which is the project's code as well."""
        trust = self._context.trust(hook.id)
        if trust in ("user", "trusted"):
            return self._uncovered(hook)
        return Verdict(skip="untrusted", why="changed since its approval" if trust == "changed" else "not approved")

    def _uncovered(self, hook: Hook) -> Verdict | None:
        """Whether the user refuses a hook because its approval does not cover all that it loads."""
        verified = self._context.verified(hook.id) if self._context.require_covered else None
        if not verified or not verified.gaps:
            return None
        return Verdict(skip="untrusted", why=f"not covered by its approval: {verified.gaps[0]}")

    def _held_back(self, hook: Hook, blocker: str | None) -> Verdict | None:
        """Why a hook that matches does not run now."""
        limit = self._gate_limit(hook)
        if limit and (denials := self._gate_denials(hook)) >= limit:
            return Verdict(skip="gate-limit", why=f"the gate has denied {denials} times in a row; the limit is {limit}")
        if self._is_duplicate(hook):
            return Verdict(skip="duplicate", why="the same handler already runs from another file")
        return Verdict(skip="blocked-earlier", why=f"blocked earlier by {blocker}") if blocker else None

    def _gate_limit(self, hook: Hook) -> int:
        """The limit of denials in a row for a hook's host, 0 for none (formats.md §2 "gate", §4 "maxRejections")."""
        if self._event.name != events.GATE:
            return 0
        running = (other for other in self._hooks if not self._never_runs(other))
        return hosts.spec(hook.format).gate_limit(hook, running, self._context.gate_limit)

    def _gate_denials(self, hook: Hook) -> int:
        reported = hosts.spec(hook.format).gate_denials(self._event)
        if reported is not None:
            return reported
        if self._denials is None:
            self._denials = self._context.denials_in_a_row()
        return self._denials

    def _is_duplicate(self, hook: Hook) -> bool:
        """Whether the host has already run this handler, from another file (formats.md §3, "order")."""
        once_per = hosts.spec(hook.format).scheduling.once_per
        if not once_per:
            return False
        name = hook.metadata.get("name") if once_per == "handler and name" else None
        handler = (hook.type, hook.command, hook.url, hook.prompt, hook.argv, name)
        seen = handler in self._seen
        self._seen.add(handler)
        return seen
