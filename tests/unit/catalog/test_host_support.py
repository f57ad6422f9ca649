"""The form's *Hosts* line: where a hook works, and why not elsewhere (formats.md §3, §4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hooktui import connect
from hooktui.catalog import catalog
from hooktui.catalog.hook_states import UNCALLED, hook_state
from hooktui.catalog.host_support import Support, grouped, reach
from hooktui.scripts import hooktui_commands

GUARD = {"type": "command", "command": "true"}


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)


def reaches(tmp_path: Path, name: str, text: str) -> dict[str, str]:
    """Where the only hook of a file works: the note on each host, after `not` if it does not work there."""
    path = tmp_path / ("home" if name.startswith("~/") else "project") / name.removeprefix("~/")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    found = catalog.load(str(tmp_path / "project"))
    (hook,) = found.hooks
    return {one.host: one.note if one.works else f"not: {one.note}" for one in reach(hook, found)}


def settings(event: str = "PreToolUse", matcher: str = "", **entry: object) -> str:
    return json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": [{**GUARD, **entry}]}]}})


def test_a_hook_that_codex_was_not_told_to_trust_does_not_work_there(tmp_path: Path) -> None:
    (tmp_path / "home/.codex").mkdir(parents=True)
    (tmp_path / "home/.codex/config.toml").touch()  # Codex has been used
    assert reaches(tmp_path, ".codex/hooks.json", settings(matcher="Bash")) == {"Codex CLI": "not: does not trust it"}


def shared(event: str, **entry: object) -> str:
    return json.dumps({"hooks": {event: [{**GUARD, **entry}]}})


def test_a_claude_hook_works_in_all_that_read_claudes_files(tmp_path: Path) -> None:
    assert reaches(tmp_path, ".claude/settings.json", settings(matcher="Bash")) == {
        "Claude Code": "",
        "VS Code": "with chat.useClaudeHooks, for every tool",
        "Copilot CLI": "",
        "Cursor": "",
    }


@pytest.mark.parametrize(
    ("name", "text", "host", "why"),
    [
        ("~/.claude/settings.json", settings(), "Copilot CLI", "reads only a project's"),
        (".claude/settings.json", settings("Notification"), "VS Code", "has no such event"),
        (".claude/settings.json", settings(type="prompt", prompt="p"), "VS Code", "has no hooks of type prompt"),
        (".claude/settings.json", settings("Stop", **{"if": "Bash"}), "Claude Code", "never fires it"),
        (".claude/settings.json", settings() + "// c", "Claude Code", "skips its file"),
        (".claude/settings.json", settings(matcher="("), "Claude Code", "cannot read its matcher"),
        (".claude/settings.json", settings(matcher="mcp__x"), "Claude Code", "no tool matches"),
        (".claude/settings.json", settings(command=""), "VS Code", "cannot read it"),
        (".claude/settings.json", '{"disableAllHooks": true, ' + settings()[1:], "Claude Code", "it is switched off"),
        (".github/hooks/a.json", shared("SessionEnd"), "VS Code", "never fires it"),
        (".github/hooks/a.json", shared("SessionEnds"), "VS Code", "has no such event"),
        (".github/hooks/a.json", shared("errorOccurred"), "VS Code", "has no such event"),
        (".github/hooks/a.json", shared("preToolUse", type="http", url="http://x"), "Copilot CLI", "never fires it"),
        ("a.yaml", "kind: ExtendedAgent\nmetadata: {name: a}\nspec: {hooks: {Stop: [{enabled: false, prompt: p}]}}\n",
         "Azure SRE Agent", "it is switched off"),
        ("a.yaml", "kind: ExtendedAgent\nmetadata: {name: a}\nspec: {hooks: {PreToolUse: [{matcher: '', prompt: p}]}}\n",
         "Azure SRE Agent", "no tool matches"),
    ],
)  # fmt: skip
def test_reasons_are_given_where_a_hook_does_not_work(tmp_path: Path, name: str, text: str, host: str, why: str) -> None:
    assert reaches(tmp_path, name, text)[host] == f"not: {why}"


@pytest.mark.parametrize(("moved", "note"), [("", ""), ("/elsewhere", "not: reads only a project's")])
def test_copilot_shares_the_users_directory_with_vs_code_unless_its_own_was_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: str, note: str
) -> None:
    monkeypatch.setenv("COPILOT_HOME", moved)
    assert reaches(tmp_path, "~/.copilot/hooks/a.json", shared("PreToolUse"))["Copilot CLI"] == note


@pytest.mark.parametrize("file", [".claude/settings.json", ".github/hooks/a.json"])
def test_settings_of_copilot_switch_off_the_hooks_in_other_hosts_files_there(tmp_path: Path, file: str) -> None:
    path = tmp_path / "project/.github/copilot/settings.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"disableAllHooks": true}')
    (tmp_path / "project/.claude").mkdir()
    (tmp_path / "project/.github/hooks").mkdir()
    text = settings(matcher="Bash") if "claude" in file else shared("PreToolUse")
    (tmp_path / "project" / file).write_text(text)
    found = catalog.load(str(tmp_path / "project"))
    notes = {one.name: (one.works, one.note) for one in reach(found.hooks[0], found)}
    assert notes["copilot"] == (False, "it is switched off")
    assert notes[found.hooks[0].format][0]


def test_one_name_that_matches_nothing_does_not_silence_the_others(tmp_path: Path) -> None:
    assert reaches(tmp_path, ".claude/settings.json", settings(matcher="mcp__x|Bash"))["Claude Code"] == ""


def test_a_file_of_one_host_may_work_in_another(tmp_path: Path) -> None:
    assert reaches(tmp_path, ".github/hooks/a.json", shared("SessionEnd"))["Copilot CLI"] == ""


SOME = ("Claude Code", "VS Code", "Copilot CLI", "Codex CLI")


def hook_md(tmp_path: Path, lines: str) -> tuple[Support, ...]:
    """Where a HOOK.md with these lines in its frontmatter works."""
    run = tmp_path / "project/.agents/hooks/a/scripts/run"
    run.parent.mkdir(parents=True)
    run.write_text("#!/bin/sh\n")
    (run.parents[1] / "HOOK.md").write_text(f"---\nname: a\ndescription: d\n{lines}---\n")
    found = catalog.load(str(tmp_path / "project"))
    return reach(found.own_hooks[0], found)


def line_of(reached: tuple[Support, ...]) -> str:
    """What the form's *Hosts* line says."""
    parts = (f"{'' if one.works else 'not '}{', '.join(titles)} ({one.note})" for one, titles in grouped(reached))
    return " · ".join(part.replace(" ()", "") for part in parts)


