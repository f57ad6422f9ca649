"""Fixes of hooks with the wrong shape or spelling, applied together."""

from __future__ import annotations

import pytest

from .fix_project import Project
from .test_fix_slips import COMMAND, FILES, HOOK_MD, JSON

GOOD = f'{{"hooks": [{{{COMMAND}}}]}}'
NESTED = '{"matcher": "MATCHER", "hooks": [{' + COMMAND + "}]}"
WHOLE = JSON.format(GOOD)


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ('{"matcher": "Edit|Write", ' + COMMAND + "}", NESTED.replace("MATCHER", "Edit|Write")),
        ("{" + COMMAND + ', "matcher": "Edit"}', NESTED.replace("MATCHER", "Edit")),
        ('{"type": "command", "matcher": "Edit", "command": "true"}', NESTED.replace("MATCHER", "Edit")),
        ('{"matcher": "Edit", "command": "true"}', NESTED.replace("MATCHER", "Edit")),
        ('{"matcher": {"tools": ["Write", "Edit"]}, "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write|Edit")),
        ('{"matcher": {"tool_name": "Write"}, "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write")),
        ('{"matcher": ["Write", "Edit"], "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write|Edit")),
        ('{"matcher": {}, "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "*")),
        ('{"matchers": "Write", "hooks": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write")),
        ('{"matcher": "Write", "hook": [{' + COMMAND + "}]}", NESTED.replace("MATCHER", "Write")),
        ('{"hooks": [{"type": "command", "command": ["true"]}]}', GOOD),
        ('{"hooks": [{"type": "command", "command": "true", "type": "command"}]}', GOOD),
        ('{"hooks": [{"type": "command", "command": ["echo", "it\'s"]}]}',
         GOOD.replace('"true"', r'''"echo 'it'\"'\"'s'"''')),
    ],
)  # fmt: skip
def test_fixes_give_an_entry_the_shape_that_claude_reads(project: Project, slip: str, meant: str) -> None:
    file = project.write(FILES[JSON], JSON.format(slip))
    project.apply(project.plan())
    assert file.read_text() == JSON.format(meant)
    assert project.codes() == []


@pytest.mark.parametrize(
    "entry",
    [
        '{"matcher": "run_shell_command", /* why */ "type": "command", "command": "true"}',
        '{"type": "command", "command": "true", "matcher": "run_shell_command" // why\n}',
    ],
)
def test_a_fix_removes_no_comment_that_the_host_allows(project: Project, entry: str) -> None:
    file = project.write(".gemini/settings.json", text := f'{{"hooks": {{"BeforeTool": [{entry}]}}}}')
    project.apply(project.plan())
    assert file.read_text() == text
    assert "never-fires" in project.codes()


@pytest.mark.parametrize("note", ['"true"', '{"hooks": ["true"]}', '{"hooks": "true"}'])
def test_a_text_is_never_turned_into_a_command(project: Project, note: str) -> None:
    file = project.write(FILES[JSON], JSON.format(note))
    project.apply(project.plan())
    assert file.read_text() == JSON.format(note)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"PreToolUse": [{GOOD}]}}',
        f'{{"hook": {{"PreToolUse": [{GOOD}]}}}}',
        WHOLE.replace("}]}", "},]}", 1),
        WHOLE.replace('"type": "command",', '"type": "command",,'),
        WHOLE.replace('"type": "command",', '"type": "command"'),
    ],
)
def test_fixes_repair_broken_json(project: Project, text: str) -> None:
    file = project.write(FILES[JSON], text)
    project.apply(project.plan())
    assert file.read_text() == WHOLE


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("matcher:\n\ttool: Shell", "matcher:\n  tool: Shell"),
        ("matcher: Shell|Write", "matcher: {tool: Shell|Write}"),
        ("matcher:\n  tool: [Shell, Write]", "matcher:\n  tool: Shell|Write"),
        ("trigger: pre-tool-call\ntimeout: 5000", "timeout: 5000"),
        ("timeout: 5000\ntimeout: 5000", "timeout: 5000"),
    ],
)
def test_fixes_repair_broken_yaml(project: Project, slip: str, meant: str) -> None:
    file = project.write(FILES[HOOK_MD], HOOK_MD.format(slip))
    project.write(".agents/hooks/guard/scripts/run", "#!/bin/sh\n", 0o755)
    project.apply(project.plan())
    assert file.read_text() == HOOK_MD.format(meant)


def test_fix_adds_the_first_line_of_the_frontmatter(project: Project) -> None:
    file = project.write(FILES[HOOK_MD], HOOK_MD.format("timeout: 5000").removeprefix("---\n"))
    project.apply(project.plan())
    assert file.read_text() == HOOK_MD.format("timeout: 5000")


@pytest.mark.parametrize("trigger", ["PreToolUse,PostToolUse", "PreToolUse|Stop", "pre-tool-call and stop"])
def test_trigger_with_several_events_is_left_alone(project: Project, trigger: str) -> None:
    file = project.write(FILES[HOOK_MD], text := HOOK_MD.format("").replace("pre-tool-call", trigger))
    project.apply(project.plan())
    assert file.read_text() == text
