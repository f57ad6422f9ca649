"""`hooktui list`: list hooks in firing order, by event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby

import click

from hooktui import connect
from hooktui.catalog import catalog
from hooktui.catalog.catalog import Catalog
from hooktui.catalog.hook_states import HookState, counted, detail, group_title, hook_state, problems_by_hook
from hooktui.catalog.host_support import reach
from hooktui.cli.console import columns, directory_argument, json_option, print_json
from hooktui.cli.progress import loaded_catalog
from hooktui.cli.text_layout import folded, say, table
from hooktui.core import events, paths
from hooktui.core.model import ONLY_IN_AGENT, Hook, HookDirectory, Mod
from hooktui.core.text_sanitizer import one_line
from hooktui.log import presence

# Seen in 2.1.330; 2.1.197 runs them without.
_TRUST_DIALOG = "Claude Code runs the hooks of a project's agents only after you have trusted the folder in its dialog."
_LABEL = 2  # the column of a hook's label
_COLOURS = {"ok": "green", "warning": "yellow", "error": "red"}


@click.command("list")
@directory_argument
@json_option
def list_command(directory: str, as_json: bool) -> None:
    """List hooks in firing order, by event."""
    loaded = loaded_catalog(directory)
    connections = connect.states(directory, loaded.hooks)
    loaded = catalog.with_connections(loaded, connect.problems(connections), connect.called(connections))
    loaded = _with_callers(loaded)
    if as_json:
        listed = zip(catalog.list_json(loaded), loaded.hooks, strict=True)
        print_json([{**values, "hosts": _hosts_json(loaded, hook)} for values, hook in listed])
        return
    for line in _lines(loaded, columns()):
        click.echo(line)
    for sentence in (*_remarks(loaded.own_hooks), *(state.sentence for state in connections)):
        say(one_line(sentence))


def _with_callers(loaded: Catalog) -> Catalog:
    """Ask the log, if it can be read, whether agents without a connection run the hooks."""
    if not presence.exists(paths.log_path(loaded.settings.log_path)):
        return loaded
    import asyncio

    from hooktui.catalog import log_links
    from hooktui.log.read.connection import LogError

    with suppress(LogError):
        return asyncio.run(log_links.with_callers(loaded))
    return loaded


def _hosts_json(loaded: Catalog, hook: Hook) -> list[dict[str, object]]:
    """The hosts that are in use here, with what the form's Hosts line says of them."""
    here = (one for one in reach(hook, loaded) if one.standing == "now" and not hook.calls_hooktui)
    return [{"host": one.name, "works": one.works, "why": one.note} for one in here]


def _lines(loaded: Catalog, width: int | None) -> Iterator[str]:
    shown = loaded.own_hooks
    connected = len(loaded.hooks) - len(shown)
    if connected:
        yield click.style(f"hooktui connection ({counted(connected, 'event')})", dim=True)
    if not shown:
        yield "No hooks yet. Create one with `hooktui new NAME --event pre-tool-call`, or see `hooktui demo`."
        return
    problems = problems_by_hook(loaded)
    states = {hook.id: hook_state(loaded, hook, problems.get(hook.id, ())) for hook in shown}
    rows = table([_cells(loaded, hook, states[hook.id]) for hook in shown], width, _LABEL)
    for event, hooks in groupby(shown, key=lambda hook: hook.event):
        members = list(hooks)
        spelled = group_title(event, members) if event else "(no event)"
        title = f"{one_line(spelled)}: {events.MEANING.get(event, '')}".rstrip(": ")
        yield from (click.style(line, bold=True) for line in folded(title, width))
        for hook in members:
            line, *rest = next(rows)
            yield _coloured(line, states[hook.id])
            yield from (click.style(line, dim=True) for line in rest)
    words = Counter("with problems" if state.word[0].isdigit() else state.word for state in states.values())
    sums = ", ".join(f"{number} {word}" for word, number in words.most_common())
    yield ""
    yield from folded(f"{counted(len(states), 'hook')} in {one_line(paths.short(loaded.project))}: {sums}", width)


def _remarks(shown: Sequence[Hook]) -> Iterator[str]:
    if any(hook.scope == "project" and hook.owner.startswith("agent ") for hook in shown):
        yield _TRUST_DIALOG
    yield from _about_mods(shown)


def _about_mods(shown: Sequence[Hook]) -> Iterator[str]:
    """From where mods are loaded unasked, and where hooktui cannot see them."""
    mods = [hook.source for hook in shown if isinstance(hook.source, Mod)]
    for folder in sorted({mod.unasked for mod in mods} - {""}):
        yield f"Claude Code loads the mods in {one_line(paths.short(folder))} unasked."
    if mods:
        yield "Not listed: Claude Code's own mods, and those of --plugin-dir."


def _cells(loaded: Catalog, hook: Hook, how: HookState) -> tuple[str, ...]:
    matcher = " ~ ".join(part for part in (hook.tool, hook.pattern) if part is not None)
    told = (detail(hook),) if hook.type == "mod" else (matcher, "async" if hook.is_async else "", hook.owner)
    why = hook.why_disabled or (hook.obstacle.why if hook.obstacle and hook.type not in ONLY_IN_AGENT else "")
    note = f"[{why}]" if why else "[by the project's]" if loaded.overridden_by(hook) else ""
    kind = "" if hook.type == "command" else hook.type
    rest = " ".join(part for part in (kind, *told, note) if part)
    priority = f"{hook.priority:>4}" if isinstance(hook.source, HookDirectory) else ""  # other formats have no priority
    place = (hook.scope, hook.format, _hosts(loaded, hook))
    return (f"  {how.glyph} {how.word}", priority, one_line(hook.label), *place, one_line(rest))


def _hosts(loaded: Catalog, hook: Hook) -> str:
    """The hosts that are in use here and in which the hook works, unless it is just its own."""
    names = [one.name for one in reach(hook, loaded) if one.standing == "now" and one.works]
    return "" if names == [hook.format] else f"in {', '.join(names) or 'none'}"


def _coloured(line: str, how: HookState) -> str:
    end = 2 + len(how.glyph) + 1 + len(how.word)
    return "  " + click.style(line[2:end], fg=_COLOURS.get(how.style), dim=how.style not in _COLOURS) + line[end:]
