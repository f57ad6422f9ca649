"""`hooktui run` as `--help` and the shell's completion see it; agents' calls never get this far (fast.py)."""

from __future__ import annotations

import sys

import click

from hooktui.cli import fast


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_extra_args": True}, add_help_option=False)
@click.pass_context
def run_command(ctx: click.Context) -> None:
    """Handle one event read as JSON on stdin: what an agent calls."""
    sys.exit(fast.run(ctx.args))
