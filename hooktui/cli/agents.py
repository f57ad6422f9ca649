"""`hooktui run` and `exec` as `--help` and the shell's completion see them; agents' calls never get this far (fast.py)."""

from __future__ import annotations

import sys

import click

from hooktui.cli.execute import execute
from hooktui.cli.run import run

_as_given = {"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False}


@click.command("run", context_settings=_as_given, add_help_option=False)
@click.pass_context
def run_command(ctx: click.Context) -> None:
    """Handle one event read as JSON on stdin: what an agent calls."""
    sys.exit(run(ctx.args))


@click.command("exec", context_settings=_as_given, add_help_option=False)
@click.pass_context
def exec_command(ctx: click.Context) -> None:
    """Run one command of a host's own hooks and record it."""
    sys.exit(execute(ctx.args))
