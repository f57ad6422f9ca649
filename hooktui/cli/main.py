"""Commands for people. Each is imported on first use, so that `hooktui --version` is fast."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from hooktui import __version__
from hooktui.cli import opening
from hooktui.cli.console import FleetCommand, Refused, directory_argument, fleet_option
from hooktui.config.suggest import closest
from hooktui.core.text_sanitizer import one_line

# Commands and their modules, in the groups and the order of `--help`. `list` is the function `list_command`, and so on.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Everyday": {
        "open": "main",
        "demo": "demo",
        "list": "list_command",
        "check": "check",
        "new": "new",
        "try": "try_command",
        "test": "test_command",
        "status": "trust_commands",
        "trust": "trust_commands",
        "untrust": "trust_commands",
        "log": "log",
        "show": "log",
        "import": "import_command",
        "export": "log",
    },
    "Agents": {"connect": "connect", "disconnect": "connect", "run": "main", "exec": "main"},
    "Administration": {
        "doctor": "doctor",
        "completion": "completion",
        "warm": "warm",
        "redact": "redact_command",
        "ship": "ship",
        "fleet": "fleet",
    },
}
COMMANDS: Mapping[str, str] = {name: module for group in GROUPS.values() for name, module in group.items()}
_DEFAULT = "open"
_INTERRUPTED = 130


class Commands(click.Group):
    """A group that imports commands on first use and treats other words as the path of a project to open."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or None."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"hooktui.cli.{COMMANDS[cmd_name]}"), f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        # `run` and `exec` have a --version of their own.
        if command.add_help_option and not any(option.name == "version" for option in command.params):
            return click.version_option(__version__, prog_name="hooktui")(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name without importing it, else the path of a project."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        names = [CompletionItem(name) for name in COMMANDS if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="dir")]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their groups, each with its first sentence."""
        width = max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(name.ljust(width), command.get_short_help_str(formatter.width)) for name, command in found if command]
            with formatter.section(title):
                formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Treat `hooktui [PATH]` as `hooktui open [PATH]`."""
        own = {name for option in self.get_params(ctx) for name in option.opts}
        if not ctx.resilient_parsing and not (args and (args[0] in COMMANDS or args[0] in own)):
            _refuse_mistyped(args, ctx)
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. A closed output pipe is not an error."""
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _print_no_more()
            return None
        return done


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="[PATH] | COMMAND [ARGS]...",
    epilog="`hooktui COMMAND -h` shows the options of a command, with examples.",
)
@click.version_option(__version__, prog_name="hooktui", message="%(prog)s %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """View, edit, try and audit the hooks of AI coding agents.

    `hooktui` opens the app on this project, `hooktui PATH` on another.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. Errors are one line on stderr, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # both are text streams
    if "_HOOKTUI_COMPLETE" in os.environ:
        import_module("hooktui.cli.completion_shells")
    try:
        code = commands.main(arguments, prog_name="hooktui", standalone_mode=False)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "hooktui"
        return _fail(f"{' '.join(error.format_message().split()).rstrip('.')} (see `{command} --help`)", error.exit_code)
    except click.ClickException as error:
        return _fail(error.format_message(), error.exit_code)
    except click.Abort:
        return _fail("interrupted", _INTERRUPTED)
    except OSError as error:
        _print_no_more()
        return _fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", 1)
    return code if isinstance(code, int) else 0


def _refuse_mistyped(args: list[str], ctx: click.Context) -> None:
    word = args[0] if args else "."
    if not word.startswith("-") and not os.path.exists(word) and os.sep not in word:
        near = closest(word, COMMANDS)
        hint = f"; did you mean {near}?" if near else ""
        raise click.UsageError(f"unknown command or directory: {word}{hint}", ctx)


def _print_no_more() -> None:
    """Discard output that the closed pipe did not take, so that shutdown does not retry it."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    click.echo(f"hooktui: {one_line(message)}", err=True)
    return code


# Arguments for `run` and `exec`, which parse them.
_as_given = {"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False}


@click.command("run", context_settings=_as_given, add_help_option=False)
@click.pass_context
def run_command(ctx: click.Context) -> None:
    """Handle one event read as JSON on stdin: what agents call."""
    from hooktui.catalog.hook_files import CatalogFiles
    from hooktui.runner.run import run

    sys.exit(run(ctx.args, CatalogFiles))


@click.command("exec", context_settings=_as_given, add_help_option=False)
@click.pass_context
def exec_command(ctx: click.Context) -> None:
    """Run a hook of an agent's own file, and record its answer."""
    from hooktui.catalog.hook_files import CatalogFiles
    from hooktui.runner.execute import execute

    sys.exit(execute(ctx.args, CatalogFiles))


@click.command("open", cls=FleetCommand)
@directory_argument
@click.option("--db", metavar="FILE", type=click.Path(dir_okay=False), help="Use another log.")
@fleet_option
def open_command(directory: str, db: str | None, fleet: str | None) -> None:
    """Open the app on a project, as `hooktui [PATH]` does."""
    open_app(directory, db, mode="fleet" if fleet else "hooks", fleet=fleet)


def open_app(directory: str, db: str | None = None, banner: str = "", mode: str = "hooks", fleet: str | None = None) -> None:
    """Run the app on a screen, with a banner. Exits with its code if it failed. Raises Refused without a terminal."""
    try:
        code = opening.run(directory, db, banner, mode, fleet)
    except opening.NoTerminalError as error:
        raise Refused(str(error)) from error
    if code:
        sys.exit(code)
