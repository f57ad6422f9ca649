"""The outline of a session: rails of subagents and steps, marks."""

from __future__ import annotations

import pytest

from hooktui.core import ids
from hooktui.log.read import session_outline
from hooktui.log.read.reader import LogReader
from hooktui.log.read.session_outline import SessionEvent
from tests.log_world import NOON, LogWorld


def moments(*lines: str) -> list[SessionEvent]:
    """Events a second apart, each as "event tool decision"; tool and decision are optional."""
    made = []
    for second, line in enumerate(lines):
        event, tool, decision = [*line.split(" "), "", ""][:3]
        decision = decision or "none"
        made.append(SessionEvent(ids.at_time(NOON + second), event, tool or None, decision, 10.0, effect=decision))
    return made


def rails(events: list[SessionEvent], **keys: str) -> list[str]:
    """The rails of each event; `at0` is the key of the first."""
    keyed = {events[int(name[2:])].id: key for name, key in keys.items()}
    drawn = session_outline.outline(events, keyed).rails
    return [drawn.get(moment.id, "") for moment in events]


def test_subagent_ends_with_its_last_event_and_has_a_duration() -> None:
    events = moments("pre-subagent", "pre-tool-call Shell", "post-subagent")
    assert rails(events) == ["╭", "│", "╰"]
    assert session_outline.outline(events, {}).lasted == {events[2].id: 2.0}


def test_events_within_a_subagent_or_step_are_beside_its_rail() -> None:
    events = moments("pre-subagent", "pre-step", "pre-tool-call Shell", "post-tool-call Shell", "post-step", "post-subagent")
    assert rails(events) == ["╭", "│╭", "││", "││", "│╰", "╰"]


def test_concurrent_subagents_are_distinguished_by_id() -> None:
    events = moments("pre-subagent", "pre-subagent", "post-subagent", "post-subagent")
    assert rails(events, at0="a", at1="b", at2="a", at3="b") == ["╭", "│╭", "╰│", " ╰"]
    assert rails(events) == ["╭", "│╭", "│╰", "╰"]


def test_the_rail_of_a_subagent_passes_calls_of_the_main_agent_by() -> None:
    events = moments("pre-subagent", "pre-tool-call Shell", "pre-tool-call Edit", "post-subagent")
    assert rails(events, at0="a", at1="a", at3="a") == ["╭", "│", "", "╰"]


def test_blocked_ends_of_subagents_open_and_close_nothing() -> None:
    events = moments("pre-subagent  deny", "pre-subagent", "post-subagent  deny", "post-subagent")
    assert rails(events) == ["", "╭", "│", "╰"]


def test_number_of_rails_is_limited() -> None:
    events = moments(*["pre-step"] * 9, *["post-step"] * 9)
    assert max(map(len, rails(events))) == session_outline.outline(events, {}).width == session_outline.RAILS


def test_blocked_stops_and_loops_are_marked() -> None:
    gate = [f"pre-agent-turn-stop  {decision}" for decision in ("deny", "deny", "allow")]
    events = moments("pre-agent-turn", *["pre-tool-call Shell deny"] * 4, *gate)
    assert [session_outline.marks(events).get(moment.id, "") for moment in events] == [
        "", "", "", "loop ×3", "loop ×4", "stop blocked ×1", "stop blocked ×2", "stop passed",
    ]  # fmt: skip


def test_gate_that_failed_did_not_pass() -> None:
    (event,) = moments("pre-agent-turn-stop")
    assert session_outline.marks([event._replace(state="failed")]) == {event.id: "not checked"}


def test_scale_fits_all_but_the_longest() -> None:
    events = [SessionEvent(place, "pre-step", None, "none", 40.0) for place in range(99)]
    assert session_outline.scale_ms([*events, SessionEvent(100, "pre-step", None, "none", 9000.0)]) == 50.0
    assert session_outline.scale_ms([]) == 10.0


@pytest.mark.parametrize("key", ["agent_id", "subagent_name"])
async def test_payloads_identify_the_agent(log: LogWorld, reader: LogReader, key: str) -> None:
    for event, called in (("pre", "a"), ("pre", "b"), ("post", "a"), ("post", "b")):
        log.add(f"{event}-subagent", payload={key: called})
    log.add(payload={"long": "x" * 200_000})
    events = await reader.session_events(1)
    drawn = (await reader.outline(1, events)).rails
    assert [drawn.get(moment.id, "") for moment in events] == ["╭", "│╭", "╰│", " ╰", ""]
