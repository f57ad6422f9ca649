"""The bundle: what the launcher runs, and that nothing about it can keep a guard from running."""

from __future__ import annotations

import json
import marshal
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hooktui
from hooktui.connect import bundle, launcher
from hooktui.core import paths
from tests.command_world import wait_until

from .world import World

if TYPE_CHECKING:
    from hooktui.core.bundle_finder import Modules

EVENT = b'{"event_type": "pre-tool-call", "session_id": "s", "tool_name": "Shell"}'
DENIED = (2, b"", b"no\n")
SMALL = 100_000  # bytes, below those of a bundle


@pytest.fixture
def path(world: World) -> Path:
    """The bundle of a launcher that has just been written, in a home with a guard."""
    guard = world.home / ".config/agents/hooks/guard"
    world.write(guard / "HOOK.md", "---\nname: guard\ndescription: Deny\ntrigger: pre-tool-call\n---\n")
    world.write(guard / "scripts/run", "#!/bin/sh\necho no >&2\nexit 2\n").chmod(0o755)
    launcher.write()
    return Path(paths.launcher() + bundle.SUFFIX)


def call(host: str = "agenthooks", event: bytes = EVENT, *names: str) -> tuple[int, bytes, bytes]:
    done = subprocess.run([paths.launcher(), host, *names], input=event, capture_output=True, check=False, timeout=30)
    return done.returncode, done.stdout, done.stderr


def modules(path: Path) -> Modules:
    """The modules in a bundle."""
    _, stored = marshal.loads(path.read_bytes().removeprefix(bundle.head()))
    assert isinstance(stored, dict)
    return stored


def is_for_this_python(path: Path) -> bool:
    """Whether a bundle is whole: it is written at once."""
    return path.exists() and path.read_bytes().startswith(bundle.head()) and path.stat().st_size > SMALL


def replace_module(path: Path, name: str, source: str, *, age_ns: int = 0) -> None:
    """Put other code into a bundle, for a source file that is so much older."""
    finder, stored = marshal.loads(path.read_bytes().removeprefix(bundle.head()))
    file, (changed_ns, size), is_package, *_ = stored[name]
    stored[name] = (file, (changed_ns - age_ns, size), is_package, (), marshal.dumps(compile(source, file, "exec")))
    path.write_bytes(bundle.head() + marshal.dumps((finder, stored)))


def test_bundle_has_the_modules_of_every_host(path: Path) -> None:
    assert {"hooktui.runner.run", "hooktui.hosts.claude", "hooktui.hosts.shared.json_stdin"} <= modules(path).keys()
    assert call() == DENIED


def test_launcher_runs_what_the_bundle_holds(path: Path) -> None:
    replace_module(path, "hooktui.runner.run", "def run(arguments, files):\n    print(arguments)\n    return 7\n")
    assert call() == (7, b"['--host', 'agenthooks']\n", b"")


def test_each_module_names_what_it_imports_so_that_the_steps_of_an_import_are_saved(path: Path) -> None:
    needed = modules(path)["hooktui.hosts.claude"][3]
    assert {"hooktui.core.events", "hooktui.hosts.shared.json_host"} <= set(needed) <= modules(path).keys()


SPOILED: dict[str, Callable[[Path], object]] = {
    "it is missing": Path.unlink,
    "it is empty": lambda path: path.write_bytes(b""),
    "it is cut off": lambda path: path.write_bytes(path.read_bytes()[:SMALL]),
    "it is no bundle": lambda path: path.write_bytes(bundle.head() + marshal.dumps(("x", "y"))),
    "another Python made it": lambda path: path.write_bytes(path.read_bytes().replace(bundle.head(), b"4.0\0/python\0")),
    "a source has changed": lambda path: replace_module(path, "hooktui.runner.run", "run = print", age_ns=1),
    "a source that others import has changed": lambda path: replace_module(path, "hooktui.core.events", "", age_ns=1),
    "the source of a package has changed": lambda path: replace_module(path, "hooktui.hosts", "", age_ns=1),
    "hooktui's own source has changed": lambda path: replace_module(path, "hooktui", "", age_ns=1),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_guard_denies_and_the_bundle_is_renewed_when(path: Path, spoil: Callable[[Path], object]) -> None:
    stamps = {name: module[:3] for name, module in modules(path).items()}
    spoil(path)
    assert call() == DENIED
    wait_until(lambda: is_for_this_python(path) and {name: module[:3] for name, module in modules(path).items()} == stamps)
    assert call() == DENIED


def test_modules_outside_the_bundle_are_imported_as_ever(path: Path, world: World) -> None:
    config = world.home / ".config/hooktui/config.toml"
    world.write(config, "[run]\ngate_limit = 5\n")  # makes the index stale: loading reads YAML and TOML
    assert call() == DENIED


@pytest.fixture
def bare_python(world: World, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A launcher for a Python with hooktui's sources and no other package. Its site-packages."""
    home = world.home / "venv"
    venv.create(home, symlinks=True)
    packages: Path = next(home.glob("lib/python*/site-packages"))
    (packages / "hooktui").symlink_to(Path(hooktui.__file__).parent)
    with monkeypatch.context() as earlier:
        earlier.setattr(sys, "executable", str(home / "bin/python"))
        launcher.write()
    return packages


def test_bundle_of_a_removed_hooktui_runs_nothing(bare_python: Path) -> None:
    path, source = Path(paths.launcher() + bundle.SUFFIX), Path(hooktui.__file__).parent
    path.write_bytes(path.read_bytes().replace(str(source).encode(), str(source.with_name("gonetui")).encode()))
    (bare_python / "hooktui").unlink()
    code, stdout, stderr = call()
    assert (code, stdout) == (0, b"")
    assert b"hooktui is gone" in stderr


def test_event_is_denied_when_packages_are_gone_and_a_guard_may_listen(bare_python: Path, world: World) -> None:
    world.write(world.home / ".config/agents/hooks/guard/HOOK.md", "---\nname: guard\n---\n")
    code, _, stderr = call()
    assert (code, stderr.count(b"\n")) == (2, 1)
    assert b"hooktui is incomplete in ~/venv/bin/python (No module named 'yaml'): install it there again" in stderr


def test_person_learns_once_that_packages_are_gone_where_no_guard_can_listen(bare_python: Path) -> None:
    ended = [call("claude", b'{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"}') for _ in range(2)]
    assert [code for code, _, _ in ended] == [0, 0]
    assert "hooktui is incomplete" in json.loads(ended[0][1])["systemMessage"]
    assert ended[1][1] == b""


def test_copilot_shows_that_packages_are_gone_where_exit_2_denies_nothing(bare_python: Path) -> None:
    started = b'{"sessionId": "s", "source": "new"}'
    tool = b'{"sessionId": "s", "toolName": "bash", "toolArgs": {}}'
    ended = [call("copilot", tool, "preToolUse"), *(call("copilot", started, "sessionStart") for _ in range(2))]
    assert [code for code, _, _ in ended] == [0, 2, 0]
    assert b"hooktui is incomplete" in ended[1][2]


def test_doctor_misses_the_packages_that_are_gone(bare_python: Path) -> None:
    assert launcher.trouble(paths.launcher()) == "~/venv/bin/python lacks hooktui or one of its packages"
