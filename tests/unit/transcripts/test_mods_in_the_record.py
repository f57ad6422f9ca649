"""What the log knows of Claude Code's mods: who denied a call, and who may have let a denied one run."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from hooktui.catalog import catalog
from hooktui.catalog.catalog import Catalog
from hooktui.catalog.known_hooks import KnownHooks
from hooktui.core.hook_sources import MOD_FORMAT
from hooktui.core.model import Hook, Mod
from hooktui.log.read import call_rows
from hooktui.log.read.reader import LogReader
from hooktui.screens.sessions.session_summary import denials
from hooktui.screens.widgets import report_text
from tests.claude_transcript import ClaudeTranscript
from tests.command_world import CommandWorld
from tests.unit.transcripts.past_imports import imported, logged
from tests.unit.transcripts.test_unnamed_hooks import REASON, settings, the_call

CHECK = "hook:tool.check"


def mod(file: Path, event: str = "tool.check", *, gates: bool = True, **values: Any) -> Hook:
    """A mod's registration, as it is listed."""
    name = f"{values.get('label', 'moda')}@skills-dir"
    about = {"id": f"{file}:{event}", "event": "pre-tool-call", "event_as_written": event, "format": "claude", "scope": "user"}
    named = {"label": "moda", "name": name, "type": "mod", "file": str(file), "line": 3, "version": f"v:{file}:{event}"}
    source = Mod(plugin=name, plugin_root=str(file.parent), read_only="", gates=gates, allows=gates)
    return Hook(**{**about, **named, "source": source, **values})


@pytest.fixture
def module(world: CommandWorld) -> Path:
    """A module file that is a minute old."""
    file = world.home / ".claude/skills/moda/hooks/m.js"
    file.parent.mkdir(parents=True)
    file.write_text("export function register(on) {}\n")
    os.utime(file, (time.time() - 60, time.time() - 60))
    return file


@pytest.fixture
def transcript(world: CommandWorld) -> ClaudeTranscript:
    transcript = ClaudeTranscript(world.home, str(world.project), "s1")
    transcript.prompt("push it")
    return transcript


def listed(monkeypatch: pytest.MonkeyPatch, *more: Hook) -> None:
    """List these mods, too."""
    load = catalog.load

    def with_mods(*arguments: Any) -> Catalog:
        known = load(*arguments)
        own = tuple(hook for hook in known.hooks if hook not in more)
        return known._replace(hooks=(*own, *more))

    monkeypatch.setattr(catalog, "load", with_mods)


def deniers(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(hook["label"], hook["name"]) for hook in report["hooks"] if hook["decision"] == "deny"]


def checked(transcript: ClaudeTranscript, named: str) -> str:
    """A mod denies a call at `tool.check`; the call's id."""
    call = transcript.call("git push --force")
    transcript.refused(call, f"Permission to use Bash denied by {named}: {REASON}", CHECK)
    return call


def payload(world: CommandWorld, call: str, event: str = "PreToolUse") -> dict[str, Any]:
    about = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}, "tool_use_id": call}
    return {"hook_event_name": event, "session_id": "s1", "cwd": str(world.project), **about}


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_denial_that_names_a_mod_is_the_mods(world: CommandWorld, transcript: ClaudeTranscript, *, is_recorded: bool) -> None:
    settings(world, "guard")
    call = checked(transcript, "plugins moda, cc-plugin-privacy")
    if is_recorded:
        world.run("run", "--host", "claude", stdin=payload(world, call))
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["outcome"], report["reason"]) == ("deny", "denied-by-hook", REASON)
    assert deniers(report) == [("moda", "moda")]
    (run,) = [hook for hook in report["hooks"] if hook["decision"] == "deny"]
    assert (run["format"], run["via"]) == (MOD_FORMAT, None)
    assert "moda (user): ok, deny\n" in world.run("show", report["id"]).stdout
    assert len(logged(world, "hook:moda")) == 1
    assert "intact" in world.run("doctor", "--verify").stdout


