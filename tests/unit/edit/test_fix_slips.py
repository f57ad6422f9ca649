"""What was plainly meant: the safe fix of a slip, in every format, and those that are left to their person."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.edit import apply_fixes
from hooktui.security import trust

if TYPE_CHECKING:
    from hooktui.core.model import Diagnostic

HOOK_MD = "---\nname: guard\ndescription: A hook\ntrigger: pre-tool-call\n{}\n---\n"
JSON = '{{"hooks": {{"PreToolUse": [{}]}}}}'
CLAUDE = '{{"hooks": {{"PreToolUse": [{{"hooks": [{{{}}}]}}]}}}}'
VSCODE = '{{"hooks": {{"PreToolUse": [{{{}}}]}}}}'
COPILOT = '{{{}, "hooks": {{}}}}'
AZURE = """\
api_version: azuresre.ai/v2
kind: ExtendedAgent
metadata:
  name: keeper
spec:
  hooks:
    Stop:
      - {}
"""
FILES = {
    HOOK_MD: ".agents/hooks/guard/HOOK.md",
    JSON: ".claude/settings.json",
    CLAUDE: ".claude/settings.json",
    VSCODE: ".github/hooks/a.json",
    COPILOT: ".github/hooks/a.json",
    AZURE: "keeper.yaml",
}
COMMAND = '"type": "command", "command": "true"'
RUN = "command: x\n        "


class World:
    """A project with one hook file."""

    def __init__(self, home: Path) -> None:
        self.project = Path(paths.canonical(str(home))) / "project"

    def write(self, name: str, text: str) -> Path:
        """Write a file, executable when it is a script."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if "scripts" in name else 0o644)
        return path

    def problems(self, code: str) -> list[Diagnostic]:
        """What is wrong, of one code."""
        return [one for one in catalog.load(str(self.project)).diagnostics if one.code == code]

    def mend(self) -> None:
        """Apply all safe fixes, and those that they make way for."""
        apply_fixes.apply(apply_fixes.plan(catalog.load(str(self.project))), (), str(self.project))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return World(tmp_path)


@pytest.mark.parametrize(
    ("code", "around", "slip", "meant"),
    [
        ("wrong-type", HOOK_MD, "timeout: 5s  # long", "timeout: 5000  # long"),
        ("wrong-type", HOOK_MD, 'timeout: "2 min"', "timeout: 120000"),
        ("wrong-type", HOOK_MD, "priority: '50'", "priority: 50"),
        ("wrong-type", HOOK_MD, 'async: "Yes"', "async: true"),
        ("wrong-type", CLAUDE, COMMAND + ', "timeout": "5"', COMMAND + ', "timeout": 5'),
        ("wrong-type", CLAUDE, COMMAND + ', "timeout": "500ms"', COMMAND + ', "timeout": 0.5'),
        ("wrong-type", CLAUDE, COMMAND + ', "async": "true"', COMMAND + ', "async": true'),
        ("wrong-type", VSCODE, COMMAND + ', "timeoutSec": "1m"', COMMAND + ', "timeoutSec": 60'),
        ("wrong-type", VSCODE, COMMAND + ', "env": {"PORT": 80}', COMMAND + ', "env": {"PORT": "80"}'),
        ("wrong-type", JSON, '{"hooks": {' + COMMAND + "}}", '{"hooks": [{' + COMMAND + "}]}"),
        ("wrong-type", AZURE, RUN + "type: command\n        timeout: 5s", RUN + "type: command\n        timeout: 5"),
        ("unsupported-type", CLAUDE, '"type": "comand", "command": "true"', COMMAND),
        ("unsupported-type", VSCODE, '"type": "Command", "command": "true"', COMMAND),
        ("unsupported-type", AZURE, RUN + "type: comand", RUN + "type: command"),
        ("missing-field", CLAUDE, '\n  "command": "true"\n', '\n  "type": "command",\n  "command": "true"\n'),
        ("missing-field", AZURE, "command: x", "type: command\n        command: x"),
        ("missing-field", AZURE, "{command: x}", "{type: command, command: x}"),
        ("host-skips-file", JSON, "{" + COMMAND + "}", '{"hooks": [{' + COMMAND + "}]}"),
        ("out-of-range", VSCODE, COMMAND + ', "timeout": 0', COMMAND + ', "timeout": 30'),
        ("out-of-range", AZURE, RUN + "type: command\n        timeout: 0", RUN + "type: command\n        timeout: 30"),
        ("bad-value", CLAUDE, COMMAND + ', "shell": "Bash"', COMMAND + ', "shell": "bash"'),
        ("bad-value", AZURE, RUN + "type: command\n        failMode: blok", RUN + "type: command\n        failMode: block"),
        ("bad-value", COPILOT, '"version": "1"', '"version": 1'),
        ("bad-json", CLAUDE, '"type": "command" /* ! */\n"command": "x"', '"type": "command", /* ! */\n"command": "x"'),
        ("bad-json", CLAUDE, COMMAND + ', "async": True', COMMAND + ', "async": true'),
        ("bad-json", CLAUDE, '"type": "command", "command": "grep \\."', '"type": "command", "command": "grep \\\\."'),
        (
            "matches-nothing",
            JSON,
            '{"matcher": "mcp__db", "hooks": [{' + COMMAND + "}]}",
            '{"matcher": "mcp__db__.*", "hooks": [{' + COMMAND + "}]}",
        ),
        (
            "matches-nothing",
            JSON,
            '{"matcher": "Edit|bash", "hooks": [{' + COMMAND + "}]}",
            '{"matcher": "Edit|Bash", "hooks": [{' + COMMAND + "}]}",
        ),
        (
            "unsupported-shebang",
            AZURE,
            "type: command\n        script: |\n          #!/bin/sh\n          exit 2",
            "type: command\n        script: |\n          #!/bin/bash\n          exit 2",
        ),
    ],
)
def test_a_slip_is_written_as_it_was_meant(world: World, code: str, around: str, slip: str, meant: str) -> None:
    file = world.write(FILES[around], around.format(slip))
    world.write(".agents/hooks/guard/scripts/run", "#!/bin/sh\n")
    assert any(one.fix for one in world.problems(code))
    world.mend()
    assert file.read_text() == around.format(meant)
    assert world.problems(code) == []


