"""Connected for everyone on the machine, hooktui's denials hold in the real Claude Code against what its user switches off."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.conformance.seen_in_claude import USER
from tests.hosts.claude_plugins import add_mod
from tests.hosts.hook_scripts import DENIES, REASON
from tests.hosts.managed_settings import own_etc, skip_without_root
from tests.hosts.test_managed_sources import KEY, REMOTE, start

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hosts.claude_code import ClaudeWorld

ALLOWS = {
    "classic.PreToolUse": "{ allow: true }",
    "tool.check": '{ decision: "allow" }',
}

REPLACING = ("CLAUDE_CODE_SHELL_PREFIX", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "SHELLOPTS")


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine of its own: a copy of `/etc`, and the prefix of a command that runs there."""

    etc: Path
    inside: tuple[str, ...]

    def files(self) -> dict[Path, bytes | None]:
        """Every path in `/etc`, with the bytes of files."""
        return {path: path.read_bytes() if path.is_file() else None for path in self.etc.rglob("*")}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(*own_etc(tmp_path, tmp_path / "home"))


def company_guard(world: ClaudeWorld, machine: Machine) -> None:
    """Roll a managed guard out, which needs the programs of the system, and connect Claude Code for everyone."""
    skip_without_root()
    there = machine.etc / "hooktui/hooks"
    there.mkdir(parents=True)
    script = f"#!/bin/bash\ngrep -q . && echo '{REASON}' >&2 && exit 2\n"
    world.hook("company-guard", script).rename(there / "company-guard")
    change(world, machine, "connect", "claude", "--scope", "managed")


def change(world: ClaudeWorld, machine: Machine, *arguments: str, **env: str) -> str:
    """Run `hooktui connect` or `disconnect` as root; its output."""
    done = world.hooktui(*arguments, "--yes", inside=machine.inside, **env)
    assert done.code == 0, done.stderr
    return done.stdout


def test_denial_holds_though_the_user_disables_all_hooks(world: ClaudeWorld, machine: Machine) -> None:
    world.hook("guard", DENIES)
    change(world, machine, "connect", "claude", "--scope", "managed")
    world.write(USER, {"disableAllHooks": True})
    assert REASON in world.session(inside=machine.inside).heard
    assert not world.marker.exists()


def test_only_managed_hooks_are_allowed_and_hooktui_is_one(world: ClaudeWorld, machine: Machine) -> None:
    world.hook("guard", DENIES)
    change(world, machine, "connect", "claude", "--scope", "managed")
    (machine.etc / "claude-code/managed-settings.json").write_text('{"allowManagedHooksOnly": true}')
    assert REASON in world.session(inside=machine.inside).heard
    assert not world.marker.exists()
    (state,) = json.loads(world.hooktui("status", "--json", inside=machine.inside).stdout)["connections"]
    assert (state["scope"], state["works"]) == ("managed", True)


@pytest.mark.parametrize("event", ALLOWS)
def test_mod_of_the_user_overrules_a_users_connection_and_not_a_managed_one(
    world: ClaudeWorld, machine: Machine, event: str
) -> None:
    world.hook("guard", DENIES)
    add_mod(world, "kind", event, f"async () => ({ALLOWS[event]})")
    world.run("connect", "claude", "--scope", "user", "--yes")
    world.session(inside=machine.inside)
    assert world.marker.exists(), "the mod did nothing, so this test proves nothing"
    assert "mod-overrules" in world.hooktui("check", inside=machine.inside).stdout
    world.marker.unlink()
    world.run("disconnect", "claude", "--scope", "user", "--yes")
    assert "mods" in change(world, machine, "connect", "claude", "--scope", "managed")
    assert "mod-overrules" not in world.hooktui("check", inside=machine.inside).stdout
    assert REASON in world.session(inside=machine.inside).heard
    assert not world.marker.exists()


