"""Tests against the real programs: run only by `make test-hosts`, which installs them from npm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.hosts import programs
from tests.hosts.claude_code import ClaudeWorld
from tests.hosts.codex_cli import CodexWorld
from tests.hosts.copilot_cli import CopilotWorld
from tests.hosts.droid_cli import DroidWorld
from tests.hosts.gemini_cli import GeminiWorld
from tests.hosts.kimi_code import KimiWorld
from tests.hosts.opencode_cli import OpencodeWorld
from tests.hosts.qwen_code import QwenWorld

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.hosts.agent_world import AgentWorld

# The programs that obey every kind of answer, for tests that all of them pass.
_ALIKE: Mapping[str, type[AgentWorld]] = {
    programs.PINNED: ClaudeWorld,
    programs.NEWEST: ClaudeWorld,
    "copilot-newest": CopilotWorld,
    "codex-newest": CodexWorld,
    "opencode-newest": OpencodeWorld,
}
# The newest of every program, for tests of all of them in one project.
_EVERY: Mapping[str, type[AgentWorld]] = {
    "codex-newest": CodexWorld,
    "copilot-newest": CopilotWorld,
    "gemini-newest": GeminiWorld,
    "droid-newest": DroidWorld,
    "kimi-newest": KimiWorld,
    "opencode-newest": OpencodeWorld,
    "qwen-newest": QwenWorld,
}
collect_ignore_glob = [] if programs.ROOT else ["test_*.py"]


@pytest.fixture(params=[programs.PINNED, programs.NEWEST])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> ClaudeWorld:
    """A home and a project with Claude Code, each test in the pinned and in the newest version."""
    return ClaudeWorld(tmp_path, _program(request.param))


@pytest.fixture
def copilot(tmp_path: Path) -> CopilotWorld:
    """A home and a project with Copilot CLI."""
    return CopilotWorld(tmp_path, _program("copilot-newest"))


@pytest.fixture
def codex(tmp_path: Path) -> CodexWorld:
    """A home and a project with Codex CLI."""
    return CodexWorld(tmp_path, _program("codex-newest"))


@pytest.fixture
def opencode(tmp_path: Path) -> OpencodeWorld:
    """A home and a project with opencode."""
    return OpencodeWorld(tmp_path, _program("opencode-newest"))


@pytest.fixture
def droid(tmp_path: Path) -> DroidWorld:
    """A home and a project with Factory droid."""
    return DroidWorld(tmp_path, _program("droid-newest"))


@pytest.fixture
def gemini(tmp_path: Path) -> GeminiWorld:
    """A home and a project with Gemini CLI."""
    return GeminiWorld(tmp_path, _program("gemini-newest"))


@pytest.fixture
def qwen(tmp_path: Path) -> QwenWorld:
    """A home and a project with Qwen Code."""
    return QwenWorld(tmp_path, _program("qwen-newest"))


@pytest.fixture
def kimi(tmp_path: Path) -> KimiWorld:
    """A home and a project with Kimi Code."""
    return KimiWorld(tmp_path, _program("kimi-newest"))


@pytest.fixture
def every(tmp_path: Path) -> list[AgentWorld]:
    """Every program that npm could install, all in one home and project."""
    found = ((world, programs.installed(name)) for name, world in _EVERY.items())
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
