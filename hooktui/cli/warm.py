"""`hooktui warm start|stop|status`: the resident runner."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import NamedTuple

import click

from hooktui import config
from hooktui.cli import warm_client
from hooktui.cli.console import Refused, json_option, print_json
from hooktui.connect import launcher
from hooktui.core import paths
from hooktui.runner.warm import runtime

_START_S = 10.0  # until it listens
_END_S = 5.0  # until it no longer does
_POLL_S = 0.01
_MINUTE_S = 60.0


class WarmState(NamedTuple):
    """Whether the warm runner is running. `pid` and `memory_mb` are None if not.

    `has_client`: the launcher asks for it. `on_first_use`: the configuration lets an event start it.
    """

    running: bool
    pid: int | None
    memory_mb: float | None
    has_client: bool
    on_first_use: bool

    @property
    def sentence(self) -> str:
        if self.running:
            return f"running (pid {self.pid}, {self.memory_mb:.0f} MB)"
        return "not running; the next event starts it" if self.on_first_use else "not running"


def warm_state() -> WarmState:
    """The state of the warm runner. Raises OSError, as runtime.InsecureDirectoryError if others could answer in its place."""
    pid = runtime.listener()
    return WarmState(
        running=pid is not None,
        pid=pid,
        memory_mb=_memory_mb(pid) if pid is not None else None,
        has_client=warm_client.is_compiled(),
        on_first_use=config.load_or_defaults()[0].warm,
    )


@click.group("warm")
def warm_command() -> None:
    """Answer agents faster from a resident process.

    No interpreter starts for an event then. Agents reach it through the entries that `hooktui connect` wrote.
    """


@warm_command.command("start")
@click.option(
    "--idle",
    metavar="MINUTES",
    type=click.FloatRange(0),
    default=runtime.IDLE_S / _MINUTE_S,
    show_default=True,
    help="Time without events after which it ends.",
)
def start_command(idle: float) -> None:
    """Start the warm runner, and compile its client."""
    try:
        pid = runtime.listener()
        if pid is not None:
            click.echo(f"The warm runner is already running (pid {pid}).")
            return
        warm_client.compile_client()
        if not launcher.is_current():
            launcher.write()
        runtime.start_server(idle * _MINUTE_S)
    except (warm_client.CompileError, OSError) as error:
        raise Refused(f"cannot start the warm runner: {error}; each event starts a process, as before") from error
    if not _waited(_START_S, lambda: runtime.listener() is not None):
        raise Refused("the warm runner did not start; each event starts a process, as before")
    click.echo(f"Warm runner started (pid {runtime.listener()}). It ends after {idle:g} minutes without events.")


@warm_command.command("stop")
def stop_command() -> None:
    """End the warm runner, and remove its client.

    Events that have begun are handled to their end.
    """
    pid = runtime.listener()
    warm_client.remove()
    if pid is None:
        click.echo("The warm runner is not running.")
    else:
        os.kill(pid, signal.SIGTERM)
        if not _waited(_END_S, lambda: runtime.listener() is None):
            raise Refused(f"the warm runner (pid {pid}) did not end")
        click.echo("Warm runner stopped.")
    if config.load_or_defaults()[0].warm:
        click.echo(f"The next event starts it: {paths.short(paths.config_file())} has [run] warm = true.")


@warm_command.command("status")
@json_option
def status_command(as_json: bool) -> None:
    """Show whether the warm runner is running."""
    state = warm_state()
    if as_json:
        print_json(state._asdict())
    else:
        click.echo(f"The warm runner is {state.sentence}.")


def _waited(seconds: float, holds: Callable[[], bool]) -> bool:
    """Wait for a condition. Returns whether it holds in time."""
    latest = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > latest:
            return False
        time.sleep(_POLL_S)
    return True


def _memory_mb(pid: int) -> float:
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1_000_000
