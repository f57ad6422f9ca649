"""The real Claude Code ignores a hook that was turned off, and still runs the hooks next to it."""

from __future__ import annotations

import json

from hooktui import hosts
from hooktui.core.model import Hook
from hooktui.edit.change_plan import carry_out
from hooktui.edit.switch import switch
from hooktui.formats.json_hooks import json_format
from tests.hosts.claude_code import ClaudeWorld

DENY = {"type": "command", "command": "cat >/dev/null; echo not so >&2; exit 2"}
NOTE = {"type": "command", "command": "cat >/dev/null; touch noted.txt"}


def test_a_denying_hook_that_is_off_denies_nothing_and_its_neighbour_runs(world: ClaudeWorld) -> None:
    alone, beside = {"matcher": "Bash", "hooks": [DENY]}, {"matcher": "Bash", "hooks": [NOTE, DENY]}
    settings = world.settings(".claude/settings.json")
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [alone, beside]}}))
    while denying := [hook for hook in _hooks(world) if hook.enabled and "not so" in hook.text]:
        carry_out(switch(denying[0], False), str(world.project))
    session = world.session()
    assert world.marker.exists()
    assert (world.project / "noted.txt").exists()
    assert "not so" not in session.heard


def _hooks(world: ClaudeWorld) -> list[Hook]:
    return [hook for hook in json_format.of(hosts.spec("claude")).discover(str(world.project)).hooks if hook.scope == "project"]
