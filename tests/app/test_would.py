"""`would:` on the screens: what today's hooks would decide on the past. Their matchers answer at once, they run when asked."""

from __future__ import annotations

from tests.app.decision_world import DecisionWorld, decided, live, world
from tests.app.hook_world import shown, type_text, until, until_shown

__all__ = ["decided", "world"]

_SIZE = (120, 40)
_NO_PUSH = '#!/bin/sh\nif grep -q "git push"; then echo "ask first" >&2; exit 2; fi\n'


def pushed(world: DecisionWorld) -> None:
    """A guard of today, and two sessions of the past: one with a call that it would deny, one with a call that it would not."""
    world.hooks.add("no-push", scope="user", script=_NO_PUSH, front="matcher:\n  tool: Bash\n")
    for command in ("git push", "ls"):
        payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
        world.add(tool="Bash", session=f"to {command}", host="claude", payload=payload)
        world.add("post-session", session=f"to {command}", host="claude")


async def test_live_shows_what_todays_hooks_match_and_when_asked_what_they_would_deny(decided: DecisionWorld) -> None:
    pushed(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        await until(pilot, lambda: pilot.app.catalog)  # type: ignore[attr-defined]
        await pilot.press("slash")
        await type_text(pilot, "would:deny")
        await until_shown(pilot, "2 events match", "R runs today's hooks on them", "2 of 4", "· match")
        await pilot.press("enter", "R")
        await until(pilot, lambda: len(screen.decisions.results) == 1)
        await until_shown(pilot, "Bash git push", "·         ✕ deny", "1 of 4", "today's hooks as of")
        assert "2 events match" not in shown(pilot)
        before = pilot.app.catalog  # type: ignore[attr-defined]
        pilot.app.reload()  # type: ignore[attr-defined]
        await until(pilot, lambda: pilot.app.catalog is not before)  # type: ignore[attr-defined]
        decided.add("post-session", session="later", host="claude")
        await pilot.press("R")
        await until_shown(pilot, "1 of 5", "·         ✕ deny")


async def test_sessions_counts_what_todays_hooks_would_deny_and_says_what_is_wrong_with_would(decided: DecisionWorld) -> None:
    pushed(decided)
    async with decided.running("2 sessions", key="3") as pilot:
        await until(pilot, lambda: pilot.app.catalog)  # type: ignore[attr-defined]
        await pilot.press("slash")
        await type_text(pilot, "would:deny")
        await until_shown(pilot, "2 events match", "Today", "matches 1")
        await pilot.press("enter", "R")
        await until_shown(pilot, "1 session", "to git push", "today's hooks as of", "R asks again")
        assert "to ls" not in shown(pilot)
        payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push -f"}}
        decided.add(tool="Bash", session="later", host="claude", payload=payload)
        await pilot.press("R")
        await until_shown(pilot, "1 event match", "later")
        await pilot.press("escape")
        await until_shown(pilot, "3 sessions", "In hooks")
        await pilot.press("slash")
        await type_text(pilot, "would:dny")
        await until_shown(pilot, "would:dny: unknown would: did you mean deny?")
