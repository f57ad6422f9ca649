"""Every guard decides in the real Factory droid, and hooktui reads its hook files as it does.

`droid exec` never fires UserPromptSubmit, nor an event for a failed tool.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.hosts.hook_scripts import DENIES, REASON, answering
from tests.hosts.other_programs import DroidWorld
from tests.hosts.scripted_model import say


@pytest.fixture
def connected(droid: DroidWorld) -> DroidWorld:
    droid.connect()
    return droid


def group(tag: str, **values: Any) -> dict[str, Any]:
    """A group whose command leaves a file of that name."""
    return {**values, "hooks": [{"type": "command", "command": f"touch {tag}.hook"}]}


def test_every_event_is_in_the_log_and_a_denial_reaches_the_model(connected: DroidWorld) -> None:
    connected.session()
    assert connected.marker.read_text() == "original\n"
    assert sorted(report["event"] for report in connected.decisions()) == [
        "post-session",
        "post-tool-call",
        "pre-agent-turn-stop",
        "pre-session",
        "pre-tool-call",
    ]
    connected.marker.unlink()
    connected.hook("guard", DENIES, matcher={"pattern": "ran"})
    assert REASON in connected.session().heard
    assert not connected.marker.exists()


def test_a_rewritten_input_is_what_runs_allow_is_silence_and_context_reaches_the_model(connected: DroidWorld) -> None:
    connected.hook("allow", answering(decision="allow"))
    connected.hook("rewrite", answering(modified_input={"command": "echo rewritten > ran.txt"}))
    for trigger in ("pre-session", "post-tool-call"):
        connected.hook(trigger, answering(additional_context=f"the moon at {trigger}"), trigger=trigger)
    heard = connected.session().heard
    assert connected.marker.read_text() == "rewritten\n"
    assert "the moon at pre-session" in heard
    assert "the moon at post-tool-call" in heard


def test_a_rewrite_that_would_be_merged_is_a_denial(connected: DroidWorld) -> None:
    connected.hook("rewrite", answering(modified_input={"timeout": 5}))
    assert "removes command from this input" in connected.session().heard
    assert not connected.marker.exists()


def test_a_denied_tool_result_is_feedback_beside_it(connected: DroidWorld) -> None:
    connected.hook("guard", DENIES, trigger="post-tool-call")
    heard = connected.session(connected.shell("echo the$(echo Result)"), say("all done")).heard
    assert REASON in heard
    assert "theResult" in heard


def test_connecting_keeps_the_hooks_in_the_settings_and_disconnecting_restores_every_byte(droid: DroidWorld) -> None:
    settings = droid.write(".factory/settings.json", {"hooks": {"PreToolUse": [group("mine")]}})
    before = settings.read_bytes()
    droid.connect()
    droid.hook("guard", DENIES)
    droid.session()
    assert not droid.marker.exists()
    assert (droid.project / "mine.hook").exists()
    droid.run("disconnect", "droid", "--yes")
    assert settings.read_bytes() == before
    assert not droid.hooks.exists()


@pytest.mark.parametrize(
    "text",
    [
        '{"PreToolUse": [OWN, {"hooks": [{"command": "true"}]}]}',
        '{"PreToolUse": [OWN],}',
        '{"hooks": {"PreToolUse": [OWN]}}',
        '{"PreToolUse": [OWN], "Stop": {}}',
    ],
)
def test_a_file_that_hooktui_calls_ignored_is_ignored(droid: DroidWorld, text: str) -> None:
    droid.hooks.parent.mkdir()
    droid.hooks.write_text(text.replace("OWN", json.dumps(group("mine"))))
    droid.session()
    assert not (droid.project / "mine.hook").exists()
    found = droid.run("check", "--format", "json", code=None).json()["diagnostics"]
    assert "host-skips-file" in [item["code"] for item in found]


def test_what_hooktui_lists_as_enabled_is_what_runs(droid: DroidWorld) -> None:
    subprocess.run(["git", "init", "--quiet", droid.project], check=True)
    droid.write(".factory/hooks.json", {"PreToolUse": [group("a", matcher="Exec"), group("b", matcher="execute")]})
    droid.write(".factory/settings.json", {"hooks": {"PreToolUse": [group("c")], "Stop": [group("d")]}})
    droid.write("sub/.factory/hooks.json", {"PreToolUse": [group("e")]})
    droid.session(sub="sub")
    ran = {path.stem for path in droid.project.rglob("*.hook")}
    assert ran == {"a", "d", "e"}
    listed = droid.run("list", "sub", "--json").json()
    enabled = {hook["command"].removeprefix("touch ")[0] for hook in listed if hook["format"] == "droid" and hook["enabled"]}
    assert enabled == {"a", "b", "d", "e"}, "b has a matcher that matches no tool"
