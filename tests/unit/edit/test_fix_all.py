"""Fix all: one plan until no safe fix is left, the same in the app and on the command line, undone in one step."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from hooktui.cli.check import check_command
from hooktui.edit.apply_fixes import FixPlan

from .fix_project import Project
from .world import at_home

FRONT = (
    ("name: watch", "name: Watch It", "# no name"),
    ("trigger: PreToolUse", "trigger: before-tool", "trigger: pre-tool-call"),
    ("timeout: 5s", "timeout: '5000'", "timeot: 900", "timeout: 7"),
    ("priority: 5000", "priorty: '5000'", "priority: 5"),
    ("async: 'Yes'", "asynch: true", ""),
    ("matcher:\n  tool: '('", "matcher:\n  tol: Shell", "Matcher:\n  Tool: Shell", ""),
)
SCRIPTS = ("exit 0\n", "#!/bin/sh\nexit 0\n", "#!/opt/nowhere/sh\nexit 0\n", "#!\nexit 0\n", "", "exit 0")
JSON_FILES = (".claude/settings.json", ".github/hooks/a.json", ".claude/settings.local.json")
MATCHERS = ("Bash", "bash", "mcp__db", "Edit|bash", "")
ENTRIES = (
    '{"type": "command", "command": "true"}',
    '{"type": "comand", "command": "true",}',
    '{"command": "true", "timeout": "5"}',
    '{"type": "command" "command": "true" "timeout": "5s"}',
    '{"type": "command", "comand": "true", "async": True}',
    '{"type": "Command", "command": "grep \\.", "timeout": 5000}',
)
EVENTS = ("PreToolUse", "preToolUse", "pre-tool-use", "PostTolUse", "Stop")
AZURE = "api_version: azuresre.ai/v2\nkind: ExtendedAgent\nmetadata:\n  name: keeper\nspec:\n  hooks:\n    Stop:\n      - {}\n"
AZURE_ENTRIES = (
    "{command: x}",
    "command: x\n        type: comand\n        timeout: 5s",
    "type: command\n        fail_mode: blok\n        script: |\n          #!/bin/sh\n          exit 2",
    "type: prompt\n        prompt: x\n        maxRejections: 99",
)
GOOD = "---\nname: guard\ndescription: A hook\ntrigger: pre-tool-call\n{}---\n"
CLAUDE = '{{"hooks": {{"PreToolUse": [{{"hooks": [{{{}}}]}}]}}}}\n'


@st.composite
def hook_directories(draw: st.DrawFn) -> dict[str, str]:
    """A HOOK.md directory with mistakes in any of its lines, its name, its line endings and its script."""
    lines = [draw(st.sampled_from(choices)) for choices in FRONT]
    ends = draw(st.sampled_from(("\n", "\r\n")))
    text = "\n".join(["---", "description: A hook", *filter(None, lines), "---", "", "Text.", ""])
    name = draw(st.sampled_from(("HOOK.md", "hook.md", "Hook.MD")))
    bom = draw(st.sampled_from(("", "\ufeff")))
    script = draw(st.sampled_from(SCRIPTS)).replace("\n", draw(st.sampled_from(("\n", "\r\n"))))
    below = f".agents/hooks/{draw(st.sampled_from(('guard', 'watch')))}"
    return {f"{below}/{name}": bom + text.replace("\n", ends), f"{below}/scripts/run": script}


@st.composite
def json_files(draw: st.DrawFn) -> dict[str, str]:
    """A file of a JSON host with mistakes in its events, groups and entries."""
    event = st.sampled_from(EVENTS)
    group = st.builds(
        '{{"matcher": "{}", "hooks": [{}]}}'.format, st.sampled_from(MATCHERS), st.sampled_from(ENTRIES)
    ) | st.sampled_from(ENTRIES)
    groups = draw(st.lists(st.tuples(event, group), min_size=1, max_size=3))
    between = draw(st.sampled_from((",", "", ",\n")))
    listed = between.join(f'"{name}": [{one}]' for name, one in groups)
    return {draw(st.sampled_from(JSON_FILES)): f'{{"hooks": {{{listed}}}}}\n'}


AZURE_FILES = st.sampled_from(AZURE_ENTRIES).map(lambda entry: {"keeper.yaml": AZURE.format(entry)})
PROJECTS = st.lists(hook_directories() | json_files() | AZURE_FILES, min_size=1, max_size=4)


@settings(max_examples=10, deadline=None)
@given(PROJECTS)
def test_all_fixes_leave_none_and_one_undo_restores_every_byte(written: list[dict[str, str]]) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as home:
        at_home(patch, home)
        project = Project(home)
        for files in written:
            for name, text in files.items():
                project.write(name, text)
        before = project.bytes()
        back = project.apply(project.plan())
        fixed_bytes = project.bytes()
        assert project.plan() == FixPlan((), ())
        project.apply(back)
        assert project.bytes() == before
        CliRunner().invoke(check_command, [str(project.path), "--fix", "--no-log"], catch_exceptions=False)
        assert project.bytes() == fixed_bytes


def test_problems_that_a_rename_reveals_are_fixed_with_it(project: Project) -> None:
    front = "---\r\nname: watch\r\ndescription: A hook\r\ntrigger: PreToolUse\r\n---\r\n"
    project.write(".agents/hooks/guard/hook.md", front)
    project.write(".agents/hooks/guard/scripts/run", "exit 0\n")
    before = project.bytes()
    plan = project.plan()
    assert [problem.code for problem in plan.fixed] == [
        "misnamed-file", "name-mismatch", "unknown-event", "no-shebang", "not-executable",
    ]  # fmt: skip
    back = project.apply(plan)
    hook = project.path / ".agents/hooks/guard"
    assert (hook / "HOOK.md").read_bytes() == front.replace("watch", "guard").replace("PreToolUse", "pre-tool-call").encode()
    assert project.codes() == []
    project.apply(back)
    assert project.bytes() == before


def test_syntax_errors_that_hide_one_another_are_fixed_in_one_write(project: Project) -> None:
    entries = " ".join('{"matcher": "Bash" "hooks": [{"type": "command" "command": "true"}]}' for _ in range(8))
    project.write(".claude/settings.json", f'{{"hooks": {{"PreToolUse": [{entries}]}}}}\n')
    plan = project.plan()
    assert len(plan.steps) == 1
    project.apply(plan)
    assert set(project.codes()) == {"duplicate-hook"}


@pytest.mark.parametrize("keys", [("preToolUse", "PreToolUse"), ("preToolUse", "preToolUse"), ("preToolUse", "pre_tool_use")])
def test_no_fix_writes_an_event_twice(project: Project, keys: tuple[str, str]) -> None:
    listed = ", ".join(
        f'"{key}": [{{"matcher": "{tool}", "hooks": [{{"type": "command", "command": "true"}}]}}]'
        for key, tool in zip(keys, ("bash", "Edit"), strict=True)
    )
    project.write(".claude/settings.json", f'{{"hooks": {{{listed}}}}}\n')
    before = project.bytes()
    project.apply(project.plan())
    assert project.bytes() == before


def test_of_two_misspelled_keys_the_first_is_corrected(project: Project) -> None:
    project.write(".agents/hooks/guard/HOOK.md", GOOD.format("priorty: 1\nprioritty: 2\n"))
    project.write(".claude/settings.json", CLAUDE.format('"type": "command", "command": "x", "timeot": 1, "timout": 2'))
    project.apply(project.plan())
    assert "priority: 1\nprioritty: 2\n" in (project.path / ".agents/hooks/guard/HOOK.md").read_text()
    assert '"timeout": 1, "timout": 2' in (project.path / ".claude/settings.json").read_text()


def test_fixes_never_give_two_hooks_one_name(project: Project, tmp_path: Path) -> None:
    text = "---\nname: {}\ndescription: A hook\ntrigger: pre-tool-call\n---\n"
    for root in (project.path / ".agents/hooks", tmp_path / ".config/agents/hooks"):
        (root / "guard").mkdir(parents=True)
        (root / "guard/HOOK.md").write_text(text.format("mine" if root.parent.name == "agents" else "theirs"))
    project.apply(project.plan())
    names = [hook.name for hook in project.load().hooks]
    assert len(set(names)) == 2
