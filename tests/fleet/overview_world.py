"""A fleet with something to see: a missing guard, a rule that fails, an unapproved one, another version, and lost records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui.fleet.fleet_records import Link, head, resource
from tests.fleet.world import log_rows, stored_row
from tests.log_world import LogWorld, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fleet.world import EngineProcess

MACHINES = 8
EVENTS = 24  # of each machine, one an hour
WITHOUT_GUARD, UNAPPROVED, OTHER_VERSION, LOSES, SILENT = 1, 2, 3, 4, 7
FAILS_FOR = 5  # hours
OWN_S = 0.001  # by which each machine is later than the one before, so that no two make the same ids


def fill(engine: EngineProcess, directory: Path, now: float, database: str) -> None:
    """Store a day of a few machines that ends at `now`."""
    engine.create(database)
    engine.insert(rows(directory, now), database)


def rows(directory: Path, now: float) -> list[dict[str, Any]]:
    """The records of that day, as collectors store them."""
    stored = []
    for number in range(MACHINES):
        world = LogWorld(str(directory / f"{number}.db"))
        _work(world, number, now - (3 * 86_400 if number == SILENT else 0))
        own_rows = log_rows(world.db, instance(number), name(number))
        for row in own_rows:
            row["ResourceAttributes"] |= attributes(number)
        if number == LOSES:
            del own_rows[9:12]
        if number == 0:
            own_rows = own_rows[3:6] + own_rows  # a collector stores a batch twice
        own = {**resource(instance(number)), "host.name": name(number), **attributes(number)}
        end = now - (3 * 86_400 if number == SILENT else 60)
        last = own_rows[-1]["LogAttributes"]["hooktui.hash"]
        stored += [*own_rows, stored_row(head(Link(EVENTS, last), 1, round(end * 1e9)), own)]
    return stored


def instance(number: int) -> str:
    return f"instance-{number}"


def attributes(number: int) -> dict[str, str]:
    return {"team": ("payments", "platform")[number % 2], "user.name": "anna"}


def name(number: int) -> str:
    return f"dev-{number}"


def _work(world: LogWorld, number: int, until: float) -> None:
    world.project = f"/home/dev-{number}/shop"
    for hour in range(EVENTS):
        ago_h = EVENTS - hour - 0.5
        denied = hour % 8 == 3 and number != WITHOUT_GUARD
        guard = run("block-dangerous", decision="deny" if denied else "none", duration_ms=10.0 + hour)
        guard = guard.replace(hook=guard.hook.replace(version="new-1" if number == OTHER_VERSION else "old-1"))
        runs = [
            *([guard] if number != WITHOUT_GUARD else []),
            run("format-py", "timeout" if ago_h < FAILS_FOR else "ok", duration_ms=80.0),
            run("no-secrets", "skipped", skip="untrusted" if number == UNAPPROVED else "tool-mismatch"),
        ]
        world.add(
            "pre-tool-call",
            tool="Shell",
            host="claude",
            session=f"s-{number}-{hour // 8}",
            at=until - ago_h * 3600 + number * OWN_S,
            decision="deny" if denied else "none",
            reason="Forced pushes are not allowed" if denied else None,
            payload={"tool_name": "Shell", "tool_input": {"command": "git push --force" if denied else "make test"}},
            runs=runs,
        )
