"""What is wrong in a fleet, as one object for a cron job or an alert (`hooktui fleet status --json`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui.fleet.overview import DIFFERS
from hooktui.log.read.rows import iso

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.fleet.overview import Overview


def status(overview: Overview) -> dict[str, Any]:
    """The faults of an overview; its lists are empty and its counts 0 where there is none."""
    machines = sorted(overview.machines, key=lambda machine: (machine.name, machine.instance))
    faults = [fault for machine in machines for fault in machine.faults]
    return {
        "machines": {"seen": len(machines), "silent": [machine.name for machine in machines if machine.is_silent]},
        "baseline": {
            "of": "managed file" if overview.is_declared else "most machines",
            "missing": [{"machine": f.machine, "hook": f.rule, "why": f.state} for f in faults if f.state != DIFFERS],
            "differs": [
                {"machine": f.machine, "hook": f.rule, "version": f.version, "expected": f.expected}
                for f in faults
                if f.state == DIFFERS
            ],
        },
        "failing": [
            {"hook": rule.name, "since": iso(rule.failing_since), "machines": list(rule.failing)}
            for rule in overview.rules
            if rule.failing
        ],
        "lost": [{"machine": machine.name, "records": machine.lost} for machine in machines if machine.lost],
        "clock": [{"machine": machine.name, "ahead_s": round(machine.ahead_s)} for machine in machines if machine.ahead_s],
        "conflicts": [{"machine": machine.name, "seq": seq} for machine in machines for seq in machine.conflicts],
        "unreadable": overview.unreadable,
    }


def lines(state: Mapping[str, Any]) -> Iterator[str]:
    """The same for people, a fault a line."""
    baseline = state["baseline"]
    yield from (f"✕ {each['machine']}: {each['hook']} {each['why']}" for each in baseline["missing"])
    yield from (f"≠ {each['machine']}: {each['hook']} differs" for each in baseline["differs"])
    for each in state["failing"]:
        yield f"✕ {each['hook']} fails since {each['since']} on {', '.join(each['machines'])}"
    yield from (f"▲ {each['machine']}: {each['records']:,} records lost" for each in state["lost"])
    yield from (f"▲ {each['machine']}: clock ahead by {each['ahead_s']:,} s" for each in state["clock"])
    yield from (f"▲ {each['machine']}: two different records {each['seq']}" for each in state["conflicts"])
    yield from (f"○ {name}: silent" for name in state["machines"]["silent"])
    if state["unreadable"]:
        yield f"▲ {state['unreadable']:,} unreadable"
