"""The real programs lose the files and hooks that hooktui says they lose, by the table in unit/formats/test_bad_input.py."""

from __future__ import annotations

import pytest

from tests.bad_input import BAD, GOOD, MISTAKES, PLACES
from tests.hosts.agent_world import AgentWorld
from tests.hosts.codex_cli import CodexWorld
from tests.hosts.other_programs import KimiWorld, QwenWorld

# A mistake of each kind by program, a session each.
SESSIONS = {
    "claude": ("comment", "matcher [", "event null", "wrapper"),
    "copilot": ("cut off", "event null", "half a character", "matcher (?P<", "entry null", "command missing", "timeout 0"),
    "settings": ("nothing", "timeout text"),
    "gemini": ("nothing", "a list", "not UTF-8", "matcher number", "matcher [", "group", "command missing"),
    "qwen": ("cut off", "a list", "unknown event", "matcher [", "group", "command missing", "timeout 0", "event null"),
    "droid": ("type missing", "timeout 1.5", "matcher [", "timeout -1", "timeout 0"),
    "kimi": ("timeout text", "byte order mark"),
    "toml": ("event object", "matcher (?!"),
}


def reported(agent: AgentWorld) -> tuple[bool, ...]:
    """Whether hooktui says that the program starts, and that it runs the first and the second hook, if trusted."""
    report = agent.run("check", "--host", agent.host, "--format", "json", code=None).json()["diagnostics"]
    starts = not any("does not start" in item["message"] for item in report)
    works = {
        hook["command"]
        for hook in agent.run("list", "--json").json()
        for reach in hook["hosts"]
        if hook["enabled"] and reach["host"] == agent.host and (reach["works"] or "trust" in reach["why"])
    }
    return starts, *(any(name in command for command in works if command) for name in (BAD, GOOD))


@pytest.mark.parametrize(("name", "mistake"), [(name, mistake) for name, mistakes in SESSIONS.items() for mistake in mistakes])
def test_what_runs_beside_a_mistake(request: pytest.FixtureRequest, name: str, mistake: str) -> None:
    place = PLACES[name]
    agent: AgentWorld = request.getfixturevalue(place.host)
    place.write(MISTAKES[mistake](place), agent.home, agent.project)
    expected = reported(agent)
    trusting = ("--dangerously-bypass-hook-trust",) if place.host == "codex" else ()
    session = agent.session(options=trusting)
    assert (session.turns > 0, *((agent.project / name).exists() for name in (BAD, GOOD))) == expected


def test_codex_lists_the_hooks_that_hooktui_says_it_runs(codex: CodexWorld) -> None:
    place = PLACES["codex"]
    differ = []
    for mistake, text in MISTAKES.items():
        place.write(text(place), codex.home, codex.project)
        runs = {hook["command"].split(" #")[0] for hook in codex.listed()}
        _, *expected = reported(codex)
        differ += [mistake] if [f"touch {name}" in runs for name in (BAD, GOOD)] != expected else []
    assert differ == []


@pytest.mark.parametrize("host", ["gemini", "qwen"])
def test_switches_of_older_versions_switch_nothing_off(request: pytest.FixtureRequest, host: str) -> None:
    place = PLACES[host]
    agent: AgentWorld = request.getfixturevalue(host)
    value = place.file(place.groups(name="mine"), disabled=["mine"], enabled=False)
    place.write(place.text(value), agent.home, agent.project)
    assert reported(agent) == (True, True, True)
    agent.session()
    assert all((agent.project / name).exists() for name in (BAD, GOOD))


def test_hooks_of_a_plugin_run(kimi: KimiWorld) -> None:
    place = PLACES["kimi"]
    home = kimi.home / ".kimi-code/plugins"
    kimi.write("~/.kimi-code/plugins/managed/ours/kimi.plugin.json", {"name": "ours", "hooks": place.groups(timeout="30")})
    plugin = {"id": "ours", "enabled": True, "root": str(home / "managed/ours"), "source": "local-path", "originalSource": "/"}
    kimi.write("~/.kimi-code/plugins/installed.json", {"version": 1, "plugins": [plugin]})
    assert reported(kimi) == (True, False, True)
    kimi.session()
    assert [(home / "managed/ours" / name).exists() for name in (BAD, GOOD)] == [False, True]


def test_hooks_of_an_extension_run(qwen: QwenWorld) -> None:
    place = PLACES["qwen"]
    qwen.write("~/.qwen/extensions/ours/qwen-extension.json", {"name": "ours", "version": "1.0.0"})
    qwen.write("~/.qwen/extensions/ours/hooks/hooks.json", place.file(place.groups()))
    qwen.write("~/.qwen/extensions/theirs/qwen-extension.json", {"name": "theirs", "version": "1.0.0", "hooks": {}})
    assert reported(qwen) == (True, True, True)
    qwen.session()
    assert (qwen.project / BAD).exists()
