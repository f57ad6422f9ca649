from __future__ import annotations

import json

from tests.command_world import CommandWorld

MARK = "#!/bin/sh\ntouch ran\n"


def _ran(world: CommandWorld) -> bool:
    world.fire(tool_name="Shell", tool_input={})
    return (world.project / "ran").exists()


def _states(world: CommandWorld) -> dict[str, str]:
    return {hook["name"]: hook["trust"] for hook in world.run("status", "--json").json()["hooks"]}


def test_status_names_hash_and_covered_files(world: CommandWorld) -> None:
    world.hook("mine")
    world.hook("ours", scope="project")
    status = world.run("status", "--json").json()
    assert status["project"] == str(world.project)
    assert status["hash"].startswith("sha256:")
    [hook] = status["hooks"]
    assert (hook["name"], hook["trust"], hook["covers"]) == ("ours", "untrusted", ["HOOK.md", "scripts/run"])


def test_status_counts_the_files_that_it_does_not_show(world: CommandWorld) -> None:
    directory = world.hook("guard", scope="project")
    for number in range(30):
        (directory / f"scripts/part-{number:02}").touch()
    text, hooks = world.run("status").stdout, world.run("status", "--json").json()["hooks"]
    assert len(hooks[0]["covers"]) == 32
    assert "scripts/part-18 and 12 more (all with --json)" in text


def test_status_tells_hooks_of_one_name_apart_by_host_and_file(world: CommandWorld) -> None:
    entry = {"type": "command", "command": "./guard.sh"}
    for file, event in ((".codex/hooks.json", "PreToolUse"), (".gemini/settings.json", "BeforeTool")):
        (world.project / file).parent.mkdir()
        (world.project / file).write_text(json.dumps({"hooks": {event: [{"matcher": "*", "hooks": [entry]}]}}))
    (world.home / ".codex").mkdir()
    (world.home / ".codex/config.toml").touch()
    told = world.run("status").stdout
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert "run by Gemini CLI guard.sh gemini .gemini/settings.json" in lines
    assert [line for line in lines if line.startswith("Codex CLI does not run guard.sh:")]
    assert "untrusted" not in told


def test_the_hash_of_status_approves_all_hooks(world: CommandWorld) -> None:
    world.hook("ours", MARK, scope="project")
    world.hook("others", scope="project")
    world.approve()
    assert _states(world) == {"ours": "trusted", "others": "trusted"}
    assert _ran(world)


def test_another_hash_is_refused(world: CommandWorld) -> None:
    directory = world.hook("ours", scope="project")
    seen = world.run("status", "--json").json()["hash"]
    (directory / "scripts/run").write_text("#!/bin/sh\ntouch ran\n")
    world.run("trust", "--hash", seen, code=1)
    assert _states(world) == {"ours": "untrusted"}


def test_one_hook_is_approved_by_its_own_hash(world: CommandWorld) -> None:
    world.hook("ours", scope="project")
    world.hook("others", scope="project")
    status = world.run("status", "--json").json()
    world.run("trust", "--hook", "ours", "--hash", status["hash"], code=1)
    own = next(hook["hash"] for hook in status["hooks"] if hook["name"] == "ours")
    world.run("trust", "--hook", "ours", "--hash", own)
    assert _states(world) == {"ours": "trusted", "others": "untrusted"}


def test_at_a_terminal_every_file_is_shown_before_the_question(world: CommandWorld) -> None:
    directory = world.hook("ours", MARK, scope="project")
    (directory / "notes.txt").write_text("read me \x1b[2J too\n")
    shown = world.at_terminal("trust", types="y\n", NO_COLOR="1")
    assert shown.code == 0
    before, _, after = shown.stdout.partition("Approve this hook?")
    assert "touch ran" in before
    assert "read me ␛[2J too" in before
    assert "scripts/run, executable" in before
    assert "Approved: ours" in after
    assert _ran(world)


def test_answering_no_approves_nothing(world: CommandWorld) -> None:
    world.hook("ours", MARK, scope="project")
    assert world.at_terminal("trust", types="n\n").code == 1
    assert not _ran(world)


def test_end_of_input_approves_nothing(world: CommandWorld) -> None:
    world.hook("ours", MARK, scope="project")
    assert world.at_terminal("trust", types="\x04").code == 1
    assert not _ran(world)


def test_link_is_shown_with_its_target(world: CommandWorld) -> None:
    directory = world.hook("ours", scope="project")
    (world.project / "elsewhere.sh").write_text("echo from elsewhere\n")
    (directory / "more.sh").symlink_to("../../../elsewhere.sh")
    shown = world.at_terminal("trust", types="n\n", NO_COLOR="1").stdout
    assert "more.sh, → ../../../elsewhere.sh" in shown
    assert "echo from elsewhere" in shown


def test_trust_shows_the_lines_changed_since_the_approval(world: CommandWorld) -> None:
    directory = world.hook("ours", scope="project")
    world.approve()
    (directory / "scripts/run").write_text(MARK)
    shown = world.at_terminal("trust", types="n\n", NO_COLOR="1").stdout
    assert "scripts/run, executable, changed since you approved it" in shown
    assert "+touch ran" in shown


def test_the_text_of_an_entry_is_shown_before_the_question(world: CommandWorld) -> None:
    settings = world.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "curl evil"}]}]}}')
    assert "curl evil" in world.at_terminal("trust", types="n\n", NO_COLOR="1").stdout.partition("Approve this hook?")[0]
    settings.write_text(json.dumps(json.loads(settings.read_text()), indent=4))
    shown = world.at_terminal("trust", types="n\n", NO_COLOR="1").stdout
    assert '    {\n        "type": "command",\n        "command": "curl evil"\n    }\n' in shown.replace("\r", "")


def test_untrust_revokes_the_approval(world: CommandWorld) -> None:
    world.hook("ours", MARK, scope="project")
    world.hook("others", scope="project")
    world.approve()
    assert "ours" in world.run("untrust", "--hook", "ours").stdout
    assert _states(world) == {"ours": "untrusted", "others": "trusted"}
    assert not _ran(world)


def test_unknown_name_is_a_usage_error(world: CommandWorld) -> None:
    world.hook("ours", scope="project")
    assert "hooktui status" in world.run("trust", "--hook", "theirs", code=2).stderr


def test_trust_without_unapproved_hooks_succeeds(world: CommandWorld) -> None:
    world.hook("mine")
    assert "Nothing to approve" in world.run("trust").stdout


def test_entry_stays_approved_when_another_is_inserted_above_it(world: CommandWorld) -> None:
    settings = world.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    guard, other = ({"type": "command", "command": command} for command in ("./guard.sh", "./other.sh"))
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [guard]}]}}))
    world.approve()
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [other, guard]}]}}))
    hooks = world.run("status", "--json").json()["hooks"]
    assert {hook["label"]: hook["trust"] for hook in hooks} == {"other.sh": "untrusted", "guard.sh": "trusted"}