def test_a_hook_md_is_for_programs_that_read_it_where_none_is_installed(tmp_path: Path) -> None:
    own, *others = hook_md(tmp_path, "trigger: post-session\n")
    assert (own.host, own.works, own.standing) == ("programs that read HOOK.md", True, "now")
    notes = {(one.host, one.works, one.note) for one in others}
    assert {("Claude Code", True, "not installed"), ("VS Code", False, "has no such event")} < notes


def connect_gemini(tmp_path: Path) -> None:
    entry = {"type": "command", "command": hooktui_commands.run("gemini")}
    file = tmp_path / "project/.gemini/settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [entry]}]}}))


def test_connected_programs_are_named_first_then_those_installed_then_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("codex", "gemini", "kimi"):
        (tmp_path / "bin" / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    connect_gemini(tmp_path)
    line = line_of(hook_md(tmp_path, "trigger: pre-tool-call\nmatcher: {tool: 'Shell|run_shell_command'}\n"))
    assert line.startswith(
        "Gemini CLI · programs that read HOOK.md · not Codex CLI, Kimi Code (the tool is called Bash there) · "
        "Qwen Code, Cursor (not installed) · not Claude Code"
    )


def test_a_hook_md_does_not_run_where_the_only_connection_is_broken(tmp_path: Path) -> None:
    connect_gemini(tmp_path)
    hook_md(tmp_path, "trigger: pre-tool-call\n")
    broken = [connect.ConnectionState("gemini", "project", "f", 1, 1, "/gone", works=False, why="it is gone")]
    found = catalog.with_connections(catalog.load(str(tmp_path / "project")), connect.problems(broken))
    [guard] = found.own_hooks
    assert line_of(reach(guard, found)).startswith("not Gemini CLI (does not call hooktui) · ")
    approved = found._replace(trust={guard.id: "trusted"})
    assert hook_state(approved, guard, ()) is UNCALLED


@pytest.mark.parametrize(
    ("tool", "works"),
    [
        ("Shell", []),
        ("^Bash$", ["Claude Code", "Codex CLI"]),
        ("Shell|[Bb]ash|[Tt]erminal", ["Claude Code", "VS Code", "Copilot CLI", "Codex CLI"]),
        ("mcp__github__.*", ["Claude Code", "VS Code", "Copilot CLI", "Codex CLI"]),  # the tools of servers are unknown
    ],
)
def test_a_hook_md_works_only_where_a_tool_has_the_name_that_it_looks_for(tmp_path: Path, tool: str, works: list[str]) -> None:
    hosts = hook_md(tmp_path, f"trigger: pre-tool-call\nmatcher:\n  tool: '{tool}'\n")
    assert [one.host for one in hosts if one.works and one.host in SOME] == works
    notes = {one.host: one.note for one in hosts if not one.works}
    assert notes.get("VS Code") in (None, "the tool is called run_in_terminal there")
