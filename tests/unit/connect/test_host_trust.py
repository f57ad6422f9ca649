"""Connecting a host that asks for trust of its own says what is left to do there, and which hooks are trusted no more."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from hooktui import connect
from hooktui.hosts import codex

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.connect.world import World

GUARD = {"matcher": "Bash", "hooks": [{"type": "command", "command": "scripts/guard.sh"}]}


def trust(world: World, file: Path) -> None:
    """Trust the project, and every entry of a file as it is, as Codex remembers it."""
    lines = [f'[projects."{world.project}"]', 'trust_level = "trusted"']
    for _, place, entry in codex._entries_to_trust(json.loads(file.read_text())):
        text = json.dumps(entry, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).hexdigest()
        lines += [f'[hooks.state."{file}:{place}"]', f'trusted_hash = "sha256:{digest}"']
    world.write(world.home / ".codex/config.toml", "\n".join(lines))


def test_what_is_left_to_trust_is_said_with_the_observed_hooks(world: World) -> None:
    world.write(world.file("codex"), json.dumps({"hooks": {"PreToolUse": [GUARD]}}))
    [step] = connect.trust_steps(world.connect("codex", observe=True))
    assert step.startswith("Codex CLI runs hooktui and 1 observed hook only once you trust them there: ")
    plan = world.connect("gemini")
    assert connect.trust_steps(plan) == ()


def test_hooks_that_lose_their_trust_are_named_by_what_they_run(world: World) -> None:
    file = world.write(world.file("codex"), json.dumps({"hooks": {"PreToolUse": [GUARD]}}))
    trust(world, file)
    lost = "Codex CLI will not run these until you trust them there again: scripts/guard.sh"
    assert lost in connect.summary(world.connect("codex", observe=True))
    trust(world, file)
    assert lost in connect.summary(connect.disconnect("codex", str(world.project)))
