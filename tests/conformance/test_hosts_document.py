"""The answers and manual configurations in docs/hosts.md are those of the program."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hooktui import hosts
from hooktui.connect import SITES
from hooktui.core import events, own_commands
from hooktui.core.model import Dispatch, Event

if TYPE_CHECKING:
    from collections.abc import Mapping

DOCUMENT = (Path(__file__).parents[2] / "docs/hosts.md").read_text()
WHY = "the moon is full"
# The merged answer of several hooks, by the column of the table.
EFFECTS: Mapping[str, dict[str, Any]] = {
    "deny": {"decision": "deny", "reason": WHY},
    "ask": {"decision": "ask", "reason": WHY},
    "allow": {"decision": "allow", "reason": WHY},
    "rewrite": {"modified_input": {"command": WHY}},
    "context": {"additional_context": (WHY,)},
    "stop": {"decision": "stop", "reason": WHY},
    "message": {"system_messages": (WHY,)},
}
AZURE = ("Stop", "PreToolUse", "PostToolUse")
# How an answer reaches its host, by the first of these that it contains.
WAYS = (
    ('"permission": "deny"', "deny"),
    ('"followup_message"', "block"),
    ('"updated_input"', "yes"),
    ('"additional_context"', "model"),
    ('"continue": false', "stops"),
    ('"decision": "block"', "block"),
    ('"permissionDecision": "deny"', "deny"),
    ('"permissionDecision": "', "yes"),
    ('"updatedInput"', "yes"),
    ('"tool_input"', "yes"),
    ('"input"', "yes"),
    ('"modifiedArgs"', "yes"),
    ('"systemMessage"', "user"),
    ('"additionalContext"', "model"),
    ('"context"', "model"),
    ('"message"', "model"),
    ('"decision": "allow"', "yes"),
)


@pytest.mark.parametrize(
    "host", ["claude", "vscode", "copilot", "codex", "gemini", "qwen", "kimi", "opencode", "cursor", "droid", "azure"]
)
def test_the_table_says_what_the_host_is_answered(host: str) -> None:
    assert "\n".join(_table(host)) in DOCUMENT


@pytest.mark.parametrize("host", [name for name, site in SITES.items() if site.wiring.entry])
def test_what_to_write_by_hand_is_what_connect_writes(host: str) -> None:
    place = SITES[host]
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", DOCUMENT, re.DOTALL)]
    blocks += map(tomllib.loads, re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL))
    names = [name for name in place.events() if events.canonical(name) in ("pre-tool-call", events.GATE)]
    blank = json.loads(place.spec.entry.blank or "{}")
    entries = {name: [place.entry(name)] for name in names}
    listed = [entry for group in entries.values() for entry in group] if place.spec.entry.event_key else entries
    written = json.dumps({**blank, **(entries if place.spec.files[0].bare else {"hooks": listed})})
    by_hand = written.replace(f"{own_commands.launcher()} ", "/path/to/python -I -m hooktui run --host ")
    assert json.loads(by_hand) in blocks


def _table(host: str) -> list[str]:
    names = AZURE if host == "azure" else SITES[host].events()
    rows = [[f"`{name}`", *(_way(host, name, effect) for effect in EFFECTS.values())] for name in names]
    head = ["event", *EFFECTS]
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def _way(host: str, name: str, effect: dict[str, Any]) -> str:
    event = Event(
        name=events.canonical(name) or name,
        as_written=name,
        known=True,
        host=host,
        session_id="s",
        work_dir="/",
        timestamp="",
    )
    answer = hosts.answer(host, Dispatch(id=1, event=event, project="/", runs=(), **effect))
    if "modified_input" in effect and event.name != "pre-tool-call":
        return ""  # no other event has an input to rewrite
    if answer.exit_code:
        return "exit 2"
    return next((way for sign, way in WAYS if sign in answer.stdout), "log")
