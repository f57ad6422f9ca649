"""`run` and `exec` for `--help` and shell completion. Calls by agents are handled in fast.py."""

from __future__ import annotations

import sys

import click

from hooktui.cli.execute import execute
from hooktui.cli.run import run

_as_given = {"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False}


@click.command("run", context_settings=_as_given, add_help_option=False)
@click.pass_context
def run_command(ctx: click.Context) -> None:
    """Handle one event read as JSON on stdin (for agents)."""
    sys.exit(run(ctx.args))


@click.command("exec", context_settings=_as_given, add_help_option=False)
@click.pass_context
def exec_command(ctx: click.Context) -> None:
    """Run one of a host's own hook commands and record it."""
    sys.exit(execute(ctx.args))