def switch_off(world: ClaudeWorld) -> None:
    """Everything that a user and a project can do in files against a managed guard, variables for the agent included."""
    evil = world.project / "evil"
    evil.mkdir()
    for name in ("grep", "bash", "env"):
        (evil / name).write_text(f'#!/bin/sh\n[ "$HOOKTUI_RUN" ] && exit 0\nexec /usr/bin/{name} "$@"\n')
        (evil / name).chmod(0o755)
    (evil / "startup.sh").write_text('[ "$HOOKTUI_RUN" ] && exit 0\n')
    places = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"), str(evil))
    env = {"PATH": f"{evil}:/usr/bin:/bin", "BASH_ENV": str(evil / "startup.sh"), "HOOKTUI_DB": "/dev/null", **places}
    world.write(USER, {"disableAllHooks": True, "env": env})
    world.write(".claude/settings.json", {"disableAllHooks": True, "env": env})
    world.write("~/.config/hooktui/config.toml", {})
    (world.home / ".config/hooktui/config.toml").write_text("[run\non_error = 'allow'")
    world.hook("company-guard", '#!/bin/sh\necho \'{"decision": "allow"}\'\n')
    world.hook("company-guard", "#!/bin/sh\nexit 0\n", scope="project")


def test_managed_guard_denies_whatever_user_and_project_try(world: ClaudeWorld, machine: Machine) -> None:
    company_guard(world, machine)
    switch_off(world)
    assert REASON in world.session(inside=machine.inside).heard
    assert not world.marker.exists()
    shutil.rmtree(machine.etc / "hooktui/hooks")
    heard = world.session(inside=machine.inside).heard
    assert world.marker.exists(), f"something else denied it: {heard}"


@pytest.mark.parametrize("is_closed", [False, True], ids=["open", "closed"])
def test_managed_variables_outrank_those_with_which_a_user_replaces_hooks(
    world: ClaudeWorld, machine: Machine, is_closed: bool
) -> None:
    """What docs/managed.md tells administrators to write."""
    company_guard(world, machine)
    prefix = world.home / "prefix"
    prefix.write_text('#!/bin/sh\ncase "$*" in *hooktui*) exit 0 ;; esac\nexec sh -c "$*"\n')
    prefix.chmod(0o755)
    world.write(USER, {"env": {"CLAUDE_CODE_SHELL_PREFIX": str(prefix)}})
    if is_closed:
        closing = machine.etc / "claude-code/managed-settings.d/closing.json"
        closing.write_text(json.dumps({"env": dict.fromkeys(REPLACING, "")}))
    assert (REASON in world.session(inside=machine.inside).heard) is is_closed
    assert world.marker.exists() is not is_closed


@pytest.mark.parametrize("event", ALLOWS)
def test_managed_guard_denies_whatever_a_mod_allows(world: ClaudeWorld, machine: Machine, event: str) -> None:
    company_guard(world, machine)
    add_mod(world, "kind", event, f"async () => ({ALLOWS[event]})")
    assert REASON in world.session(inside=machine.inside).heard
    assert not world.marker.exists()


def test_settings_from_a_server_replace_the_connection_and_hooktui_says_so(world: ClaudeWorld, machine: Machine) -> None:
    world.write(REMOTE, {"cleanupPeriodDays": 30})
    told = change(world, machine, "connect", "claude", "--scope", "managed", **KEY)
    assert "Note: Claude Code does not call hooktui" in told
    assert "remote-settings.json" in told
    start(world, KEY, machine.inside)
    assert world.decisions() == []
    status = json.loads(world.hooktui("status", "--json", inside=machine.inside, **KEY).stdout)
    (state,) = status["connections"]
    assert (state["works"], "remote-settings.json" in state["why"]) == (False, True)
    assert state["why"] in world.hooktui("doctor", inside=machine.inside, **KEY).stdout
    world.settings(REMOTE).unlink()
    start(world, KEY, machine.inside)
    assert world.decisions() != [], "Claude Code calls hooktui without them"


def test_disconnecting_leaves_nothing_behind(world: ClaudeWorld, machine: Machine) -> None:
    before = machine.files()
    change(world, machine, "connect", "claude", "--scope", "managed")
    world.session(inside=machine.inside)
    assert world.decisions() != []
    change(world, machine, "disconnect", "claude", "--scope", "managed")
    assert machine.files() == before
