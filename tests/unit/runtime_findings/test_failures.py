"""Findings about hooks that never work."""

from __future__ import annotations

from tests.command_world import CommandWorld
from tests.unit.runtime_findings.hooks_that_ran import check, command_of, fire, only, place, running, saying


def test_a_command_that_cannot_be_started_three_times_is_an_error(world: CommandWorld) -> None:
    path = running(world, "eval no-such-guard --quick")
    fire(world, "claude", times=2)
    assert check(world) == []
    fire(world, "claude")
    found = only(world, "bad-command", exits=1)
    assert (found["file"], place(found), found["severity"]) == (str(path), command_of(path), "error")
    assert "the hook cannot start: exited with 127, stderr “" in found["message"]
    assert "no-such-guard" in found["message"]
    assert "it failed in all of its last 3 runs" in found["message"]


def test_a_missing_program_is_reported_once(world: CommandWorld) -> None:
    running(world, "no-such-guard --quick")
    fire(world, "claude", times=3)
    found = only(world, "missing-program")
    assert "no-such-guard is not installed here: the hook fails; it failed in all of its last 3 runs" in found["message"]


def test_a_missing_script_has_one_finding(world: CommandWorld) -> None:
    running(world, f"{world.home}/gone.sh")
    fire(world, "claude", times=3)
    found = only(world, "missing-script", exits=1)
    assert found["message"].endswith(f"it failed in all of its last 3 runs, most recently on {found['message'][-16:]}")


def test_a_hook_of_which_every_run_failed_is_reported(world: CommandWorld) -> None:
    directory = saying(world, "no network\n", "exit 3")
    for _ in range(3):
        world.fire()
    found = only(world, "never-fires")
    assert (found["severity"], found["file"], place(found)) == ("warning", str(directory / "scripts/run"), (1, 1, 10))
    assert "every run of the hook fails: exited with 3, stderr “no network”; it failed in all of its last 3" in found["message"]


def test_a_hook_that_always_times_out_is_reported(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\nexec sleep 60\n", timeout=1000)
    for _ in range(3):
        world.fire()
    assert "every run of the hook fails: timed out after 1000 ms; it failed in all" in only(world, "never-fires")["message"]


def test_a_timeout_in_the_wrong_unit_is_the_cause_of_what_was_seen(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\nexec sleep 60\n", timeout=100)
    for _ in range(3):
        world.fire()
    assert (
        "the hook is ended after 0.1 s; it failed in all of its last 3 runs, most recently on 20"
        in only(world, "unit-suspect")["message"]
    )


def test_a_hook_that_worked_once_is_left_alone(world: CommandWorld) -> None:
    directory = world.hook("guard", '#!/bin/sh\ntest -e "$(dirname "$0")/good" || exit 3\n')
    for _ in range(3):
        world.fire()
    assert [one["code"] for one in check(world)] == ["never-fires"]
    (directory / "scripts/good").touch()
    world.fire()
    assert check(world) == []
