"""The package of examples/rollout, as a machine gets it: its guard denies, and is the one that the package requires."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.managed_machine import ManagedMachine

ROLLOUT = Path(__file__).parents[2] / "examples/rollout"
FORCED = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "tool_name": "Bash",
    "tool_input": {"command": "git push --force"},
}


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="only Debian builds packages of its own")
def test_machine_with_the_package_has_what_it_requires(tmp_path: Path) -> None:
    machine = ManagedMachine(tmp_path)
    package = tmp_path / "guards.deb"
    subprocess.run([ROLLOUT / "build-deb.sh", package], check=True, capture_output=True)
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path / "unpacked"], check=True)
    shutil.copytree(tmp_path / "unpacked/etc", machine.etc, dirs_exist_ok=True)
    machine.run("connect", "claude", "--scope", "managed", "--yes")
    assert "open a pull request" in machine.run("run", "--host", "claude", stdin=FORCED, code=2).stderr
    (required,) = machine.run("status", "--json").json()["required"]
    assert (required["name"], required["state"]) == ("no-force-push", "ok")
    (machine.etc / "hooktui/hooks/no-force-push/scripts/run").write_text("#!/bin/sh\nexit 0\n")
    machine.run("run", "--host", "claude", stdin=FORCED)
    assert "required hook no-force-push differs" in machine.run("doctor", code=1).stdout
