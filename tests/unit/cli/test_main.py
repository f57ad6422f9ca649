"""Rules for every command: help, one-line errors, quick starts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from hooktui import __version__
from hooktui.cli.main import COMMANDS, commands, main
from tests.command_world import HOOKTUI, CommandWorld

FOR_AGENTS = ("run", "exec")
HEAVY = {"asyncio", "sqlite3", "textual", "watchfiles", "yaml", "hooktui.catalog.catalog"}


def test_version_is_printed_without_importing_anything_heavy() -> None:
    code = "import sys; from hooktui.cli import main; main.main(['--version']); print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    first, *modules = done.stdout.splitlines()
    assert first == f"hooktui {__version__}"
    assert HEAVY.isdisjoint(modules)


def test_help_has_a_line_for_every_command(world: CommandWorld) -> None:
    lines = world.run("--help").stdout.splitlines()
    for name in COMMANDS:
        told = [line for line in lines if line.startswith(f"  {name} ")]
        assert len(told) == 1
        assert re.search(r"\w[`)]?\.$", told[0]), "cut or wrapped: make its first sentence shorter"


def test_help_begins_with_what_people_use_every_day(world: CommandWorld) -> None:
    titles = re.findall(r"^(\w+):$", world.run("--help").stdout, re.MULTILINE)
    assert titles == ["Options", "Everyday", "Agents", "Administration"]
    assert re.search(r"^Administration:(\n  .+)*\n  redact .*(\n  .+)*\n  ship ", world.run("-h").stdout, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_into_80_columns(name: str, world: CommandWorld) -> None:
    lines = world.run(name, "--help").stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in FOR_AGENTS])
def test_every_command_has_help_and_a_version(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert "Usage: hooktui " in capsys.readouterr().out
    assert main([name, "--version"]) == 0
    assert re.fullmatch(rf"hooktui[^\n]* {__version__}\n", capsys.readouterr().out)


@pytest.mark.parametrize("name", FOR_AGENTS)
def test_run_and_exec_have_help_and_a_version(name: str, world: CommandWorld) -> None:
    assert world.run(name, "--help").stdout.startswith(f"Usage: hooktui {name} ")
    assert world.run(name, "--version").stdout == f"hooktui {__version__}\n"


@pytest.mark.slow
def test_every_command_works_in_a_process_of_its_own(world: CommandWorld) -> None:
    """The other tests run these commands in their own process; `open` and `demo` run at a real terminal elsewhere."""
    world.spawn("new", "guard", "--event", "pre-tool-call")
    approval = world.spawn("status", "--json").json()["hash"]
    assert "Approved: guard" in world.spawn("trust", "--hash", approval).stdout
    assert "guard" in world.spawn("list").stdout
    assert "0 errors" in world.spawn("check").stdout
    assert "guard" in world.spawn("try", "guard").stdout
    dispatch = world.fire(tool_name="Shell", tool_input={"command": "ls"})["id"]
    assert dispatch in world.spawn("log").stdout
    assert "guard" in world.spawn("show", dispatch).stdout
    session = world.project / "session.html"
    world.spawn("export", "s1", "--output", str(session))
    assert "guard" in session.read_text()
    assert world.spawn("redact", stdin="ls -l").stdout == "ls -l\n"
    world.spawn("untrust")
    world.spawn("connect", "claude", "--yes")
    world.spawn("disconnect", "claude", "--yes")
    world.spawn("doctor")


@pytest.mark.parametrize("words", ["lst", "list --nope", "list /no/such/place", "new", "show", "check --format xml", "log n:1"])
def test_usage_error_is_one_line_on_stderr_and_exit_2(world: CommandWorld, words: str) -> None:
    ended = world.run(*words.split(), code=2)
    assert ended.stdout == ""
    assert ended.stderr.startswith("hooktui: ")
    assert ended.stderr.count("\n") == 1


def test_mistyped_command_is_suggested(world: CommandWorld) -> None:
    assert "did you mean list?" in world.run("lst", code=2).stderr


def test_missing_path_is_reported(world: CommandWorld) -> None:
    assert "/no/such/place" in world.run("/no/such/place", code=2).stderr


def test_deleted_current_directory_is_reported_in_one_line(world: CommandWorld) -> None:
    leave = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"'
    command = ["sh", "-c", leave, "sh", *HOOKTUI, "list"]
    done = subprocess.run(command, cwd=world.project, env=world.environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the current directory no longer exists" in done.stderr


def test_escape_sequences_in_an_error_are_made_visible(world: CommandWorld) -> None:
    assert "\x1b" not in world.run("list", "/tmp/\x1b[31mred", code=2).stderr


def test_the_app_needs_a_terminal(world: CommandWorld) -> None:
    ended = world.run(code=1)
    assert "needs a terminal" in ended.stderr


def test_project_cannot_inject_modules(world: CommandWorld) -> None:
    for name in ("json", "sqlite3", "click", "yaml"):
        (world.project / f"{name}.py").write_text("raise SystemExit('imported from the project')")
    world.run("list")
    world.run("log")


def test_shell_completion_knows_commands_options_and_choices(world: CommandWorld) -> None:
    completions = {"tr": ["try", "trust"], "log --fol": ["--follow"], "new --from block-d": ["block-dangerous"]}
    for words, completed in completions.items():
        shown = world.spawn(_HOOKTUI_COMPLETE="bash_complete", COMP_WORDS=f"hooktui {words}").stdout
        assert shown.split() == [f"plain,{word}" for word in completed]


def test_closed_output_pipe_is_not_an_error(world: CommandWorld) -> None:
    for number in range(200):
        world.hook(f"hook-{number}", description="long " * 200)
    lister = world.start("list", "--json")
    lister.stop_reading()
    ended = lister.wait()
    assert (ended.code, ended.stderr) == (0, "")


def test_documentation_has_every_command_and_option() -> None:
    text = (Path(__file__).parents[3] / "docs/commands.md").read_text()
    context = click.Context(commands)
    for name in COMMANDS:
        command = commands.get_command(context, name)
        assert command
        assert re.search(rf"\b{name}\b", text), name
        options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
        assert [option.opts for option in options if not any(spelling in text for spelling in option.opts)] == [], name


@pytest.mark.parametrize("words", ["list", "list --json", "--help", "doctor"])
def test_full_disk_is_reported_in_one_line_and_exit_1(world: CommandWorld, words: str) -> None:
    world.hook("guard")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*HOOKTUI, *words.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            env=world.environment,
            cwd=world.project,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "hooktui: No space left on device\n")
