"""Plays the story as agents would: a `hooktui run` process for each event, and the files that their tools write."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hooktui.core import events
from hooktui.demo.story import story
from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.demo.moment import Moment
    from hooktui.demo.world import World

_AT_WORK_S = 5.0  # how long the last async hooks may take
# How each host has its events handled: the command line of `run`, and the keys under which it tells event, session and place.
_CALLS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "agenthooks": ((), ("event_type", "session_id", "work_dir")),
    "claude": (("--host", "claude", "--format", "agenthooks", "--format", "claude"), ("hook_event_name", "session_id", "cwd")),
    "azure": (("--host", "azure", "--format", "azure"), ("hook_event_name", "execution_summary")),
}


class NotHandled(Exception):
    """An event of the story to which `hooktui run` gave no report; the message says which, and what it said instead."""


@dataclass(frozen=True, slots=True)
class Played:
    """One event of the story as it went; `report` is what `run --json` said (contract.md)."""

    moment: Moment
    report: Mapping[str, Any]

    def surprises(self) -> Iterator[str]:
        """Where what happened is not what the story says."""
        said, event = self.report["decision"], f"{self.moment.session} {self.moment.event}"
        if said != self.moment.decision:
            yield f"{event}: decided {said}, not {self.moment.decision}"
        outcomes = {run["name"]: run["skip"] or run["state"] for run in self.report["hooks"]}
        for name, expected in self.moment.hooks.items():
            if outcomes.get(name) != expected:
                yield f"{event}: {name} was {outcomes.get(name)}, not {expected}"


def play(world: World, pace: float = 1.0, stop: threading.Event | None = None) -> Iterator[Played]:
    """Play the story in a world; `pace` stretches the pauses between events, 0 leaves them out; `stop` ends it early.

    Raises NotHandled.
    """
    stop = stop or threading.Event()
    calls: Counter[str] = Counter()  # of tools, by session
    for moment in story():
        if stop.wait(moment.pause_s * pace):
            return
        if moment.writes:
            world.write(*moment.writes)
        calls[moment.session] += moment.event == "pre-tool-call"  # what follows a call is about the same one
        yield Played(moment, _fire(world, moment, calls[moment.session]))


def settle(world: World) -> None:
    """Wait for async hooks that are still at work: what they record would outlive a world that is removed meanwhile."""
    with suppress(TimeoutError), world.entered():
        asyncio.run(asyncio.wait_for(_all_ended(), _AT_WORK_S))


async def _all_ended() -> None:
    log = await LogReader.open()
    try:
        while await log.count(parse("state:started")):
            await asyncio.sleep(0.05)
    finally:
        await log.close()


def _fire(world: World, moment: Moment, call: int) -> dict[str, Any]:
    arguments, keys = _CALLS[moment.host]
    common = (events.spelling(moment.event, moment.host), moment.session, world.project)
    tool = {"tool_use_id": f"call-{call}"} if "tool_name" in moment.fields and moment.host != "azure" else {}
    ended = subprocess.run(
        [sys.executable, "-I", "-m", "hooktui", "run", "--json", *arguments],
        input=json.dumps({**dict(zip(keys, common, strict=False)), **moment.fields, **tool}),
        env=world.environment,
        cwd=world.project,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        report = json.loads(ended.stdout)
    except ValueError as error:
        raise NotHandled(f"{moment.event} of {moment.session} was not handled: {ended.stderr.strip()}") from error
    assert isinstance(report, dict)
    return report
