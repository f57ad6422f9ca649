"""What every program makes of a mistake in its hook files: the whole file may be lost, or one hook, or nothing.

Measured in the programs themselves; tests/hosts/test_bad_input.py repeats what loses a file. VS Code and Cursor do not run
there, so that their columns are from documentation and source.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hooktui import formats
from hooktui.formats import Parsed
from tests.bad_input import BAD, MISTAKES, PLACES, NotWritableError, Place
from tests.unit.formats.agenthooks_world import World

# start: the program does not start. file: it runs no hook of the file. event: it runs no hook of the event. entry: it does not
# run the hook, or hooktui cannot tell what it runs. once: it ends the hook at once. told: both hooks run, with a warning or an
# error. ok: nothing is reported. -: files in TOML cannot have the mistake.
TABLE = """
                   | claude   vscode   copilot  settings codex    toml     gemini   cursor   qwen     droid    kimi
nothing            | ok       ok       ok       ok       ok       ok       ok       ok       ok       ok       ok
cut off            | file     entry    file     file     file     start    start    file     file     file     file
empty              | file     entry    ok       file     file     ok       start    file     file     file     ok
not UTF-8          | told     told     told     told     file     start    told     told     told     told     told
UTF-16             | entry    entry    ok       file     file     start    start    file     file     file     file
byte order mark    | ok       ok       file     file     file     ok       start    file     ok       file     ok
a list             | entry    ok       ok       entry    entry    -        start    entry    start    entry    -
comment            | file     ok       file     file     file     -        ok       ok       ok       ok       -
URL in a string    | ok       ok       ok       ok       ok       ok       ok       file     ok       ok       ok
trailing comma     | file     ok       file     file     file     -        start    file     file     file     -
duplicate event    | entry    entry    entry    entry    file     -        entry    entry    entry    entry    -
half a character   | ok       ok       file     file     file     -        ok       ok       ok       ok       -
$schema            | ok       ok       ok       ok       file     ok       ok       ok       ok       ok       ok
version 7          | ok       ok       file     ok       file     ok       ok       ok       ok       ok       ok
version text       | ok       ok       file     ok       file     ok       ok       file     ok       ok       ok
version missing    | ok       ok       ok       ok       ok       ok       ok       file     ok       ok       ok
wrapper            | entry    entry    entry    entry    file     -        entry    entry    entry    file     -
event null         | told     told     file     file     file     -        told     file     told     file     -
event object       | told     told     file     file     file     start    told     file     told     file     -
unknown event      | entry    entry    entry    entry    entry    entry    entry    file     entry    entry    file
unknown event null | ok       ok       ok       ok       ok       -        ok       file     ok       ok       -
entry null         | file     entry    entry    file     file     -        entry    file     entry    file     -
entry text         | file     entry    entry    file     file     start    entry    file     entry    file     file
group              | file     ok       ok       ok       entry    entry    entry    file     entry    file     -
timeout text       | file     told     entry    file     file     start    once     file     told     file     file
timeout 1.5        | ok       ok       ok       ok       file     start    ok       ok       ok       ok       file
timeout 30.0       | ok       ok       ok       ok       file     start    ok       ok       ok       ok       ok
timeout -1         | file     ok       entry    file     file     start    once     file     told     once     file
timeout 0          | file     ok       entry    file     told     told     once     file     told     told     file
timeout 1e20       | ok       ok       ok       ok       file     start    once     ok       once     once     file
timeout null       | file     told     entry    file     ok       -        ok       file     ok       file     -
unknown key        | told     told     told     told     told     told     told     told     told     told     file
command missing    | file     entry    entry    file     file     start    entry    file     entry    file     file
command list       | file     entry    entry    file     file     start    entry    file     entry    file     file
type missing       | file     ok       ok       ok       file     start    entry    ok       entry    file     -
type unknown       | file     entry    entry    file     file     start    entry    file     entry    file     -
matcher number     | file     told     entry    file     file     start    event    file     event    file     file
matcher null       | file     told     entry    file     ok       -        ok       file     ok       file     -
matcher empty      | ok       ok       entry    file     ok       ok       ok       ok       ok       ok       ok
matcher [          | entry    ok       entry    entry    entry    entry    entry    file     entry    entry    entry
matcher (?P<       | entry    ok       entry    entry    ok       ok       entry    file     entry    entry    entry
matcher (?<        | ok       ok       ok       ok       ok       ok       ok       ok       ok       ok       ok
matcher (?!        | ok       ok       ok       ok       entry    entry    ok       ok       ok       ok       ok
matcher (?i)       | entry    ok       entry    entry    ok       ok       entry    file     entry    entry    entry
back-reference     | ok       ok       ok       ok       entry    entry    ok       ok       ok       ok       ok
"""
HEAD, *ROWS = (line.split("|") for line in TABLE.strip().splitlines())
NEVER = ("never-fires", "bad-regex", "missing-field", "unknown-event", "duplicate-key")


def result(parsed: Parsed) -> str:
    """What is reported of a file, as the table calls it."""
    reported = [note for note in parsed.diagnostics if note.severity != "info"]
    messages = " ".join(note.message for note in reported)
    if "does not start" in messages:
        return "start"
    if any(note.code == "host-skips-file" for note in reported):
        return "file"
    if "of any file" in messages:
        return "event"
    if "at once" in messages:
        return "once"
    bad = next((hook for hook in parsed.hooks if BAD in (hook.command or "")), None)
    if reported and (bad is None or bad.obstacle or any(note.code in NEVER for note in reported)):
        return "entry"
    return "told" if reported else "ok"


def cell(text: Callable[[Place], str | bytes], place: Place, world: World) -> str:
    try:
        place.write(text(place), world.home, world.project)
    except NotWritableError:
        return "-"
    return result(formats.load(place.host).discover(str(world.project)))


@pytest.mark.parametrize("name", PLACES)
def test_the_consequence_of_a_mistake_is_that_of_the_program(world: World, name: str) -> None:
    at = HEAD[1].split().index(name)
    expected = {row[0].strip(): row[1].split()[at] for row in ROWS}
    assert {mistake: cell(text, PLACES[name], world) for mistake, text in MISTAKES.items()} == expected
