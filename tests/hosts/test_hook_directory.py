"""Where the real programs start hooks, whatever directory the agent changes to."""

from __future__ import annotations

import pytest

from tests.hosts.agent_world import AgentWorld
from tests.hosts.scripted_model import say

_PLACES = {
    "gemini": (".gemini/settings.json", "BeforeTool"),
    "qwen": (".qwen/settings.json", "PreToolUse"),
    "droid": (".factory/hooks.json", "PreToolUse"),
}


@pytest.fixture(params=_PLACES)
def started(request: pytest.FixtureRequest) -> AgentWorld:
    """A program with a hook that notes its directory, in a script with a relative path."""
    world: AgentWorld = request.getfixturevalue(request.param)
    file, event = _PLACES[request.param]
    script = world.project / "hooks/note.sh"
    script.parent.mkdir()
    script.write_text(f'pwd >> "{world.home}/directories"\n')
    (world.project / "sub").mkdir()
    events = {event: [{"matcher": "*", "hooks": [{"type": "command", "command": "bash hooks/note.sh"}]}]}
    world.write(file, events if request.param == "droid" else {"hooks": events})
    return world


def test_hooks_start_in_the_project_after_the_agent_changed_directory(started: AgentWorld) -> None:
    started.session(*map(started.shell, ("cd sub && pwd", "cd sub; pwd", "pwd")), say("all done"))
    assert (started.home / "directories").read_text().split() == [str(started.project)] * 3
    assert "relative-path" not in {item["code"] for item in started.run("check", "--format", "json").json()["diagnostics"]}
