"""Tests against the real programs: run only by `make test-hosts`, which installs them from npm."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.hosts import programs
from tests.hosts.agent_world import AgentWorld
from tests.hosts.claude_code import ClaudeWorld
from tests.hosts.codex_cli import CodexWorld
from tests.hosts.other_programs import CopilotWorld, DroidWorld, GeminiWorld, KimiWorld, OpencodeWorld, QwenWorld

# The programs that obey every kind of answer, for tests that all of them pass.
_ALIKE: Mapping[str, type[AgentWorld]] = {
    programs.PINNED: ClaudeWorld,
    programs.NEWEST: ClaudeWorld,
    "copilot-newest": CopilotWorld,
    "codex-newest": CodexWorld,
    "opencode-newest": OpencodeWorld,
}
# The programs that share one project in the test of all of them.
_EVERY: tuple[type[AgentWorld], ...] = (
    CodexWorld,
    CopilotWorld,
    GeminiWorld,
    DroidWorld,
    KimiWorld,
    OpencodeWorld,
    QwenWorld,
)
collect_ignore_glob = [] if programs.ROOT else ["test_*.py"]


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> ClaudeWorld:
    """A home and a project with the newest Claude Code; tests that are `IN_BOTH_VERSIONS` name the version."""
    return ClaudeWorld(tmp_path, _program(getattr(request, "param", programs.NEWEST)))


@pytest.fixture
def claude(world: ClaudeWorld) -> ClaudeWorld:
    """The same by the name of the host."""
    return world


def _newest(world: type[AgentWorld]) -> Any:
    """A fixture, named after the host: a home and a project with the newest version of its program."""

    @pytest.fixture(name=world.host)
    def agent_world(tmp_path: Path) -> AgentWorld:
        return world(tmp_path, _program(f"{world.host}-newest"))

    return agent_world


codex, copilot, gemini, droid, kimi, opencode, qwen = map(_newest, _EVERY)


@pytest.fixture
def every(tmp_path: Path) -> list[AgentWorld]:
    """Every program that npm could install, all in one home and project."""
    found = ((world, programs.installed(f"{world.host}-newest")) for world in _EVERY)
    return [world(tmp_path, program) for world, program in found if program]


@pytest.fixture(params=_ALIKE)
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> AgentWorld:
    """A home and a project with an agent program that is connected."""
    world = _ALIKE[request.param](tmp_path, _program(request.param))
    world.connect()
    return world


def _program(name: str) -> programs.Program:
    program = programs.installed(name)
    pinned = programs.installed(programs.PINNED)
    if program is None:
        pytest.skip(f"npm could not install {name}")
    if name != programs.PINNED and pinned and program.version == pinned.version:
        pytest.skip(f"{program} is the pinned version")
    return program


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the versions that the tests ran with."""
    for name in programs.ALL if programs.ROOT else ():
        terminalreporter.write_line(str(programs.installed(name) or f"Skipped: npm could not install {name}."))