def test_a_script_finds_its_interpreter_where_it_is(world: World) -> None:
    world.write(".agents/hooks/guard/HOOK.md", HOOK_MD.format(""))
    script = world.write(".agents/hooks/guard/scripts/run", "#!/opt/nowhere/sh\nexit 0\n")
    world.mend()
    assert script.read_text() == "#!/usr/bin/env sh\nexit 0\n"


@pytest.mark.parametrize(
    ("code", "front", "script", "label"),
    [
        ("bad-regex", "matcher: {tool: 'Sh('}", "#!/bin/sh\n", "write Sh()"),
        ("unit-suspect", "timeout: 5", "#!/bin/sh\n", "write 5000"),
        ("weak-exit", "", "#!/bin/sh\necho 'blocked' >&2\nexit 1\n", "write exit 2"),
        ("undefined-field", "", "#!/bin/sh\njq -r .sessionId\n", "write session_id"),
    ],
)
def test_a_guess_at_what_a_guard_means_is_offered_alone_and_never_with_all(
    world: World, code: str, front: str, script: str, label: str
) -> None:
    world.write(".agents/hooks/guard/HOOK.md", HOOK_MD.format(front))
    world.write(".agents/hooks/guard/scripts/run", script)
    world.mend()
    [problem] = world.problems(code)
    assert problem.fix is not None
    assert problem.fix.label == label
    apply_fixes.apply(apply_fixes.plan_one(problem, ()), (), str(world.project))
    assert world.problems(code) == []


@pytest.mark.parametrize(
    ("around", "text", "script"),
    [
        (HOOK_MD, "matcher: {tool: Shell}", ".agents/hooks/guard/scripts/run.sh"),
        (CLAUDE, '"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/a.py"', ".claude/hooks/a.py"),
        (VSCODE, '"type": "command", "command": "sh hooks/a.sh"', "hooks/a.sh"),
    ],
)
def test_a_script_that_is_missing_is_made_for_its_event_stays_approved_and_goes_again(
    world: World, around: str, text: str, script: str
) -> None:
    world.write(FILES[around], around.format(text))
    found = catalog.load(str(world.project))
    trust.approve(str(world.project), {hook.id: trust.digest(hook) for hook in found.hooks})
    world.mend()
    assert not (world.project / script).exists()  # it would silence the problem of a guard that guards nothing
    [problem] = (*world.problems("missing-entry"), *world.problems("missing-script"))
    back = apply_fixes.apply(apply_fixes.plan_one(problem, found.hooks), found.hooks, str(world.project))
    assert os.access(world.project / script, os.X_OK)
    assert world.problems("missing-entry") == world.problems("missing-script") == world.problems("bad-command") == []
    after = catalog.load(str(world.project))
    assert list(after.trust.values()) == ["trusted"]
    apply_fixes.apply(back, after.hooks, str(world.project))
    assert not (world.project / script).parent.exists()


@pytest.mark.parametrize(
    ("around", "text"),
    [
        (CLAUDE, COMMAND + ', "timeout": "soon"'),
        (CLAUDE, '"type": "webhook", "command": "true"'),
        (CLAUDE, '"type": "command", "command": ["ls", 5]'),
        (JSON, '{"matcher": {"tools": ["Edit", ".*"]}, "hooks": [{' + COMMAND + "}]}"),
        (JSON, '{"Bash": ["./x.sh"]}'),
        (CLAUDE, '"type": "command", "command": "echo "hi""'),
        (CLAUDE, '"type": "command", "command": undefined'),
        (HOOK_MD, "trigger: pre-session"),
        (HOOK_MD, "priority: 5s"),
        (HOOK_MD, 'async: "later"'),
    ],
)
def test_what_nobody_can_tell_is_left_alone(world: World, around: str, text: str) -> None:
    file = world.write(FILES[around], around.format(text))
    world.write(".agents/hooks/guard/scripts/run", "#!/bin/sh\n")
    world.mend()
    assert file.read_text() == around.format(text)


def test_the_only_script_of_a_hook_gets_the_name_that_is_run_and_gets_its_own_back(world: World) -> None:
    world.write(".agents/hooks/guard/HOOK.md", HOOK_MD.format("matcher: {tool: Shell}"))
    script = world.project / ".agents/hooks/guard/scripts/check.py"
    world.write(".agents/hooks/guard/scripts/check.py", "#!/usr/bin/env python3\n")
    script.chmod(0o755)
    world.mend()
    assert script.exists()  # what is meant only its person knows
    [problem] = world.problems("missing-entry")
    assert problem.fix is not None
    assert problem.fix.label == "rename scripts/check.py to run.py"
    hooks = catalog.load(str(world.project)).hooks
    back = apply_fixes.apply(apply_fixes.plan_one(problem, hooks), hooks, str(world.project))
    assert world.problems("missing-entry") == []
    apply_fixes.apply(back, catalog.load(str(world.project)).hooks, str(world.project))
    assert script.exists()
