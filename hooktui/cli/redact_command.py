"""`hooktui redact`: preview redaction without storing anything."""

from __future__ import annotations

import json
import re
from typing import Any, TextIO

import click

from hooktui import config
from hooktui.cli.console import json_option, print_json
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.runner.journal import entry
from hooktui.runner.redaction import MARK, stored_text


@click.command("redact")
@click.argument("file", default="-", type=click.File(encoding="utf-8", errors="replace"))
@click.option("--pattern", "patterns", metavar="RE", multiple=True, help="Add a pattern of your own; repeatable.")
@json_option
def redact_command(file: TextIO, patterns: tuple[str, ...], as_json: bool) -> None:
    """Show what the log would store of a text or event.

    FILE is a JSON event or any text; the default is stdin. Nothing is stored.
    """
    settings, trouble = config.load_or_defaults()
    if trouble:
        click.echo(f"hooktui: {one_line(trouble)}", err=True)
    own = (*settings.redact, *map(_regex, patterns))
    text = file.read()
    value = _json(text)
    shown = _stored(value, own) if value else stored_text(text, own)
    count = shown.count(MARK) - text.count(MARK)
    if as_json:
        print_json({"redacted": count, "text": shown})
        return
    click.echo(visible(shown).replace(MARK, click.style(MARK, fg="red", bold=True)), nl=not shown.endswith("\n"))
    click.echo(f"{count} redacted" if count else "nothing to redact", err=True)


def _stored(value: Any, own: tuple[str, ...]) -> str:
    """Return an event as the log would store it, as indented JSON."""
    return json.dumps(json.loads(entry.stored_json(value, own) or "{}"), indent=2, ensure_ascii=False)


def _regex(pattern: str) -> str:
    try:
        return re.compile(pattern).pattern
    except re.error as error:
        raise click.UsageError(f"--pattern {pattern}: {error}") from error


def _json(text: str) -> Any:
    """Parse a JSON object or list. Returns None for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None
