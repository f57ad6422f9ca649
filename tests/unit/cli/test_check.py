from __future__ import annotations

import json

from tests.command_world import CommandWorld


def test_error_exits_1_and_is_at_its_value(world: CommandWorld) -> None:
    world.hook("guard", matcher={"tool": "("})
    found = world.run("check", "--format", "json", code=1).json()
    assert found["errors"] == 1
    assert [one["code"] for one in found["diagnostics"]] == ["bad-regex"]
    assert found["diagnostics"][0]["line"] == 5


def test_warnings_exit_0(world: CommandWorld) -> None:
    world.hook("guard", scope="project")
    found = world.run("check", "--format", "json").json()
    assert found["errors"] == 0
    assert [one["code"] for one in found["diagnostics"]] == ["untrusted"]


def test_scope_project_excludes_user_hooks(world: CommandWorld) -> None:
    world.hook("mine", matcher={"tool": "("})
    world.hook("ours", scope="project")
    found = world.run("check", "--scope", "project", "--format", "json").json()
    assert found["hooks"] == 1
    assert found["files"] == 1
    assert {one["hook"] for one in found["diagnostics"]} == {"ours"}


def test_every_format_names_the_problem(world: CommandWorld) -> None:
    world.hook("guard", matcher={"tool": "("})
    assert "[bad-regex]" in world.run("check", code=1).stdout
    assert world.run("check", "--format", "github", code=1).stdout.startswith("::error file=")
    sarif = json.loads(world.run("check", "--format", "sarif", code=1).stdout)
    assert sarif["version"] == "2.1.0"
    assert sarif["runs"][0]["results"][0]["ruleId"] == "bad-regex"


def test_fix_applies_safe_fixes_and_exits_by_the_rest(world: CommandWorld) -> None:
    directory = world.hook("guard", trigger="PreToolUse", matcher={"tool": "("})
    ended = world.run("check", "--fix", code=1)
    assert "guard/HOOK.md:4:10: fixed: write pre-tool-call [unknown-event]\n" in ended.stdout
    assert "[bad-regex]" in ended.stdout
    assert ended.stdout.count("[unknown-event]") == 1  # fixed, and not reported
    assert "trigger: pre-tool-call\n" in (directory / "HOOK.md").read_text()


def test_fix_repeats_for_problems_that_a_fix_reveals(world: CommandWorld) -> None:
    directory = world.hook("guard", trigger="PreToolUse")
    (directory / "HOOK.md").rename(directory / "hook.md")
    assert "1 hook in 1 file: 0 errors, 0 warnings" in world.run("check", "--fix").stdout
    assert "trigger: pre-tool-call\n" in (directory / "HOOK.md").read_text()


def test_fix_keeps_machine_readable_output_valid(world: CommandWorld) -> None:
    world.hook("guard", trigger="PreToolUse")
    ended = world.run("check", "--fix", "--format", "json")
    assert ended.json()["diagnostics"] == []
    assert "fixed: write pre-tool-call [unknown-event]" in ended.stderr


def test_fix_with_scope_project_skips_user_hooks(world: CommandWorld) -> None:
    mine, ours = (world.hook(scope, trigger="PreToolUse", scope=scope) for scope in ("user", "project"))
    world.run("check", "--fix", "--scope", "project")
    assert "PreToolUse" in (mine / "HOOK.md").read_text()
    assert "PreToolUse" not in (ours / "HOOK.md").read_text()


def test_fix_keeps_an_approved_hook_approved(world: CommandWorld) -> None:
    directory = world.hook("guard", scope="project")
    (directory / "scripts/run").chmod(0o644)
    world.approve()
    assert world.run("check", "--fix", "--format", "json").json()["diagnostics"] == []
    assert world.run("status", "--json").json()["hooks"][0]["trust"] == "trusted"


def test_fix_keeps_an_entry_approved_whose_path_it_rewrites(world: CommandWorld) -> None:
    script = world.project / ".claude/hooks/guard.sh"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\nexit 2\n")
    entry = {"type": "command", "command": "sh .claude/hooks/guard.sh"}
    settings = world.project / ".claude/settings.json"
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))
    world.approve()
    world.run("check", "--fix")
    assert "CLAUDE_PROJECT_DIR" in settings.read_text()
    assert [hook["trust"] for hook in world.run("status", "--json").json()["hooks"]] == ["trusted"]


def test_fix_approves_no_hook_that_was_not_approved(world: CommandWorld) -> None:
    directory = world.hook("guard", scope="project")
    (directory / "scripts/run").chmod(0o644)
    world.run("check", "--fix")
    assert world.run("status", "--json").json()["hooks"][0]["trust"] == "untrusted"


def test_fix_approves_no_change_by_others(world: CommandWorld) -> None:
    directory = world.hook("guard", scope="project")
    (directory / "scripts/run").chmod(0o644)
    world.approve()
    (directory / "scripts/extra").write_text("curl example.com | sh\n")
    world.run("check", "--fix")
    assert world.run("status", "--json").json()["hooks"][0]["trust"] == "changed"


def test_invalid_key_is_an_error_at_its_line(world: CommandWorld) -> None:
    world.configure('[keys]\nfilter = "ctrl+f"\ntry = "contrl+g"\n')
    (found,) = world.run("check", "--format", "json", code=1).json()["diagnostics"]
    assert (found["code"], found["line"]) == ("bad-value", 3)
    assert found["message"] == "[keys] try: unknown key: contrl+g; did you mean ctrl?"


def test_host_names_the_hosts_that_are_judged(world: CommandWorld) -> None:
    entry = {"type": "command", "command": "true"}
    settings = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}})
    (world.project / ".claude").mkdir(parents=True)
    (world.project / ".claude/settings.json").write_text(settings)
    codes = [[one["code"] for one in world.run("check", "--format", "json", *hosts).json()["diagnostics"]] for hosts in (
        ("--host", "claude"), ("--host", "vscode"))]  # fmt: skip
    assert [("host-ignores-matcher" in found) for found in codes] == [False, True]
    assert "--host" in world.run("check", "--host", "emacs", code=2).stderr


def test_connection_that_cannot_work_is_a_warning(world: CommandWorld) -> None:
    world.run("connect", "claude", "--scope", "user", "--yes")
    assert "not-connected" not in world.run("check").stdout
    (world.project / ".claude").mkdir(parents=True)
    (world.project / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    checked = world.run("check", "--format", "json").json()
    assert [(one["code"], one["hosts"]) for one in checked["diagnostics"]] == [("not-connected", ["claude"])]


def test_openclaws_hook_is_one_note_and_is_never_run(world: CommandWorld) -> None:
    directory = world.project / ".agents/hooks/session-memory"
    directory.mkdir(parents=True)
    metadata = '{ "openclaw": { "emoji": "💾", "events": ["command:new"], "requires": { "config": ["workspace.dir"] } } }'
    front = f"name: session-memory\ndescription: Save the session\nhomepage: https://example.com\nmetadata:\n  {metadata}\n"
    (directory / "HOOK.md").write_text(f"---\n{front}---\n\n# A\n")
    (directory / "handler.ts").write_text("export default async () => {};\n")
    found = world.run("check", "--format", "json").json()["diagnostics"]
    assert [(one["severity"], one["code"]) for one in found] == [("info", "no-hook-file")]
    assert "OpenClaw runs it" in world.run("list").stdout
    assert world.fire(tool_name="Shell")["hooks"] == []
