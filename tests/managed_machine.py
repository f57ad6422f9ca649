"""A machine with an administrator: a `/etc` of its own in a mount namespace, where the owner of this process is root."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hooktui.config import managed as administrator
from hooktui.core import paths
from tests.command_world import DEADLINE_S, HOOKTUI, CommandWorld, Ended, ended
from tests.hosts.managed_settings import own_etc, skip_without_root

DENIES = "#!/bin/sh\necho 'denied by the company' >&2\nexit 2\n"


@pytest.fixture
def managed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The managed file, which the owner of this process manages."""
    monkeypatch.setattr(paths, "managed_file", lambda: str(tmp_path / "managed.toml"))
    monkeypatch.setattr(administrator, "MANAGED_BY", os.getuid())
    return tmp_path / "managed.toml"


class ManagedMachine(CommandWorld):
    """Every command runs in the namespace. Skips the test where that is not permitted."""

    def __init__(self, root: Path) -> None:
        skip_without_root()
        super().__init__(root)
        self.etc, self._inside = own_etc(root, self.home)
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

    def run(self, *arguments: str, stdin: str | dict[str, Any] = "", code: int | None = 0, **env: str) -> Ended:
        variables = [f"{name}={value}" for name, value in env.items()]  # for hooktui alone: the namespace needs its PATH
        command = [*self._inside, "/usr/bin/env", *variables, *HOOKTUI, *arguments]
        text = stdin if isinstance(stdin, str) else json.dumps(stdin)
        done = subprocess.run(
            command,
            input=text.encode(),
            env=self.environment,
            cwd=self.project,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
        result = ended(done)
        assert code is None or result.code == code, result.stderr
        return result

    def denies(self, **env: str) -> bool:
        """Whether a tool call is denied by a managed hook."""
        payload = {"event_type": "pre-tool-call", "session_id": "s1", "work_dir": str(self.project), "tool_name": "Bash"}
        return "denied by the company" in self.run("run", stdin=payload, code=None, **env).stderr
