"""What `hooktui exec` has relayed is kept before it answers: nothing ends it early enough to lose the event."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command_world import DEADLINE_S, HOOKTUI
from tests.unit.runner.exec_world import PAYLOAD, World, script

_NAMESPACE = ("unshare", "-pf", "--mount-proc")
_CALLS = 5
# The first process of a container: it ends, and all others with it, as soon as its hooks have answered.
_INIT = "import subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True)"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def _can_unshare() -> bool:
    if shutil.which(_NAMESPACE[0]) is None:
        return False
    return subprocess.run([*_NAMESPACE, "true"], capture_output=True, check=False).returncode == 0


def _observe_in_container(world: World, event: Mapping[str, Any], *command: str) -> None:
    subprocess.run(
        [*_NAMESPACE, sys.executable, "-c", _INIT, *HOOKTUI, "exec", "--host", "claude", "--", *command],
        input=json.dumps(event).encode(),
        env=world.environment,
        cwd=world.project,
        timeout=DEADLINE_S,
        check=True,
    )


def test_a_container_that_ends_with_the_answer_loses_nothing(world: World) -> None:
    if not _can_unshare():
        pytest.skip("no PID namespaces here")
    for number in range(_CALLS):
        _observe_in_container(world, {**PAYLOAD, "tool_use_id": f"call-{number}"}, *script("echo no >&2; exit 2"))
    reports = [json.loads(line) for line in world.run("log", "--json").stdout.splitlines()]
    assert [(report["decision"], report["reason"]) for report in reports] == [("deny", "no")] * _CALLS
    assert not list(world.db.with_name("log.db.observed").iterdir())


def test_the_first_event_of_a_home_is_in_the_log_at_once(world: World) -> None:
    world.observe("true", stdin=json.dumps(PAYLOAD).encode(), options=("--host", "claude"))
    (report,) = [json.loads(line) for line in world.run("log", "--json").stdout.splitlines()]
    assert report["tool_name"] == "Bash"


def test_what_a_killed_exec_has_kept_holds_no_secret(world: World) -> None:
    secret = "gh" + "p_" + "a1B2c3D4" * 5
    payload = {**PAYLOAD, "tool_input": {"command": f"login {secret}"}}
    config = world.home / ".config/hooktui/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[log]\nredact = ["hunter[0-9]"]\n')
    if not _can_unshare():
        pytest.skip("no PID namespaces here")
    _observe_in_container(world, payload, *script("cat; echo hunter2"))
    texts = "".join(kept.read_text() for kept in world.db.with_name("log.db.observed").iterdir())
    assert secret not in texts
    assert "hunter2" not in texts
    (report,) = [json.loads(line) for line in world.run("log", "--json").stdout.splitlines()]
    assert report["payload"]["tool_input"] == {"command": "login [redacted]"}
