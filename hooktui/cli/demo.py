"""`hooktui demo`: a sample project, agents at work on it, and the app to watch them."""

from __future__ import annotations

import shlex
import signal
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import TYPE_CHECKING, NoReturn

import click

from hooktui import demo
from hooktui.cli.console import Refused
from hooktui.cli.open_app import open_app
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line
from hooktui.demo.summary import summary, surprises

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import FrameType

_GREETING = "Agents are at work: 2 shows what hooks decide."


@click.command("demo")
@click.option("--keep", metavar="DIR", type=click.Path(file_okay=False), help="Make the sample in DIR and leave it there.")
@click.option("--headless", is_flag=True, help="Play without the app, as fast as it goes, and print what happened.")
def demo_command(keep: str | None, headless: bool) -> None:
    """Watch hooks at work in a sample project.

    Agent sessions are played through the real runner while the app is open on it. Nothing of yours is touched.
    """
    _when_ended(_leave)
    with _directory(keep) as directory:
        try:
            world = demo.build(directory)
        except FileExistsError as error:
            raise Refused(f"{error}; give a new or empty directory") from error
        try:
            (_play if headless else _watch)(world)
        except demo.NotHandled as error:
            raise Refused(str(error)) from error
        finally:
            _when_ended(signal.SIG_IGN)  # as it does already; a shell and its terminal both say that the terminal has gone
            demo.settle(world)
    if keep:
        click.echo(f"Kept in {one_line(paths.short(world.home))}; open it again with {one_line(_reopen(world))}")


def _directory(keep: str | None) -> AbstractContextManager[str]:
    """The directory to keep, or one that goes away; async hooks may still be writing when it does."""
    return nullcontext(keep) if keep else tempfile.TemporaryDirectory(prefix="hooktui-demo-", ignore_cleanup_errors=True)


def _when_ended(do: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, do)


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    """Leave nothing behind when a person ends the process or closes the terminal."""
    raise SystemExit(128 + number)


def _play(world: demo.World) -> None:
    played = list(demo.play(world, pace=0))
    for line in summary(played):
        click.echo(one_line(line))
    wrong = surprises(played)
    for line in wrong:
        click.echo(f"not as told: {one_line(line)}", err=True)
    if wrong:
        raise click.exceptions.Exit(1)
    click.echo("all of it as the story tells")


def _watch(world: demo.World) -> None:
    """The app in the world's environment while agents work; they stop when it ends."""
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=1) as agents, world.entered():
        playing = agents.submit(lambda: list(demo.play(world, stop=stop)))
        try:
            open_app(world.project, greeting=_GREETING)
        finally:
            stop.set()
        playing.result()


def _reopen(world: demo.World) -> str:
    home, project = shlex.quote(world.home), shlex.quote(world.project)
    return f"env -u XDG_CONFIG_HOME -u XDG_STATE_HOME -u XDG_CACHE_HOME HOME={home} hooktui {project}"
