"""A machine with an administrator: a `/etc` of its own in a mount namespace, where the owner of this process is root."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hooktui.config import managed as administrator
from hooktui.core import paths
from tests import fork_server
from tests.command_world import DEADLINE_S, CommandWorld, Ended, ended
from tests.hosts.managed_settings import own_etc, skip_without_root

DENIES = "#!/bin/sh\necho 'denied by the company' >&2\nexit 2\n"


@pytest.fixture
def managed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The managed file, which the owner of this process manages."""
    monkeypatch.setattr(paths, "managed_file", lambda: str(tmp_path / "managed.toml"))
    monkeypatch.setattr(administrator, "MANAGED_BY", os.getuid())
    return tmp_path / "managed.toml"


class ManagedMachine(CommandWorld):
    """Every command is forked into a namespace of its own. Skips the test where that is not permitted."""

    def __init__(self, root: Path) -> None:
        skip_without_root()
        super().__init__(root)
        self.etc, _ = own_etc(root, self.home)
        self.hooks = self.etc / "hooktui/hooks"
        self.hooks.mkdir(parents=True)

    def managed(self, name: str, script: str = DENIES, **fields: Any) -> Path:
        """Write a managed hook; its directory."""
        there = self.hook(name, script, **fields).rename(self.hooks / name)
        os.chmod(there / "HOOK.md", 0o644)
        return there

    def fix(self, text: str) -> None:
        """Write the managed file."""
        (self.etc / "hooktui/managed.toml").write_text(text)

    def _fork(self, arguments: Sequence[str], stdin: str, env: Mapping[str, str]) -> Ended:
        environment = {**self.environment, **env}
        return ended(fork_server.run(arguments, stdin.encode(), environment, self.project, DEADLINE_S, self.etc))

    _invoke = _fork

    def denies(self, **env: str) -> bool:
        """Whether a tool call is denied by a managed hook."""
        payload = {"event_type": "pre-tool-call", "session_id": "s1", "work_dir": str(self.project), "tool_name": "Bash"}
        return "denied by the company" in self.run("run", stdin=payload, code=None, **env).stderr
