"""Messages name what the host ignores, which hooks it loses, and what to write instead."""

from __future__ import annotations

import json

import pytest

from tests.unit.diagnostics.host_files import CLAUDE, found, grouped, one, put
from tests.unit.formats.agenthooks_world import World

SKILL = "---\nname: s\ndescription: s\nhooks:\n  PreToolUse:\n    - command: 'true'\n---\n"


@pytest.mark.parametrize(
    ("file", "noun"), [("skills/s/SKILL.md", "skill"), ("agents/s.md", "agent"), ("commands/s.md", "command")]
)
def test_markdown_file_loses_its_hooks_only(world: World, file: str, noun: str) -> None:
    put(world, SKILL, f".claude/{file}")
    assert one(world, "host-skips-file").message.startswith(f"Claude Code ignores the hooks of this {noun}: ")


@pytest.mark.parametrize(
    ("file", "text", "lost"),
    [
        (
            ".codex/config.toml",
            '[mcp_servers.a]\ncommand = "npx"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "guard"\n[mcp_servers.a]\n',
            ". Its hook guard does not run.",
        ),
        (
            CLAUDE,
            '{"mcpServers": {"a": {"command": "npx"}}, "hooks": {"Stop": [{"command": "guard"}',
            ". Its hook guard does not run.",
        ),
    ],
)
def test_file_that_cannot_be_read_loses_hooks_and_no_servers(world: World, file: str, text: str, lost: str) -> None:
    put(world, text, file)
    message = one(world, "host-skips-file").message
    assert "npx" not in message
    assert message.endswith(lost)


def test_batch_variable_is_told_instead_of_a_script_to_create(world: World) -> None:
    put(world, grouped(r'bash "%CLAUDE_PROJECT_DIR%\.claude\hooks\lint.sh"', matcher="Bash"), CLAUDE)
    only = one(world, "missing-script")
    assert "no shell expands %CLAUDE_PROJECT_DIR%" in only.message
    assert only.hint == 'write "$CLAUDE_PROJECT_DIR" and / between directories'
    assert only.fix is None


@pytest.mark.parametrize(
    ("file", "event", "shape"),
    [
        (CLAUDE, "pre_tool_use", '"PreToolUse": [{"hooks": [{"type": "command", "command": "x y"}]}]'),
        (".cursor/hooks.json", "pre_tool_use", '"preToolUse": [{"type": "command", "command": "x y"}]'),
    ],
)
def test_command_at_a_misspelt_event_is_told_the_whole_shape(world: World, file: str, event: str, shape: str) -> None:
    put(world, json.dumps({"version": 1, "hooks": {event: "x y"}}), file)
    hints = {problem.hint for code in ("unknown-event", "host-skips-file") for problem in found(world, code)}
    assert f"write {shape}" in hints
