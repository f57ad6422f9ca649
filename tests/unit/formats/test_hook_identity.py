"""The identity and label of hooks without a name of their own (contract.md, `id` and `label`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.formats.json_world import CLAUDE, claude, read

if TYPE_CHECKING:
    from hooktui.core.model import Hook, Scope


def hooks(*commands: str | dict[str, Any], matcher: str = "Bash", event: str = "PreToolUse") -> tuple[Hook, ...]:
    entries = [entry if isinstance(entry, dict) else {"type": "command", "command": entry} for entry in commands]
    return read(claude, json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": entries}]}}), CLAUDE).hooks


def test_entry_above_changes_neither_id_nor_label() -> None:
    (guard,) = hooks("./guard.sh")
    other, moved = hooks("echo formatter", "./guard.sh")
    assert (moved.identity, moved.label, moved.version) == (guard.identity, guard.label, guard.version)
    assert moved.name != guard.name
    assert other.identity != guard.identity


def test_repeated_entry_is_numbered() -> None:
    first, second = hooks("./guard.sh", "./guard.sh")
    assert second.identity == f"{first.identity}#2"
    assert (first.label, second.label) == ("guard.sh", "guard.sh (2)")


@pytest.mark.parametrize("change", [{"matcher": "Edit"}, {"event": "PostToolUse"}])
def test_matcher_and_event_are_part_of_the_identity(change: dict[str, str]) -> None:
    assert hooks("./guard.sh", **change)[0].identity != hooks("./guard.sh")[0].identity


def test_files_of_different_scopes_share_no_id() -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}})
    scopes: tuple[Scope, ...] = ("user", "project", "local")
    found = [claude.parse(text, "/p/.claude/settings.json", scope).hooks[0].identity for scope in scopes]
    assert len(set(found)) == len(scopes)


@pytest.mark.parametrize(
    ("entry", "label"),
    [
        ("python3 .claude/hooks/guard.py --strict", "guard.py"),
        ('"$CLAUDE_PROJECT_DIR"/.claude/hooks/block-dangerous.sh', "block-dangerous.sh"),
        ("cd sub && ./check", "check"),
        ("ruff format --quiet .", "ruff format"),
        ("/opt/tools/audit --all", "audit"),
        ("true", "true"),
        ("cat >/dev/null; sleep 9", "sleep 9"),
        ("cat >/dev/null; exit 2", "exit 2"),
        ("# no force pushes\ngit diff --quiet || exit 2", "git diff"),
        ('FOO=1; c=$(jq -r .tool_input.command); deploy-guard "$c"', "deploy-guard $c"),
        ("if [ -f x ]; then npx -y prettier --check .; fi", "prettier --check"),
        ("test -f /tmp/x || exit 2", "exit 2"),
        ("[ -x x ] && uvx ruff check", "ruff check"),
        ("pnpm exec eslint .", "eslint ."),
        ("python3 -m tools.guard --all", "tools.guard --all"),
        ("env A=1 timeout 5 nice -n 3 make lint", "make lint"),
        ("jq -r .tool_input.file_path | xargs -r npx prettier --write", "prettier --write"),
        ("echo x | notify --all", "notify --all"),
        ("jq -e . >/dev/null || exit 2", "jq -e"),
        ("python3 -c 'import json\nprint(1)'", "python3 import json"),
        ("node -e 'process.exit(2)'", "node process.exit(2)"),
        ("bash -c 'cargo fmt --check || exit 2'", "cargo fmt"),
        ("npm run lint", "npm run"),
        ("echo 'a quotation", "echo 'a"),
        ({"type": "http", "url": "https://rules.example.com/hooks?x=1"}, "rules.example.com/hooks"),
        ({"type": "http", "url": "https://[::1"}, "https://[::1"),
        ({"type": "prompt", "prompt": "\nWas every test run?\nSay so."}, "Was every test run?"),
        ({"type": "command", "command": "x" * 60}, f"{'x' * 39}…"),
    ],
)
def test_hook_is_called_by_what_it_runs(entry: str | dict[str, Any], label: str) -> None:
    event = "Stop" if isinstance(entry, dict) else "PreToolUse"
    assert hooks(entry, event=event)[0].label == label
