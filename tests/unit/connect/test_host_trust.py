"""Connecting a host that asks for trust of its own says what is left to do there, and which hooks are trusted no more."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from hooktui import connect
from hooktui.hosts import codex
from tests.command_world import CommandWorld
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


def test_codex_without_a_config_file_trusts_no_connection(tmp_path: Path) -> None:
    """As after a login: there is `auth.json` only."""
    world = CommandWorld(tmp_path)
    (world.home / ".codex").mkdir()
    (world.home / ".codex/auth.json").write_text("{}")
    for scope, step in (("project", "start `codex` there and trust it"), ("user", "review its hooks")):
        connected = world.run("connect", "codex", "--scope", scope, "--yes").stdout
        assert step in connected
        (state,) = world.run("status", "--json").json()["connections"]
        assert (state["works"], state["host_trust"]) == (False, "untrusted")
        assert step in state["why"]
        assert state["why"] in world.run("doctor", code=1).stdout
        assert state["why"] in world.run("status").stdout
        world.run("disconnect", "codex", "--scope", scope, "--yes")


def test_a_repository_for_codex_users_is_healthy_for_others(tmp_path: Path) -> None:
    world = CommandWorld(tmp_path)
    (world.project / ".codex").mkdir()
    (world.project / ".codex/hooks.json").write_text(json.dumps({"hooks": {"PreToolUse": [GUARD]}}))
    (world.project / "scripts").mkdir()
    (world.project / "scripts/guard.sh").write_text("#!/bin/sh\n")
    (world.project / "scripts/guard.sh").chmod(0o755)
    codes = {found["code"] for found in world.run("check", "--format", "json", PATH="/bin").json()["diagnostics"]}
    assert "host-untrusted" not in codes
