"""Fixes of obvious mistakes in every format, and the mistakes that only a person can fix."""

from __future__ import annotations

import os

import pytest

from .fix_project import Project

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


@pytest.mark.parametrize(
    ("code", "around", "slip", "meant"),
    [
        ("wrong-type", HOOK_MD, "timeout: 5s  # long", "timeout: 5000  # long"),
        ("wrong-type", HOOK_MD, 'timeout: "2 min"', "timeout: 120000"),
        ("wrong-type", HOOK_MD, "priority: '50'", "priority: 50"),
        ("wrong-type", HOOK_MD, 'async: "Yes"', "async: true"),
        ("host-skips-file", CLAUDE, COMMAND + ', "timeout": "5"', COMMAND + ', "timeout": 5'),
        ("host-skips-file", CLAUDE, COMMAND + ', "timeout": "500ms"', COMMAND + ', "timeout": 0.5'),
        ("host-skips-file", CLAUDE, COMMAND + ', "async": "true"', COMMAND + ', "async": true'),
        ("wrong-type", VSCODE, COMMAND + ', "timeoutSec": "1m"', COMMAND + ', "timeoutSec": 60'),
        ("wrong-type", VSCODE, COMMAND + ', "env": {"PORT": 80}', COMMAND + ', "env": {"PORT": "80"}'),
        ("host-skips-file", JSON, '{"hooks": {' + COMMAND + "}}", '{"hooks": [{' + COMMAND + "}]}"),
        ("wrong-type", AZURE, RUN + "type: command\n        timeout: 5s", RUN + "type: command\n        timeout: 5"),
        ("host-skips-file", CLAUDE, '"type": "comand", "command": "true"', COMMAND),
        ("unsupported-type", VSCODE, '"type": "Command", "command": "true"', COMMAND),
        ("unsupported-type", AZURE, RUN + "type: comand", RUN + "type: command"),
        ("host-skips-file", CLAUDE, '\n  "command": "true"\n', '\n  "type": "command",\n  "command": "true"\n'),
        ("missing-field", AZURE, "command: x", "type: command\n        command: x"),
        ("missing-field", AZURE, "{command: x}", "{type: command, command: x}"),
        ("host-skips-file", JSON, "{" + COMMAND + "}", '{"hooks": [{' + COMMAND + "}]}"),
        ("out-of-range", AZURE, RUN + "type: command\n        timeout: 0", RUN + "type: command\n        timeout: 30"),
        ("host-skips-file", CLAUDE, COMMAND + ', "shell": "Bash"', COMMAND + ', "shell": "bash"'),
        ("bad-value", AZURE, RUN + "type: command\n        failMode: blok", RUN + "type: command\n        failMode: block"),
        ("host-skips-file", COPILOT, '"version": "1"', '"version": 1'),
        ("host-skips-file", CLAUDE, '"type": "command"\n"command": "x"', '"type": "command",\n"command": "x"'),
        ("host-skips-file", CLAUDE, '"type": "command", "command": "grep \\."', '"type": "command", "command": "grep \\\\."'),
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
def test_fix_corrects_an_obvious_mistake(project: Project, code: str, around: str, slip: str, meant: str) -> None:
    file = project.write(FILES[around], around.format(slip))
    project.write(".agents/hooks/guard/scripts/run", "#!/bin/sh\n", 0o755)
    assert any(problem.fix for problem in project.problems(code))
    project.apply(project.plan())
    assert file.read_text() == around.format(meant)
    assert project.problems(code) == []


def test_shebang_with_a_missing_interpreter_uses_env(project: Project) -> None:
    project.write(".agents/hooks/guard/HOOK.md", HOOK_MD.format(""))
    script = project.write(".agents/hooks/guard/scripts/run", "#!/opt/nowhere/sh\nexit 0\n", 0o755)
    project.apply(project.plan())
    assert script.read_text() == "#!/usr/bin/env sh\nexit 0\n"


@pytest.mark.parametrize(
    ("code", "front", "script", "label"),
    [
        ("bad-regex", "matcher: {tool: 'Sh('}", "#!/bin/sh\n", "write Sh()"),
        ("unit-suspect", "timeout: 300", "#!/bin/sh\n", "write 300000"),
        ("out-of-range", "timeout: 5", "#!/bin/sh\n", "write 5000"),
        ("weak-exit", "", "#!/bin/sh\necho 'blocked' >&2\nexit 1\n", "write exit 2"),
        ("undefined-field", "", "#!/bin/sh\njq -r .sessionId\n", "write .session_id"),
    ],
)
def test_fix_that_guesses_is_never_applied_with_all(project: Project, code: str, front: str, script: str, label: str) -> None:
    project.write(".agents/hooks/guard/HOOK.md", HOOK_MD.format(front))
    project.write(".agents/hooks/guard/scripts/run", script, 0o755)
    project.apply(project.plan())
    [problem] = project.problems(code)
    assert problem.fix is not None
    assert problem.fix.label == label
    project.fix(problem)
    assert project.problems(code) == []


@pytest.mark.parametrize(
    ("around", "text", "script"),
    [
        (HOOK_MD, "matcher: {tool: Shell}", ".agents/hooks/guard/scripts/run.sh"),
        (CLAUDE, '"type": "command", "command": "\\"$CLAUDE_PROJECT_DIR\\"/.claude/hooks/a.py"', ".claude/hooks/a.py"),
        (VSCODE, '"type": "command", "command": "sh hooks/a.sh"', "hooks/a.sh"),
    ],
)
def test_missing_script_is_created_approved_and_removed_by_undo(project: Project, around: str, text: str, script: str) -> None:
    project.write(FILES[around], around.format(text))
    project.approve()
    project.apply(project.plan())
    assert not (project.path / script).exists()  # it would hide the problem of a guard that guards nothing
    [problem] = project.problems("missing-entry", "missing-script")
    back = project.fix(problem)
    assert os.access(project.path / script, os.X_OK)
    assert project.problems("missing-entry", "missing-script", "bad-command") == []
    assert list(project.load().trust.values()) == ["trusted"]
    project.apply(back)
    assert not (project.path / script).parent.exists()


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
def test_ambiguous_mistake_is_left_alone(project: Project, around: str, text: str) -> None:
    file = project.write(FILES[around], around.format(text))
    project.write(".agents/hooks/guard/scripts/run", "#!/bin/sh\n", 0o755)
    project.apply(project.plan())
    assert file.read_text() == around.format(text)


def test_only_script_of_a_hook_is_renamed_to_the_expected_name_and_back(project: Project) -> None:
    project.write(".agents/hooks/guard/HOOK.md", HOOK_MD.format("matcher: {tool: Shell}"))
    script = project.write(".agents/hooks/guard/scripts/check.py", "#!/usr/bin/env python3\n", 0o755)
    project.apply(project.plan())
    assert script.exists()  # only a person knows which script is meant
    [problem] = project.problems("missing-entry")
    assert problem.fix is not None
    assert problem.fix.label == "rename scripts/check.py to run.py"
    back = project.fix(problem)
    assert project.problems("missing-entry") == []
    project.apply(back)
    assert script.exists()
