"""Paths in commands that work only in one directory, on one machine, or without spaces (formats.md §3, the table)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hooktui.catalog import catalog
from hooktui.core import own_commands
from hooktui.edit import apply_fixes
from tests.unit.diagnostics.host_files import CLAUDE, VSCODE, found, grouped, one, put, script

if TYPE_CHECKING:
    from tests.unit.formats.agenthooks_world import World

SCRIPT = ".claude/hooks/guard.sh"


@pytest.fixture(autouse=True)
def _guard(world: World) -> None:
    script(world, "#!/bin/sh\nexit 0\n", SCRIPT)


def fixed(world: World, file: str = CLAUDE) -> str:
    """The command after all safe fixes."""
    loaded = catalog.load(str(world.project))
    apply_fixes.apply(apply_fixes.plan(loaded), loaded.hooks, str(world.project))
    (group,) = json.loads((world.project / file).read_text())["hooks"]["PreToolUse"]
    entry = group["hooks"][0]
    return " ".join([entry["command"], *entry.get("args", [])])


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (".claude/hooks/guard.sh", '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'),
        ("./.claude/hooks/guard.sh --fast", '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh --fast'),
        ("bash .claude/hooks/guard.sh", 'bash "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'),
        ("bash '.claude/hooks/guard.sh'", 'bash "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'),
        ('X=1 "./.claude/hooks/guard.sh"', 'X=1 "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'),
        ("cd .claude && hooks/guard.sh", None),
    ],
)
def test_relative_path_is_reported_and_anchored(world: World, command: str, meant: str | None) -> None:
    put(world, grouped(command), CLAUDE)
    only = one(world, "relative-path")
    assert only.severity == "warning"
    if meant:
        assert fixed(world) == meant
        assert found(world, "relative-path") == []


@pytest.mark.parametrize(
    "command",
    [
        '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh',
        'cd "$CLAUDE_PROJECT_DIR" && .claude/hooks/guard.sh',
        'cd "$(git rev-parse --show-toplevel)" && .claude/hooks/guard.sh',
        "~/.claude/hooks/guard.sh || true",
        "npm run lint",
        "echo .claude/hooks/guard.sh",
    ],
)
def test_path_that_is_found_from_everywhere_is_fine(world: World, command: str) -> None:
    put(world, grouped(command), CLAUDE)
    assert found(world, "relative-path") == []


def test_relative_path_is_fine_where_hooks_run_in_the_project(world: World) -> None:
    put(world, grouped(SCRIPT), VSCODE)
    assert found(world, "relative-path") == []


def test_relative_argument_of_a_program_is_anchored(world: World) -> None:
    entry = {"type": "command", "command": "bash", "args": [SCRIPT, "--fast"]}
    put(world, json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}), CLAUDE)
    assert one(world, "relative-path").fix is not None
    assert fixed(world) == f"bash ${{CLAUDE_PROJECT_DIR}}/{SCRIPT} --fast"


def test_missing_script_is_reported_once(world: World) -> None:
    put(world, grouped(".claude/hooks/gone.sh"), CLAUDE)
    assert one(world, "missing-script").severity == "error"
    assert found(world, "relative-path") == []


def test_project_directory_without_quotes_is_a_note_and_quoted(world: World) -> None:
    put(world, grouped(f"$CLAUDE_PROJECT_DIR/{SCRIPT} && ${{CLAUDE_PROJECT_DIR}}/{SCRIPT}"), CLAUDE)
    assert one(world, "unquoted-path").severity == "info"
    assert fixed(world) == f'"$CLAUDE_PROJECT_DIR"/{SCRIPT} && "${{CLAUDE_PROJECT_DIR}}"/{SCRIPT}'


@pytest.mark.parametrize(
    "command",
    [
        f'"$CLAUDE_PROJECT_DIR/{SCRIPT}"',
        f'DIR=$CLAUDE_PROJECT_DIR; "$DIR/{SCRIPT}"',
        "[[ -d $CLAUDE_PROJECT_DIR ]]",
        "echo '$CLAUDE_PROJECT_DIR'",
    ],
)
def test_value_that_the_shell_does_not_split_is_fine(world: World, command: str) -> None:
    put(world, grouped(command), CLAUDE)
    assert found(world, "unquoted-path") == []


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("/Users/nobody-here/shop/.claude/hooks/guard.sh", f'"$CLAUDE_PROJECT_DIR"/{SCRIPT}'),
        ("bash /home/nobody-here/.claude/hooks/guard.sh -x", f'bash "$CLAUDE_PROJECT_DIR"/{SCRIPT} -x'),
        ("bash 'C:\\shop\\.claude\\hooks\\guard.sh'", f'bash "$CLAUDE_PROJECT_DIR"/{SCRIPT}'),
    ],
)
def test_path_of_another_machine_becomes_the_projects(world: World, command: str, meant: str) -> None:
    put(world, grouped(command), CLAUDE)
    only = one(world, "missing-script")
    assert "is a path on another machine" in only.message
    assert only.hint.startswith(f"the project has it at {SCRIPT}: write ")
    assert fixed(world) == meant
    assert found(world, "missing-script") == []


def test_path_of_another_machine_without_a_twin_has_no_fix(world: World) -> None:
    put(world, grouped("/Users/nobody-here/tools/other.sh"), CLAUDE)
    assert one(world, "missing-script").fix is None


def test_user_hook_is_anchored_at_home(world: World) -> None:
    file = world.home / ".claude/settings.json"
    os.makedirs(world.home / ".claude/hooks")
    (world.home / SCRIPT).write_text("#!/bin/sh\n")
    file.write_text(grouped(f"bash {SCRIPT}"))
    assert one(world, "relative-path").hint == f'write "$HOME"/{SCRIPT}'


@pytest.mark.parametrize(
    ("command", "event", "effect"),
    [
        (f"python3 {SCRIPT}", "PreToolUse", "python3 exits 2 and Claude Code denies the tool"),
        (f"python3 {SCRIPT}", "UserPromptSubmit", "python3 exits 2 and Claude Code blocks"),
        (f"python3 {SCRIPT}", "Stop", "the hook fails"),  # Claude Code lets a gate without its script pass
        (f"bash {SCRIPT}", "PreToolUse", "the hook fails"),
        (f"python3 {SCRIPT} || exit 1", "PreToolUse", "the hook fails"),
        (f"./{SCRIPT}", "PreToolUse", "the hook fails"),
    ],
)
def test_relative_path_states_what_its_interpreter_does_without_the_script(
    world: World, command: str, event: str, effect: str
) -> None:
    put(world, grouped(command, event), CLAUDE)
    assert one(world, "relative-path").message.endswith(f"changes directory, {effect}")


@pytest.mark.parametrize(
    "command",
    [f"bash -e {SCRIPT}", f"sh -eu {SCRIPT}", f"npx tsx {SCRIPT}", f"node --import tsx {SCRIPT}", f"bash -o pipefail {SCRIPT}"],
)
def test_script_behind_the_options_of_its_interpreter_is_anchored(world: World, command: str) -> None:
    put(world, grouped(command), CLAUDE)
    assert fixed(world) == command.replace(SCRIPT, f'"$CLAUDE_PROJECT_DIR"/{SCRIPT}')


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (f"bash {SCRIPT} 'a b'", f"""bash "$CLAUDE_PROJECT_DIR"/{SCRIPT} 'a b'"""),
        (f"echo 'é'; bash './{SCRIPT}'", f"""echo 'é'; bash "$CLAUDE_PROJECT_DIR"/{SCRIPT}"""),
        (f"$CLAUDE_PROJECT_DIR/{SCRIPT} 'a b'", f""""$CLAUDE_PROJECT_DIR"/{SCRIPT} 'a b'"""),
    ],
)
def test_path_in_an_observed_command_is_reported_at_its_place_and_fixed(world: World, command: str, meant: str) -> None:
    observed = own_commands.wrapped_literal(json.dumps(command), "claude", "/bin/sh")
    put(world, grouped("X").replace('"X"', observed), CLAUDE)
    (only,) = [*found(world, "relative-path"), *found(world, "unquoted-path")]
    line = (world.project / CLAUDE).read_text().split("\n")[only.line - 1]
    assert line[only.column - 1 :].startswith((SCRIPT, "'\\\"'\\\"'./", "$CLAUDE_PROJECT_DIR"))
    assert own_commands.original(fixed(world), "claude") == meant


def test_path_that_occurs_twice_has_no_fix(world: World) -> None:
    put(world, grouped(f"[ -x ./{SCRIPT} ] && ./{SCRIPT} || exit 0"), CLAUDE)
    assert one(world, "relative-path").fix is None


PLUGIN = "hooks/hooks.json"


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("./scripts/a.sh", '"${CLAUDE_PLUGIN_ROOT}"/scripts/a.sh'),
        ("bash scripts/a.sh --quiet", 'bash "${CLAUDE_PLUGIN_ROOT}"/scripts/a.sh --quiet'),
        ('bash "$CLAUDE_PROJECT_DIR"/scripts/a.sh', 'bash "${CLAUDE_PLUGIN_ROOT}"/scripts/a.sh'),
        ('bash "${CLAUDE_PLUGIN_ROOT}/scripts/a.sh"', None),
        ("bash scripts/of-the-user.sh", None),
    ],
)
def test_script_of_a_plugin_is_anchored_at_the_plugin(world: World, command: str, meant: str | None) -> None:
    put(world, '{"name": "guards"}', ".claude-plugin/plugin.json")
    script(world, "#!/bin/sh\n", "scripts/a.sh")
    put(world, grouped(command), PLUGIN)
    assert bool(found(world, "relative-path")) == (meant is not None)
    assert fixed(world, PLUGIN) == (meant or command)
    assert found(world, "relative-path") == []


def test_quoted_tilde_becomes_the_home(world: World) -> None:
    os.makedirs(world.home / "bin")
    (world.home / "bin/guard.sh").write_text("exit 0\n")
    put(world, grouped('bash "~/bin/guard.sh"'), CLAUDE)
    assert "~ is in quotes" in one(world, "missing-script").message
    assert fixed(world) == 'bash "$HOME"/bin/guard.sh'
    assert found(world, "missing-script") == []


@pytest.mark.parametrize(
    ("command", "file", "effect"),
    [
        ("python3 gone.py", CLAUDE, "python3 exits 2 and Claude Code denies the tool"),
        ("python3 gone.py", VSCODE, "python3 exits 2 and VS Code denies the tool"),
        ("node gone.js", CLAUDE, "the hook fails every time it runs"),
        ("grep -q x && python3 gone.py", CLAUDE, "the hook fails when it calls the script"),
    ],
)
def test_missing_script_states_what_its_interpreter_does(world: World, command: str, file: str, effect: str) -> None:
    put(world, grouped(command), file)
    assert one(world, "missing-script").message.endswith(effect)


def test_missing_script_denies_every_tool_where_failures_deny(world: World) -> None:
    entry = {"type": "command", "bash": "./gone.sh"}
    put(world, json.dumps({"version": 1, "hooks": {"preToolUse": [entry]}}), ".github/hooks/copilot.json")
    assert one(world, "missing-script").message.endswith("the hook fails and Copilot CLI denies the tool")
