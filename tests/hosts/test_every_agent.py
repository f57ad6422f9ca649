"""One rule in one project, obeyed by every agent program that is connected there."""

from __future__ import annotations

import os

from tests.hosts.agent_world import AgentWorld
from tests.hosts.hook_scripts import DENIES, REASON


def test_the_same_command_is_denied_in_each_and_logged_once(every: list[AgentWorld]) -> None:
    first = every[0]
    first.hook("guard", DENIES, matcher={"pattern": "ran"})
    programs = os.pathsep.join(str(world.program.path.parent) for world in every)
    said = first.run("connect", "--all", "--yes", PATH=f"{programs}{os.pathsep}{os.environ['PATH']}").stdout
    for world in every:
        assert f"Connected {world.program.title}" in said
        world.connect()
    for world in every:
        session = world.session()
        assert REASON in session.heard, world.host
        assert not world.marker.exists(), world.host
    first.run("import")  # a transcript may tell a denial as an error of the tool
    denied = first.decisions("decision:deny")
    assert sorted(report["host"] for report in denied) == sorted(world.host for world in every)
    assert {report["outcome"] for report in denied} == {"denied-by-hook"}
    assert len({report["session_id"] for report in denied}) == len(every)
    first.run("disconnect", "--all", "--yes")
    first.run("disconnect", "--all", "--scope", "user", "--yes")
    assert "Nothing to do" in first.run("disconnect", "--all", "--yes").stdout
