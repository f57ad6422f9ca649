"""The real Copilot CLI and `hooktui run --format copilot` decide the same with Copilot's own hooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.hosts.hook_scripts import REASON, command
from tests.hosts.other_programs import CopilotWorld
from tests.hosts.scripted_model import say

_DENY = {"permissionDecision": "deny", "permissionDecisionReason": REASON}
_NESTED = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **_DENY}}
_BLOCK = {"decision": "block", "reason": REASON}
_GUARD = {"matcher": "Bash", "hooks": [{"type": "command", "command": command(_NESTED)}]}


@dataclass(frozen=True, slots=True)
class Row:
    """Entries of one event; `ran`: whether the tool ran; `told`: whether the model read the reason."""

    name: str
    entries: tuple[Mapping[str, Any], ...]
    ran: bool
    told: bool = False
    event: str = "preToolUse"


def _row(name: str, shell: str, ran: bool, told: bool = False, event: str = "preToolUse", /, **fields: Any) -> Row:
    return Row(name, ({"type": "command", "bash": shell, **fields},), ran, told, event)


POWERSHELL = {"type": "command", "powershell": "exit 0"}
_TRACE = {"type": "command", "bash": "cat > /dev/null; echo ran >> second.txt"}
ROWS = (
    _row("exit 2, whose stderr is lost", command("", REASON, 2), False),
    _row("exit 2 and a JSON denial", command(_DENY, "", 2), False, True),
    _row("a JSON denial", command(_DENY), False, True),
    _row("a nested denial under the Pascal spelling", command(_NESTED), False, True, "PreToolUse"),
    _row("a nested denial under the camel spelling", command(_NESTED), True),
    _row("a block at the top level", command(_BLOCK), True),
    _row("broken JSON", command('{"permissionDecision":'), True),
    _row("exit 1", command("", REASON, 1), False),
    _row("a missing script", "./missing.sh", False),
    _row("a timeout", "sleep 5; exit 2", True, timeoutSec=1),
    _row("a timeout in quotes", command(_DENY), True, timeoutSec="30"),
    _row("an empty matcher", command(_DENY), True, matcher=""),
    _row("a star as matcher under the camel spelling", command(_DENY), True, matcher="*"),
    _row("a star as matcher under the Pascal spelling", command(_NESTED), False, True, "PreToolUse", matcher="*"),
    _row("a list with a comma", command(_NESTED), True, False, "PreToolUse", matcher="Write, Bash"),
    _row("a regex for Claude's name", command(_NESTED), False, True, "PreToolUse", matcher="Ba.*"),
    _row("a regex for Copilot's own name", command(_NESTED), True, False, "PreToolUse", matcher="ba.*"),
    _row("Copilot's own name in a list", command(_NESTED), False, True, "PreToolUse", matcher="view|bash"),
    _row("a blank before a name", command(_NESTED), False, True, "PreToolUse", matcher=" bash"),
)


def test_copilot_does_what_it_was_seen_to_do(copilot: CopilotWorld) -> None:
    """The model makes a call for each row, which is a file of its own, and whose command passes the calls of the others."""
    for number, row in enumerate(ROWS):
        entries = [{**entry, "bash": f"grep -q 'touch {number}.ran' || exit 0; {entry['bash']}"} for entry in row.entries]
        copilot.write(f".github/hooks/{number}.json", {"version": 1, "hooks": {row.event: entries}})
    session = copilot.session(*(copilot.shell(f"touch {number}.ran") for number in range(len(ROWS))), say("all done"))
    results = session.heard.split("\ntool\n")[1:]
    did = {
        row.name: ((copilot.project / f"{number}.ran").exists(), REASON in results[number]) for number, row in enumerate(ROWS)
    }
    assert did == {row.name: (row.ran, row.told) for row in ROWS}


def test_an_entry_with_only_powershell_denies_on_linux(copilot: CopilotWorld) -> None:
    copilot.write(".github/hooks/own.json", {"version": 1, "hooks": {"preToolUse": [POWERSHELL]}})
    copilot.session()
    assert not copilot.marker.exists()


def test_a_denial_stops_the_later_hooks(copilot: CopilotWorld) -> None:
    entries = [{"type": "command", "bash": command(_DENY)}, _TRACE]
    copilot.write(".github/hooks/own.json", {"version": 1, "hooks": {"preToolUse": entries}})
    copilot.session()
    assert not copilot.marker.exists()
    assert not (copilot.project / "second.txt").exists()


def test_a_blocked_prompt_is_not_sent(copilot: CopilotWorld) -> None:
    entries = [{"type": "command", "bash": command(_BLOCK)}]
    copilot.write(".github/hooks/own.json", {"version": 1, "hooks": {"userPromptSubmitted": entries}})
    session = copilot.session()
    assert (session.turns, REASON in session.result) == (0, True)


def test_a_blocked_result_is_replaced(copilot: CopilotWorld) -> None:
    entries = [{"type": "command", "bash": command(_BLOCK)}]
    copilot.write(".github/hooks/own.json", {"version": 1, "hooks": {"postToolUse": entries}})
    assert f"Tool result blocked: {REASON}" in copilot.session().heard


def test_a_gate_blocks_at_most_eight_times(copilot: CopilotWorld) -> None:
    entries = [{"type": "command", "bash": command(_BLOCK)}]
    copilot.write(".github/hooks/own.json", {"version": 1, "hooks": {"agentStop": entries}})
    assert copilot.session(*(say(f"turn {number}") for number in range(20))).turns == 9


@pytest.mark.parametrize(("matchers", "runs"), [(("",), False), (("*", "Bash", None), True)])
def test_an_empty_matcher_loses_all_hooks_of_a_claude_file(
    copilot: CopilotWorld, matchers: tuple[str | None, ...], runs: bool
) -> None:
    true = {"hooks": [{"type": "command", "command": "true"}]}
    others = [true if matcher is None else true | {"matcher": matcher} for matcher in matchers]
    copilot.write(".claude/settings.json", {"hooks": {"PreToolUse": [_GUARD, *others]}})
    copilot.session()
    assert copilot.marker.exists() != runs


@pytest.mark.parametrize("file", [".claude/settings.json", ".github/copilot/settings.json"])
@pytest.mark.parametrize(
    ("matchers", "runs"),
    [
        ({"SessionStart": "", "PostToolUseFailure": "", "Stop": "", "SubagentStop": "", "SessionEnd": 5}, True),
        *(({event: ""}, False) for event in ("PostToolUse", "SubagentStart", "PreCompact", "Notification")),
    ],
)
def test_on_some_events_the_matcher_is_not_read(
    copilot: CopilotWorld, file: str, matchers: Mapping[str, object], runs: bool
) -> None:
    """An empty matcher loses the file on the others; a guard in it shows whether it is read."""
    groups = {
        event: [{"matcher": matcher, "hooks": [{"type": "command", "command": f"echo {event} >> fired.txt"}]}]
        for event, matcher in matchers.items()
    }
    copilot.write(file, {"hooks": {"PreToolUse": [_GUARD], **groups}})
    copilot.session()
    assert copilot.marker.exists() != runs
    fired = (copilot.project / "fired.txt").read_text().split() if runs else []
    assert fired == (["SessionStart", "Stop", "SessionEnd"] if runs else [])
