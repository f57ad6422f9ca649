"""Paths in commands that work only in one directory, on one machine, or without spaces (formats.md §3, the table)."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from hooktui import diagnostics
from hooktui.catalog import catalog
from hooktui.edit import apply_fixes
from hooktui.scripts import hooktui_commands
from tests.unit.diagnostics.host_files import CLAUDE, VSCODE, found, grouped, one, put, script
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
        ("/usr/bin/env bash .claude/hooks/guard.sh", '/usr/bin/env bash "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'),
        (
            "powershell -NoProfile -ExecutionPolicy Bypass -File .claude/hooks/guard.sh",
            'powershell -NoProfile -ExecutionPolicy Bypass -File "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh',
        ),
        ("pwsh -ep Bypass -f .claude/hooks/guard.sh", 'pwsh -ep Bypass -f "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'),
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


@pytest.mark.parametrize(
    ("event", "cwd", "fails"),
    [
        ("preToolUse", "gone", "the hook fails and Copilot CLI denies the tool"),
        ("PreToolUse", "~", "the hook fails and Copilot CLI denies the tool"),
        ("postToolUse", "gone", "the hook fails"),
    ],
)
def test_missing_directory_is_reported_once(world: World, event: str, cwd: str, fails: str) -> None:
    hook = {"type": "command", "bash": "./gone.sh", "cwd": cwd}
    put(world, json.dumps({"version": 1, "hooks": {event: [hook]}}))
    only = one(world, "missing-script")
    assert only.message.endswith(f"project/{cwd} does not exist: {fails}")


def test_project_directory_without_quotes_is_a_note_and_quoted(world: World) -> None:
    put(world, grouped(f"$CLAUDE_PROJECT_DIR/{SCRIPT} && ${{CLAUDE_PROJECT_DIR}}/{SCRIPT}"), CLAUDE)
    assert one(world, "unquoted-path").severity == "info"
    assert fixed(world) == f'"$CLAUDE_PROJECT_DIR"/{SCRIPT} && "${{CLAUDE_PROJECT_DIR}}"/{SCRIPT}'


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("cd $(git rev-parse --show-toplevel) && ls", 'cd "$(git rev-parse --show-toplevel)" && ls'),
        ("bash `git rev-parse --show-toplevel`/x.sh", 'bash "`git rev-parse --show-toplevel`"/x.sh'),
        ("ls $(pwd)/x", 'ls "$(pwd)"/x'),
        ("ls ${CLAUDE_PROJECT_DIR:-.}/x", 'ls "${CLAUDE_PROJECT_DIR:-.}"/x'),
    ],
)
def test_directory_that_is_split_is_quoted(world: World, command: str, meant: str) -> None:
    put(world, grouped(command), CLAUDE)
    assert one(world, "unquoted-path").severity == "info"
    assert fixed(world) == meant


def test_directory_of_a_plugin_without_quotes_is_a_note(world: World) -> None:
    put(world, '{"name": "guards"}', ".claude-plugin/plugin.json")
    script(world, "#!/bin/sh\n", "scripts/a.sh")
    put(world, grouped("${CLAUDE_PLUGIN_ROOT}/scripts/a.sh"), PLUGIN)
    only = one(world, "unquoted-path")
    assert only.message == "${CLAUDE_PLUGIN_ROOT} is not in quotes: the hook fails where the plugin's path has a space"
    assert fixed(world, PLUGIN) == '"${CLAUDE_PLUGIN_ROOT}"/scripts/a.sh'


@pytest.mark.parametrize(
    "command",
    [
        'cd "$(git rev-parse --show-toplevel)"',
        "DIR=$(git rev-parse --show-toplevel); ls",
        "echo $(git rev-parse HEAD) $(cat)",
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
        ("bash c:/shop/.claude/hooks/guard.sh", f'bash "$CLAUDE_PROJECT_DIR"/{SCRIPT}'),
        ("bash 'C:\\shop\\.claude\\hooks\\guard.sh'", f'bash "$CLAUDE_PROJECT_DIR"/{SCRIPT}'),
        ("bash c:/shop/.claude/hooks/guard.sh", f'bash "$CLAUDE_PROJECT_DIR"/{SCRIPT}'),
    ],
)
def test_path_of_another_machine_becomes_the_projects(world: World, command: str, meant: str) -> None:
    put(world, grouped(command), CLAUDE)
    only = one(world, "missing-script")
    assert "is a path on another machine" in only.message
    assert only.hint.startswith(f"the project has it at {SCRIPT}: write ")
    assert fixed(world) == meant
    assert found(world, "missing-script") == []


@pytest.mark.parametrize(
    ("command", "code", "message", "hint"),
    [
        (
            "bash %CLAUDE_PROJECT_DIR%/.claude/hooks/guard.sh",
            "missing-script",
            "no shell expands %CLAUDE_PROJECT_DIR%: the hook fails every time it runs",
            'write "$CLAUDE_PROJECT_DIR" and / between directories',
        ),
        (
            "%CLAUDE_PROJECT_DIR%\\.claude\\guard",
            "undefined-variable",
            "no shell expands %CLAUDE_PROJECT_DIR%",
            'write "$CLAUDE_PROJECT_DIR"',
        ),
    ],
)
def test_variable_in_percent_signs_is_expanded_by_no_shell(
    world: World, command: str, code: str, message: str, hint: str
) -> None:
    put(world, grouped(command), CLAUDE)
    (only,) = [*found(world, "missing-script"), *found(world, "undefined-variable")]
    assert (only.code, only.message, only.hint) == (code, message, hint)


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
    observed = hooktui_commands.wrapped_literal(json.dumps(command), "claude", "/bin/sh")
    put(world, grouped("X").replace('"X"', observed), CLAUDE)
    (only,) = [*found(world, "relative-path"), *found(world, "unquoted-path")]
    line = (world.project / CLAUDE).read_text().split("\n")[only.line - 1]
    assert line[only.column - 1 :].startswith((SCRIPT, "'\\\"'\\\"'./", "$CLAUDE_PROJECT_DIR"))
    assert hooktui_commands.original(fixed(world), "claude") == meant


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (f"bash {SCRIPT} scripts/log.py -q", f'"$CLAUDE_PROJECT_DIR"/{SCRIPT} "$CLAUDE_PROJECT_DIR"/scripts/log.py'),
        (f"bash {SCRIPT} < scripts/log.py", f'"$CLAUDE_PROJECT_DIR"/{SCRIPT} < "$CLAUDE_PROJECT_DIR"/scripts/log.py'),
        (f"bash {SCRIPT} lint", None),  # perhaps the file, perhaps a word
    ],
)
def test_a_launcher_is_anchored_together_with_its_script(world: World, command: str, meant: str | None) -> None:
    script(world, "", "scripts/log.py")
    script(world, "", "lint")
    put(world, grouped(command), CLAUDE)
    fix = one(world, "relative-path").fix
    assert (fix and json.loads(f'"{fix.text}"')) == meant
    assert fixed(world) == command  # only a person knows whether the launcher takes such a path


def test_a_launcher_without_a_shell_is_not_anchored_alone(world: World) -> None:
    script(world, "", "scripts/log.py")
    entry = {"type": "command", "command": "bash", "args": [SCRIPT, "scripts/log.py"]}
    put(world, json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}), CLAUDE)
    assert one(world, "relative-path").fix is None


@pytest.mark.parametrize(
    "command",
    [f"[ -f {SCRIPT} ] && bash {SCRIPT} || true", f"if [ -f {SCRIPT} ]; then bash {SCRIPT}; fi", f"bash {SCRIPT} || echo no"],
)
def test_relative_path_that_the_command_can_do_without(world: World, command: str) -> None:
    put(world, grouped(command), CLAUDE)
    assert one(world, "relative-path").message.endswith("once the agent changes directory, the script does not run")


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


def test_path_of_another_machine_never_becomes_relative_where_the_host_starts_elsewhere(world: World) -> None:
    put(world, grouped("python3 /home/gone/app/tools/x.py", matcher="Bash"), ".codex/hooks.json")
    script(world, "#!/usr/bin/env python3\n", "tools/x.py")
    problem = one(world, "missing-script")
    assert problem.hint == 'the project has it at tools/x.py: write "$(git rev-parse --show-toplevel)"/tools/x.py'
    assert problem.fix is None


@pytest.mark.parametrize(
    ("command", "severity"),
    [
        ("~/bin/gone.sh", "info"),
        ('bash "$HOME"/bin/gone.sh', "info"),
        ('node "${HOME}/bin/gone.js"', "info"),
        ('node "$CLAUDE_PROJECT_DIR"/dist/gone.js', "info"),
        ('node "$CLAUDE_PROJECT_DIR"/source/gone.js', "error"),
        ("/Users/nobody-here/bin/gone.sh", "error"),
        ("node c:/shop/dist/gone.js", "error"),
    ],
)
def test_missing_script_that_may_be_there_elsewhere_is_a_note(world: World, command: str, severity: str) -> None:
    subprocess.run(("git", "init", "--quiet", world.project), check=True)
    put(world, "dist/\n", ".gitignore")
    put(world, grouped(command), CLAUDE)
    only = one(world, "missing-script")
    assert only.severity == severity
    assert not (severity == "info" and only.fix)


def test_missing_script_of_your_own_hook_is_an_error_wherever_it_should_be(world: World) -> None:
    file = world.home / CLAUDE
    file.parent.mkdir()
    file.write_text(grouped("~/bin/gone.sh"))
    assert one(world, "missing-script").severity == "error"


def test_missing_script_is_reported_where_other_hooks_have_more_than_is_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnostics, "_CHARACTERS", 100)
    script(world, f"#!/bin/sh\n# {'long ' * 50}\n", SCRIPT)
    commands = (f'"$CLAUDE_PROJECT_DIR"/{SCRIPT}', '"$CLAUDE_PROJECT_DIR"/gone.sh')
    entries = [{"type": "command", "command": command} for command in commands]
    put(world, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": entries}]}}), CLAUDE)
    assert found(world, "too-large")
    assert one(world, "missing-script").severity == "error"
