"""`hooktui demo`: play agents in a sample project and open the app to watch them."""

from __future__ import annotations

import shlex
import signal
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from types import FrameType
from typing import NoReturn

import click

from hooktui import demo
from hooktui.cli.console import Refused
from hooktui.cli.main import open_app
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line
from hooktui.demo.player import differences, summary

BANNER = "Demo: agents at work · {hooks-screen} hooks · {live-screen} live · {sessions-screen} sessions · {quit} quit"
_NEXT = """\
Now, in a project of yours:
  hooktui               your sessions so far, and what hooks decided in them
  hooktui new --list    popular rules, each counted on your past calls
"""
_PAUSE_S = 4.0  # between two rounds


@click.command("demo")
@click.option("--keep", metavar="DIR", type=click.Path(file_okay=False), help="Create the project in DIR and keep it.")
@click.option("--headless", is_flag=True, help="Run without the app, at full speed, and print a summary.")
def demo_command(keep: str | None, headless: bool) -> None:
    """Watch hooks at work in a sample project.

    Agents work in the project through the real runner while the app shows their decisions. Your own files stay untouched.
    """
    _on_termination(_exit)
    with _directory(keep) as directory:
        try:
            world = demo.build(directory)
        except FileExistsError as error:
            raise Refused(f"{error}: choose a new or empty directory") from error
        try:
            (_play if headless else _watch)(world)
        except demo.NotHandledError as error:
            raise Refused(str(error)) from error
        finally:
            _on_termination(signal.SIG_IGN)  # a closed terminal sends SIGHUP twice: from itself and from the shell
            demo.settle(world)
    if not headless:
        click.echo(_NEXT, nl=False)
    if keep:
        home, project = shlex.quote(world.home), shlex.quote(world.project)
        command = f"env -u XDG_CONFIG_HOME -u XDG_STATE_HOME -u XDG_CACHE_HOME -u XDG_DATA_HOME HOME={home} hooktui {project}"
        click.echo(f"Kept in {one_line(paths.short(world.home))}. To open it again: {one_line(command)}")


def _directory(keep: str | None) -> AbstractContextManager[str]:
    """Return the directory to keep, or a temporary one. Async hooks may still write while it is deleted."""
    return nullcontext(keep) if keep else tempfile.TemporaryDirectory(prefix="hooktui-demo-", ignore_cleanup_errors=True)


def _on_termination(action: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, action)


def _exit(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _play(world: demo.World) -> None:
    played = list(demo.play(world, pace=0))
    for line in summary(played):
        click.echo(one_line(line))
    unexpected = differences(played)
    for line in unexpected:
        click.echo(f"unexpected: {one_line(line)}", err=True)
    if unexpected:
        raise click.exceptions.Exit(1)
    click.echo("All results as expected.")


def _watch(world: demo.World) -> None:
    """Run the app in the demo's environment while agents work. They stop when it exits."""
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=1) as agents, world.entered():
        playing = agents.submit(_keep_playing, world, stop)
        try:
            open_app(world.project, banner=BANNER, mode="live")
        finally:
            stop.set()
        playing.result()


def _keep_playing(world: demo.World, stop: threading.Event) -> None:
    """Play round after round, each with new sessions."""
    for number in count(1):
        for _ in demo.play(world, stop=stop, number=number):
            pass
        if stop.wait(_PAUSE_S):
            return
        world.restore()
