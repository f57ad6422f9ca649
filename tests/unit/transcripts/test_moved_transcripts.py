"""Transcripts are read where the variables of their agent put them (seen with the real programs, tests/hosts)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hooktui import hosts
from hooktui.transcripts.agents import AGENTS, BY_NAME
from hooktui.transcripts.transcript_spec import TranscriptSpec

HOME = "HOME of the user"


def written(directory: Path, pattern: str) -> str:
    """The path of a transcript, with a name for each `*` of its pattern."""
    path = directory / pattern.replace("*", "a")
    path.parent.mkdir(parents=True)
    path.touch()
    return str(path)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for host in hosts.specs():
        for variable in host.moved.values():
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / HOME))
    return tmp_path / HOME


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_they_are_in_the_home_directory(agent: TranscriptSpec, home: Path) -> None:
    path = written(home, agent.host.transcripts[0].removeprefix("~/"))
    assert list(agent.paths()) == [path]
    assert agent.owns(path)


@pytest.mark.parametrize("agent", [agent for agent in AGENTS if agent.host.moved], ids=lambda agent: agent.name)
def test_a_variable_moves_them_as_it_moves_hooks(
    agent: TranscriptSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = agent.host.transcripts[0]
    place, variable = next(item for item in agent.host.moved.items() if pattern.startswith(f"{item[0]}/"))
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    path = written(tmp_path / "elsewhere", pattern.removeprefix(f"{place}/"))
    assert list(agent.paths()) == [path]
    assert agent.owns(path)


def test_qwen_code_may_keep_sessions_apart_from_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QWEN_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("QWEN_RUNTIME_DIR", str(tmp_path / "sessions"))
    path = written(tmp_path / "sessions", "projects/*/chats/*.jsonl")
    assert list(BY_NAME["qwen"].paths()) == [path]
