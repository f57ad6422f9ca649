"""`hooktui test`: run the project's examples against its hooks."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from typing import TYPE_CHECKING

import click

from hooktui import hosts
from hooktui.catalog import catalog
from hooktui.catalog.hook_states import counted
from hooktui.cli import completion_values
from hooktui.cli.console import aligned, examples, print_json
from hooktui.cli.progress import ProgressLine
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line
from hooktui.hook_tests import example_files, reach, reports, suite_run
from hooktui.hook_tests.example import DIRECTORY, TestError
from hooktui.hook_tests.suite_run import Options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hooktui.hook_tests.example import Result, Results, Suite

_QUIET_S = 1.0  # without a progress line
_ENDING = (signal.SIGTERM, signal.SIGHUP)


class _NotRunError(click.ClickException):
    """The examples cannot be run: one line on stderr, exit code 2."""

    exit_code = 2


@click.command("test", epilog=examples("hooktui test", "hooktui test --prove      # guards that no example would miss"))
@click.argument("words", metavar="[PATH] [NAME]...", nargs=-1, shell_complete=completion_values.hooks)
@click.option("--trust", "trusts", is_flag=True, help="Run hooks that are not approved, for this once.")
@click.option("--user", "with_users", is_flag=True, help="Run your own hooks, too.")
@click.option("--prove", "proves", is_flag=True, help="Find guards whose absence no example notices.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the same as --format json.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github", "junit"]),
    default="text",
    show_default=True,
    help="Output format.",
)
def test_command(words: tuple[str, ...], trusts: bool, with_users: bool, proves: bool, as_json: bool, form: str) -> None:
    """Run the project's examples against its hooks.

    Examples are in .agents/hook-tests/*.yaml. Each runs in a copy of the project, and nothing is logged. NAME is an example or
    a hook: then those that reach it run. Exits with code 1 if an example fails, 2 if a file of examples cannot be read.
    """
    directory, names = _parted(words)
    suite, form = example_files.load(directory), "json" if as_json else form
    if suite.problems:
        _refuse(suite, form)
    options = Options(trusts=trusts, with_users=with_users, proves=proves, is_whole=not names)
    try:
        if names:
            hooks, _ = catalog.unchecked(directory, hosts.names(), ())
            suite = reach.selected(suite, names, hooks)
        begun = time.monotonic()
        results = _run(suite, options)
    except TestError as error:
        raise _NotRunError(str(error)) from error
    _print(results, suite, form, time.monotonic() - begun)
    if results.failed or results.unproved:
        raise click.exceptions.Exit(1)


test_command.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest


def _parted(words: Sequence[str]) -> tuple[str, list[str]]:
    """The directory among the words, by default the current one, and the names."""
    directories = [word for word in words if os.path.isdir(word)]
    if len(directories) > 1:
        raise click.UsageError(f"more than one directory: {', '.join(directories)}")
    directory = directories[0] if directories else paths.working_directory()
    return paths.canonical(directory), [word for word in words if word not in directories]


def _refuse(suite: Suite, form: str) -> None:
    """Name the errors in the files of examples, for GitHub also beside their lines. Exits with code 2."""
    if form == "github":
        click.echo(reports.problems_to_github(suite))
    for problem in suite.problems:
        click.echo(f"hooktui: {_place(problem.file, problem.line)}: {one_line(problem.message)}", err=True)
    raise click.exceptions.Exit(2)


class _Progress(ProgressLine):
    """How many examples have run."""

    def __init__(self, total: int) -> None:
        super().__init__(_QUIET_S)
        self._total = total
        self._done = 0

    def count(self, _: Result) -> None:
        self._done += 1
        self.tell()

    def tell(self) -> None:
        self.show(f"{self._done:,} of {counted(self._total, 'example')}")


def _run(suite: Suite, options: Options) -> Results:
    """Run the examples; a signal that ends this command first ends everything they started."""
    received: list[int] = []
    with _Progress(len(suite.examples)) as progress:
        try:
            return asyncio.run(_main(suite, options, progress, received))
        except asyncio.CancelledError:
            progress.clear()
    signal.signal(received[0], signal.SIG_DFL)
    os.kill(os.getpid(), received[0])
    raise click.Abort  # not reached unless the signal is held back


async def _main(suite: Suite, options: Options, progress: _Progress, received: list[int]) -> Results:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task

    def end(number: int) -> None:
        received.append(number)
        task.cancel()

    for number in _ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            loop.add_signal_handler(number, end, number)
    loop.call_later(_QUIET_S, progress.tell)
    return await suite_run.run(suite, options, progress.count)


def _print(results: Results, suite: Suite, form: str, seconds: float) -> None:
    if form == "json":
        print_json(reports.to_json(results))
    elif form == "junit":
        click.echo(reports.to_junit(results, suite.project))
    elif form == "github":
        if commands := reports.to_github(results, suite.project):
            click.echo(commands)
        click.echo(_sum(results, seconds))
    elif not results.results:
        click.echo(f"No examples. Write them in {DIRECTORY}/NAME.yaml.")
        if results.unproved:
            click.echo(_unproved(results))
    else:
        for line in _text(results, seconds):
            click.echo(line)


def _text(results: Results, seconds: float) -> Iterator[str]:
    yield from _files(results.results)
    for result in results.results:
        yield from _failure(result)
    yield from _differences(results.results)
    yield ""
    if results.unproved:
        yield _unproved(results)
    if any(result.is_unapproved for result in results.results):
        yield "Review and approve hooks with `hooktui trust`, or run them for this once with --trust."
    yield _sum(results, seconds)


def _unproved(results: Results) -> str:
    names = ", ".join(map(one_line, results.unproved))
    return f"Not proved: {names}. No example notices when {'one of them' if len(results.unproved) > 1 else 'it'} is off."


def _files(results: Iterable[Result]) -> list[str]:
    """A line for each file: how many of its examples passed."""
    by_file: dict[str, list[Result]] = {}
    for result in results:
        by_file.setdefault(result.example.file, []).append(result)
    rows = []
    for file, own in by_file.items():
        failed = sum(not result.passed for result in own)
        rows.append((_sign(not failed), _near(file), f"{failed} of {len(own)} failed" if failed else f"{len(own)} passed"))
    return aligned(rows)


def _failure(result: Result) -> Iterator[str]:
    if result.passed:
        return
    example = result.example
    yield ""
    yield f"{_sign(passed=False)} {click.style(one_line(example.name), bold=True)}  {_place(example.file, example.line)}"
    call = " ".join(filter(None, (example.event, example.tool, _input(result))))
    yield f"    {click.style(call, dim=True)}"
    yield from (f"    {one_line(sentence)}" for sentence in (*result.why, *result.differences, *result.notes))


def _input(result: Result) -> str:
    values = [value for value in result.example.input.values() if isinstance(value, str)]
    return one_line(values[0])[:80] if values else ""


def _differences(results: Iterable[Result]) -> Iterator[str]:
    """What passed and yet should be known."""
    for result in results:
        if told := result.passed and (*result.differences, *result.notes):
            yield ""
            yield f"~ {one_line(result.example.name)}  {_place(result.example.file, result.example.line)}"
            yield from (f"    {one_line(sentence)}" for sentence in told)


def _sum(results: Results, seconds: float) -> str:
    failed = len(results.failed)
    counts = [f"{len(results.results) - failed:,} passed", *([f"{failed:,} failed"] if failed else [])]
    counts += [f"{len(results.unproved)} not proved"] if results.unproved else []
    return f"{', '.join(counts)} in {seconds:.1f} s"


def _sign(passed: bool) -> str:
    return click.style("✔", fg="green") if passed else click.style("✕", fg="red")


def _place(file: str, line: int) -> str:
    return f"{_near(file)}:{line}"


def _near(file: str) -> str:
    return one_line(paths.near(file, paths.canonical(paths.working_directory())))
