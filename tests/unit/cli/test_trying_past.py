"""`hooktui try --past`: a hook on the events of the log."""

from __future__ import annotations

import json
from typing import Any

from tests.claude_transcript import ClaudeTranscript
from tests.command_world import CommandWorld, wait_until
from tests.unit.cli.test_trying import BLOCK, ENDLESS, is_gone


def test_past_compares_new_and_logged_decisions(world: CommandWorld) -> None:
    directory = world.hook("guard", BLOCK, matcher={"tool": "Shell"})
    for tool in ("Shell", "Read"):
        world.fire(tool_name=tool, tool_input={"command": f"make {tool}"})
    (directory / "scripts/run").write_text("#!/bin/sh\n")
    found = world.run("try", "guard", "--past", "10", "--json").json()
    assert {key: found[key] for key in ("hook", "events", "matched", "changed", "decisions", "left_out", "runs")} == {
        "hook": "agenthooks:user:guard", "events": 2, "matched": 1, "changed": 1, "decisions": {"none": 1}, "left_out": 0,
        "runs": 1,
    }  # fmt: skip
    shell, read = found["rows"]
    assert (shell["about"], shell["then"]["decision"], shell["now"]["decision"]) == ("make Shell", "deny", "none")
    assert (shell["changed"], read["changed"], read["now"]["skip"]) == (True, False, "tool-mismatch")
    [sample] = found["samples"]
    assert (sample["id"], sample["tool_name"], sample["input"]) == (shell["id"], "Shell", "make Shell")
    assert (sample["was"], sample["now"]) == ("deny", "none")


def test_past_prints_the_events_that_the_hook_matches(world: CommandWorld) -> None:
    world.hook("guard", BLOCK, matcher={"tool": "Shell"})
    for tool in ("Shell", "Read"):
        world.fire(tool_name=tool, tool_input={"command": f"make {tool}"})
    event, total = world.run("try", "guard", "--past").stdout.splitlines()
    assert event.split()[2:] == ["deny", "→", "deny", "Shell", "make", "Shell"]
    assert total.startswith("1 of 2 events matched (1 deny); 0 with a different decision (1 run in")
    [total] = world.run("try", "guard", "--past", "1").stdout.splitlines()
    assert total.startswith("0 of 1 event matched; 0 with a different decision (0 runs in")


def test_past_of_a_hook_that_never_runs_says_why(world: CommandWorld) -> None:
    world.hook("guard", BLOCK, matcher={"pattern": "git push ("})
    world.fire(tool_name="Shell", tool_input={"command": "git push"})
    [total] = world.run("try", "guard", "--past").stdout.splitlines()
    assert "; the hook never runs: pattern is not a valid regex: missing ), unterminated" in total


def test_past_of_a_new_hook_says_what_it_would_do_and_who_denied_then(world: CommandWorld) -> None:
    world.hook("scan", BLOCK, matcher={"pattern": "force"})
    for command in ("git push --force", "git push", "ls"):
        world.fire(tool_name="Shell", tool_input={"command": command})
    world.hook("guard", BLOCK, matcher={"pattern": "git push"})
    found = world.run("try", "guard", "--past", "--json").json()
    assert (found["matched"], found["changed"], found["decisions"]) == (2, 2, {"deny": 2})
    assert [(sample["was"], sample["now"], sample["denied_by"]) for sample in found["samples"]] == [
        ("none", "deny", []),
        ("none", "deny", ["scan"]),
    ]
    *events, total = world.run("try", "guard", "--past").stdout.splitlines()
    assert sorted(line.partition("→ ")[2] for line in events) == [
        "deny        Shell      git push",
        "deny        Shell      git push --force  denied by scan then",
    ]
    assert total.startswith("2 of 3 events matched; would now deny 2 (2 runs in")


