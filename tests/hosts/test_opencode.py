"""HOOK.md hooks in the real opencode, through hooktui's plugin."""

from __future__ import annotations

import pytest

from tests.hosts.hook_scripts import DENIES
from tests.hosts.other_programs import OpencodeWorld


@pytest.fixture
def connected(opencode: OpencodeWorld) -> OpencodeWorld:
    opencode.connect()
    return opencode


def test_a_plugin_in_the_project_and_one_of_the_user_handle_each_event_once(connected: OpencodeWorld) -> None:
    connected.run("connect", "opencode", "--scope", "user", "--yes")
    connected.session()
    names = [report["event"] for report in connected.decisions()]
    assert len(names) == len(set(names)) == 5


def test_without_hooktui_tools_run_and_the_user_is_told(connected: OpencodeWorld) -> None:
    connected.hook("guard", DENIES)
    (connected.home / ".local/share/hooktui/hook").unlink()
    session = connected.session(options=("--print-logs", "--log-level", "WARN"))
    assert connected.marker.exists()
    assert session.result.count("HOOK.md hooks do not run") == 1
