"""A fact that one host sets and one line elsewhere reads is a method of that host (docs/decisions/0105)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from hooktui import hosts
from hooktui.core.records import Record
from hooktui.hosts.base import Host, Scheduling
from hooktui.hosts.shared.entry_spec import EntrySpec
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.places import HookFiles

OF_RULES: dict[type, Callable[[Host], Iterable[object]]] = {
    Host: lambda host: (host,),
    EntrySpec: lambda host: (host.entry, *(files.entry for files in host.files if files.entry)),
    MatcherSpec: lambda host: (host.matcher,),
}
OF_RECORDS: dict[type[Record], Callable[[Host], Iterable[Record]]] = {
    Scheduling: lambda host: (host.scheduling,),
    HookFiles: lambda host: host.files,
}


def setters(kind: type, fact: str) -> list[str]:
    """The hosts that do not leave a fact to its default."""
    if kind in OF_RECORDS:
        defaults = kind._defaults
        changed = {
            host.name: any(getattr(record, fact) != defaults.get(fact) for record in OF_RECORDS[kind](host))
            for host in hosts.specs()
        }
    else:
        changed = {
            host.name: any(
                fact in vars(owner) for rules in OF_RULES[kind](host) for owner in type(rules).__mro__[: -len(kind.__mro__)]
            )
            for host in hosts.specs()
        }
    return [name for name, is_set in changed.items() if is_set]


@pytest.mark.parametrize(
    ("kind", "fact"),
    [(kind, fact) for kind in (*OF_RULES, *OF_RECORDS) for fact in kind.__annotations__],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_no_fact_is_set_by_one_host_alone(kind: type, fact: str) -> None:
    assert len(setters(kind, fact)) != 1, "make it a method that this host overrides"