def test_a_mod_that_is_listed_is_known_by_its_id(
    world: CommandWorld, transcript: ClaudeTranscript, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(monkeypatch, mod(module), mod(module, "tool.call"))
    checked(transcript, "plugins moda, cc-plugin-privacy")
    imported(world)
    (run,) = [hook for hook in the_call(world)["hooks"] if hook["decision"] == "deny"]
    assert (run["label"], run["name"], run["file"]) == ("moda", "moda@skills-dir", str(module))


def test_of_two_registrations_of_a_mod_its_id_is_known(
    world: CommandWorld, transcript: ClaudeTranscript, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(monkeypatch, mod(module), mod(module, "tool.*"))
    checked(transcript, "plugin moda")
    imported(world)
    assert deniers(the_call(world)) == [("moda", "moda@skills-dir")]


def test_of_several_mods_that_are_named_any_may_have_denied(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    checked(transcript, "plugins moda, modb, cc-plugin-privacy")
    imported(world)
    assert deniers(the_call(world)) == [("moda or modb", "moda or modb")]


def test_a_call_that_a_mod_answers_before_any_hook_is_denied_by_a_mod(
    world: CommandWorld, transcript: ClaudeTranscript, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which one is not recorded, be there only one or more."""
    listed(monkeypatch, mod(module, "tool.call"))
    settings(world, "guard")
    call = transcript.call("git push --force")
    transcript.refused(call, f"<tool_use_error>{REASON}</tool_use_error>")
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["outcome"], report["reason"]) == ("deny", "denied-by-hook", REASON)
    assert deniers(report) == [("a mod", "a mod")]


def test_a_denial_that_a_mod_may_have_worded_is_of_no_hook_of_the_settings(
    world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    settings(world, "guard")
    transcript.refused(transcript.call("git push --force"), REASON, "hook:PreToolUse")
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["outcome"], report["reason"]) == ("deny", "denied-by-hook", REASON)
    assert [(hook["label"], hook["state"]) for hook in report["hooks"]] == [("guard", "unrecorded")]


def overruled(world: CommandWorld) -> dict[str, Any]:
    """A call that a hook denies, and that runs; its report."""
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    for event in ("PreToolUse", "PostToolUse"):
        world.run("run", "--host", "claude", stdin=payload(world, "call-1", event), code=None)
    (report,) = logged(world, "overruled:true")
    return report


async def shown(db: str) -> tuple[str, str]:
    """The title of the only call, as the Live screen shows it, and the denials of the session."""
    reader = await LogReader.open(db)
    (session,) = await reader.sessions()
    events = await reader.session_events(session.id)
    summary = await reader.summary(session.id, events)
    reports = await reader.call(events[0].id)
    title = report_text.title(call_rows.merged(list(KnownHooks(db).completed(reports))))
    of_session = await denials(summary, reader)
    await reader.close()
    return title.plain, "\n".join(value.plain for _, value in of_session)


def test_an_overruled_denial_names_the_mods_that_may_have_allowed_the_call(
    world: CommandWorld, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = module.with_name("new.js")
    others = (
        mod(module, "classic.Stop", label="stops"),
        mod(module, "tool.check", label="off", enabled=False),
        mod(module, "tool.check", label="observes", gates=False),
        mod(module, "tool.check", label="of-writes", tool="Write"),
        mod(new, "tool.check", label="came-later"),
    )
    listed(monkeypatch, mod(module), mod(module, "classic.*", label="modb"), mod(module, "tool.call"), *others)
    report = overruled(world)
    assert report["may_have_allowed"] == ["moda", "modb"]
    said = "denied by guard, but it ran: moda or modb may have allowed it"
    assert said in world.run("show", report["id"]).stdout
    title, of_session = asyncio.run(shown(str(world.db)))
    assert said in title
    assert said.removeprefix("denied by ") in of_session


def test_a_debug_log_says_which_mod_allowed_an_overruled_call(
    world: CommandWorld, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(monkeypatch, mod(module), mod(module, label="modb"))
    monkeypatch.setenv("HOME", str(world.home))
    report = overruled(world)
    log = world.home / f".claude/debug/{report['session_id']}.txt"
    log.parent.mkdir()
    log.write_text("2026-11-12T16:32:04.883Z [DEBUG] tool.check Bash call-1: unevaluated -> allow by plugins modb\n")
    said = "denied by guard, but it ran: the debug log says modb allowed it at tool.check"
    assert said in world.run("show", report["id"]).stdout
    title, of_session = asyncio.run(shown(str(world.db)))
    assert said in title
    assert said.removeprefix("denied by ") in of_session


def test_without_mods_an_overruled_denial_names_none(world: CommandWorld) -> None:
    report = overruled(world)
    assert report["may_have_allowed"] == []
    assert "denied by guard, but it ran\n" in world.run("show", report["id"]).stdout


@pytest.mark.parametrize("is_first", [True, False])
def test_a_stop_that_was_held_before_any_hook_is_not_the_one_that_was_recorded(
    world: CommandWorld, transcript: ClaudeTranscript, *, is_first: bool
) -> None:
    def record() -> None:
        said = {"hook_event_name": "Stop", "session_id": "s1", "prompt_id": "p", "last_assistant_message": "all done"}
        world.run("run", "--host", "claude", stdin={**said, "cwd": str(world.project)})

    transcript.stopped("done")
    transcript.meta(f"Stop hook feedback:\n{REASON}")
    transcript.stopped("all done")
    steps = (lambda: imported(world), record)
    for step in steps if is_first else reversed(steps):
        step()
    stops = logged(world, "event:pre-agent-turn-stop")
    assert [(stop["origin"], stop["outcome"]) for stop in stops] == [("transcript", "denied"), ("run", "passed")]