def test_past_shows_its_progress_at_a_terminal(world: CommandWorld) -> None:
    world.hook("guard", BLOCK, matcher={"pattern": "git push"})
    world.fire(tool_name="Shell", tool_input={"command": "git push " + "--long " * 20})
    for columns in (80, 120):
        shown = world.at_terminal("try", "guard", "--past", columns=columns).stdout
        assert "Searching 1 of 1 event…" in shown
        assert "Tried on 1 of 1 event…" in shown
        *_, total = shown.rstrip().rpartition("\x1b[K")
        assert total.startswith("1 of 1 event matched")
        assert "\x1b[K" not in world.run("try", "guard", "--past").stderr


def test_past_takes_a_query(world: CommandWorld) -> None:
    world.hook("guard", BLOCK)
    for command in ("git push --force", "git push", "ls"):
        world.fire(tool_name="Shell", tool_input={"command": command})
    for query, about in (
        ("push", ["git push --force", "git push"]),
        ('"push --force" tool:Shell', ["git push --force"]),
        ("since:1h -push", ["ls"]),
        ("tool:Read", []),
    ):
        past = world.run("try", "guard", "--past", query, "--json").json()
        assert [row["about"] for row in past["rows"]] == about
        assert (past["events"], past["matched"]) == (len(about), len(about))


def test_past_refuses_a_wrong_query(world: CommandWorld) -> None:
    world.hook("guard", BLOCK)
    assert "unknown field tol: did you mean tool:Shell?" in world.run("try", "guard", "--past", "tol:Shell", code=2).stderr
    assert "--past: 501 is not between 1 and 500" in world.run("try", "guard", "--past", "501", code=2).stderr


def test_interrupting_past_kills_the_hook(world: CommandWorld) -> None:
    world.fire(tool_name="Shell", tool_input={})
    world.hook("endless", ENDLESS)
    running = world.start("try", "endless", "--past", "5")
    wait_until((world.project / "pid").exists)
    running.interrupt()
    ended = running.wait()
    assert (ended.code, ended.stderr) == (130, "hooktui: interrupted: tried on 0 events; nothing was recorded\n")
    wait_until(lambda: is_gone(world))


def test_past_excludes_other_sources_and_preview(world: CommandWorld) -> None:
    world.hook("guard")
    for more in (("--from", "1"), ("--preview",)):
        assert "--past" in world.run("try", "guard", "--past", "5", *more, code=2).stderr


def test_past_of_a_transcript_is_compared_with_the_hooks_own_denials(world: CommandWorld) -> None:
    def entry(name: str) -> dict[str, Any]:
        script = world.project / f"{name}.sh"
        script.write_text(BLOCK)
        script.chmod(0o755)
        return {"matcher": "Bash", "hooks": [{"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/{name}.sh'}]}

    settings = world.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [entry("guard"), entry("scan")]}}))
    transcript = ClaudeTranscript(world.home, str(world.project), "s1")
    transcript.prompt("push it")
    transcript.denied(transcript.call("git push --force"), '"$CLAUDE_PROJECT_DIR"/guard.sh', "no")
    transcript.denied(transcript.call("git push -f"), '"$CLAUDE_PROJECT_DIR"/scan.sh', "no")
    transcript.result(transcript.call("ls"))
    world.run("import", "--since", "all")
    world.approve()
    found = world.run("try", "guard.sh", "--past", "--json").json()
    assert (found["events"], found["matched"], found["changed"], found["decisions"]) == (3, 3, 2, {"deny": 3})
    assert {sample["input"]: (sample["was"], sample["now"], sample["denied_by"]) for sample in found["samples"]} == {
        "git push --force": ("deny", "deny", []),
        "git push -f": ("none", "deny", ["scan.sh"]),
        "ls": ("none", "deny", []),
    }
    settings.write_text(settings.read_text().replace("Bash", "Bash|Write"))  # another matcher, another id
    world.approve()
    assert world.run("try", "guard.sh", "--past", "--json").json()["samples"] == found["samples"]
