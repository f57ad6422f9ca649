"""Real transcripts of every agent are read as they were written (samples/expected.json, made by hand)."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from tests.unit.transcripts.sample_trees import SAMPLES, TREES, agent_of, differences, install, readings

TREES_READ = {name: tree for name, tree in TREES.items() if agent_of(tree) and (SAMPLES / name).is_dir()}


@pytest.mark.parametrize("chunk", [1 << 30, 1, 7], ids=["at once", "line by line", "seven lines at a time"])
@pytest.mark.parametrize("name", TREES_READ)
def test_a_tree_has_the_expected_sessions_and_events(name: str, chunk: int, tmp_path: Path) -> None:
    tree = TREES_READ[name]
    agent = agent_of(tree)
    assert agent is not None
    install(name, tmp_path)
    sessions = readings(agent, tmp_path, chunk)
    assert sorted(sessions) == sorted(session["id"] for session in tree["sessions"])
    copied: set[str] = set()
    for expected in tree["sessions"]:
        parts = sessions[expected["id"]]
        events = [
            event for event in chain.from_iterable(part.take() for part in parts) if event.uid not in copied or not event.uid
        ]
        copied |= {event.uid for event in events}
        assert differences(expected["events"], events) == []
        session = next((part.session for part in parts if part.session.prompt), parts[0].session)
        assert session.cwd == expected["cwd"]
        assert session.project == expected.get("project", "")
        assert session.name == ("first session" if "forked_from" in expected and agent.name == "claude" else expected["title"])
        assert session.model == expected.get("model", session.model)
        assert sum(part.skipped for part in parts) == expected.get("broken_lines", 0)
