"""Missing homes, vanished directories, invalid configurations: the guard still runs."""

from __future__ import annotations

import os
import sys

import pytest

from tests.command_world import HOOKTUI, wait_until
from tests.faults.agent import DENY, Agent
from tests.faults.places import read_only

# Root may enter every directory, unless started so.
WITHOUT_PRIVILEGES = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.getuid() == 0 else ()


@pytest.fixture(autouse=True)
def guard(agent: Agent) -> None:
    agent.hook("guard", DENY)


def test_home_unset_falls_back_on_the_password_file(agent: Agent) -> None:
    done = agent.report(env={"HOME": None, "XDG_CONFIG_HOME": str(agent.home / ".config"), "HOOKTUI_DB": str(agent.db)})
    assert done.code == 2
    assert "fault" not in done.stderr


@pytest.mark.parametrize("home", ["", "/proc/nowhere", "relative", "/dev/null"])
def test_a_home_that_is_not_a_directory(agent: Agent, home: str) -> None:
    done = agent.report(env={"HOME": home, "XDG_CONFIG_HOME": str(agent.home / ".config")})
    assert done.code == 2
    assert "fault" not in done.stderr


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "XDG_STATE_HOME"])
def test_an_unwritable_directory_of_hooktui(agent: Agent, variable: str) -> None:
    assert agent.call(env={variable: "/proc/nowhere"}).code == 2


def test_a_read_only_home(agent: Agent) -> None:
    with read_only(agent.home):
        done = agent.report()
    assert done.code == 2
    assert "not recorded" in done.stderr


def test_an_unreadable_index_costs_a_full_load_only(agent: Agent) -> None:
    plans = agent.home / ".cache/hooktui/index"
    wait_until(lambda: agent.call().code == 2 and plans.exists())  # no plan of a file that may change within its timestamp
    (index,) = plans.iterdir()
    for content in (b"", b"\0", b"garbage" * 100, index.read_bytes()[:200]):
        index.write_bytes(content)
        assert agent.call().stderr == "no\n"


def test_an_invalid_configuration_is_reported_and_the_defaults_apply(agent: Agent) -> None:
    config = agent.home / ".config/hooktui/config.toml"
    config.parent.mkdir()
    for content in (b"[run\n", b"\xff\xfe", b"[run]\ngate_limit = -1\n", b"x = " + b"[" * 5000):
        config.write_bytes(content)
        done = agent.report()
        assert done.code == 2
        assert "config.toml" in done.stderr


def test_a_configuration_that_is_no_file(agent: Agent) -> None:
    (agent.home / ".config/hooktui/config.toml").mkdir(parents=True)
    done = agent.report()
    assert done.code == 2
    assert "config.toml" in done.stderr


def test_a_fifo_as_configuration_does_not_hang(agent: Agent) -> None:
    config = agent.home / ".config/hooktui/config.toml"
    config.parent.mkdir()
    os.mkfifo(config)
    assert agent.call().code == 2


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"/p": 5}', b"\xff", b"[" * 5000])
def test_a_broken_trust_store_approves_nothing(agent: Agent, content: bytes) -> None:
    agent.hook("theirs", "#!/bin/sh\ntouch ran\n", scope="project", priority=999)
    store = agent.home / ".local/state/hooktui/trust.json"
    store.parent.mkdir(parents=True)
    store.write_bytes(content)
    done = agent.report()
    assert done.code == 2
    assert "untrusted" in done.stderr
    assert not (agent.project / "ran").exists()


def test_a_broken_trust_entry_can_be_approved_over(agent: Agent) -> None:
    agent.hook("theirs", "#!/bin/sh\ntouch ran\n", scope="project", priority=999)
    store = agent.home / ".local/state/hooktui/trust.json"
    store.parent.mkdir(parents=True)
    store.write_text(f'{{"{agent.project}": 5}}')
    digest = agent.run("status", "--json").json()["hash"]
    agent.run("trust", "--hash", digest)
    agent.call()
    assert (agent.project / "ran").exists()


def test_a_current_directory_that_is_gone(agent: Agent) -> None:
    gone = agent.home / "gone"
    gone.mkdir()
    done = agent.call(cwd=gone, in_child=gone.rmdir)
    assert done.code == 2


def test_a_current_directory_that_is_gone_and_a_payload_that_names_none(agent: Agent) -> None:
    gone = agent.home / "gone"
    gone.mkdir()
    done = agent.call(b'{"event_type": "pre-tool-call"}', cwd=gone, in_child=gone.rmdir)
    assert done.code == 2


def test_the_installed_command_in_a_current_directory_that_is_gone(agent: Agent) -> None:
    gone = agent.home / "gone"
    gone.mkdir()
    command = (sys.executable, "-c", "from hooktui.__main__ import main; main()")
    assert agent.call(command=command, cwd=gone, in_child=gone.rmdir).code == 2


def test_a_directory_that_nobody_can_enter(agent: Agent) -> None:
    """An agent can close the directory that it has changed to."""
    locked = agent.project / "locked"
    locked.mkdir(mode=0o600)
    done = agent.report(agent.event(work_dir=str(locked)), command=(*WITHOUT_PRIVILEGES, *HOOKTUI))
    assert done.code == 2
    assert "locked cannot be entered" in done.stderr


def test_a_fifo_as_repository_does_not_hang(agent: Agent) -> None:
    os.mkfifo(agent.project / ".git")
    assert agent.call().code == 2


def test_an_unreadable_hook_does_not_run_and_is_reported(agent: Agent) -> None:
    directory = agent.hook("locked", DENY)
    (directory / "HOOK.md").unlink()
    (directory / "HOOK.md").mkdir()
    done = agent.call(None, "--json")
    states = {run["name"]: run["skip"] for run in done.json()["hooks"]}
    assert states == {"guard": None, "locked": "invalid"}
    assert "locked" in done.stderr


def test_a_hook_of_5_mb_is_refused_unread(agent: Agent) -> None:
    directory = agent.hook("big", DENY)
    with (directory / "HOOK.md").open("a") as file:
        file.write("x" * 5_000_000)
    done = agent.report()
    assert done.code == 2
    assert "256 KiB" in done.stderr
