"""The generated parts of docs/hosts/*.md: what a HostSpec and hooktui's own answers say about a host.

`python -m tests.conformance.host_pages` (`make docs`) writes them and keeps the notes below, which people write.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.connect import SITES, connection_places
from hooktui.core import events, own_commands
from hooktui.core.model import Dispatch, Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hooktui.hosts import HostSpec

DIRECTORY = Path(__file__).parents[2] / "docs/hosts"
OVERVIEW = DIRECTORY.with_suffix(".md")
_TABLE = re.compile(r"(?<=-->\n).*?(?=<!-- end -->)", re.DOTALL)
NOTES = "## Notes\n"
_HEAD = "<!-- `make docs` writes everything above the notes, from hooktui/hosts/{}.py and from hooktui's own answers. -->"
WHY = "the moon is full"
# The merged answer of several hooks, by the column of the table.
EFFECTS: Mapping[str, dict[str, Any]] = {
    "deny": {"decision": "deny", "reason": WHY},
    "ask": {"decision": "ask", "reason": WHY},
    "allow": {"decision": "allow", "reason": WHY},
    "rewrite": {"modified_input": {"command": WHY}},
    "context": {"additional_context": (WHY,)},
    "stop": {"decision": "stop", "reason": WHY},
    "message": {"system_messages": (WHY,)},
}
# How an answer reaches its host, by the first of these that it contains.
WAYS = (
    ('"permission": "deny"', "deny"),
    ('"followup_message"', "block"),
    ('"updated_input"', "yes"),
    ('"additional_context"', "model"),
    ('"continue": false', "stops"),
    ('"decision": "block"', "block"),
    ('"permissionDecision": "deny"', "deny"),
    ('"permissionDecision": "', "yes"),
    ('"updatedInput"', "yes"),
    ('"tool_input"', "yes"),
    ('"input"', "yes"),
    ('"modifiedArgs"', "yes"),
    ('"systemMessage"', "user"),
    ('"additionalContext"', "model"),
    ('"context"', "model"),
    ('"message"', "model"),
    ('"decision": "allow"', "yes"),
)


def described() -> tuple[HostSpec, ...]:
    """The hosts with a page: the agent programs, but not the format of HOOK.md."""
    return tuple(host for host in hosts.specs() if host.name != hosts.DEFAULT)


def page(host: HostSpec) -> str:
    """The page of a host, with the notes that are there."""
    path = DIRECTORY / f"{host.name}.md"
    notes = path.read_text(encoding="utf-8").partition(NOTES)[2] if path.exists() else ""
    return f"{generated(host)}\n{NOTES}{notes}"


def overview() -> str:
    """docs/hosts.md with its table of hosts."""
    rows = ((f"[{host.title}](hosts/{host.name}.md)", f"`{host.name}`", host.proof) for host in described())
    table = "\n".join(_rows(("host", "in commands", "proof"), rows))
    return _TABLE.sub(lambda _: f"{table}\n", OVERVIEW.read_text(encoding="utf-8"), count=1)


def generated(host: HostSpec) -> str:
    """The part above the notes."""
    parts = [f"# {host.title}", _HEAD.format(host.name), f"Proof: {host.proof}.", "\n".join(_rows(("", ""), _facts(host)))]
    parts += ["## Answers", "[How to read this table](../hosts.md#answers).", "\n".join(answers(host))]
    if host.tools:
        parts += ["## Tools", "\n".join(_rows(("meaning", "name"), ((tool, f"`{name}`") for tool, name in host.tools.items())))]
    if by_hand := entries_by_hand(host):
        place = SITES[host.name].path(SITES[host.name].scopes[0])
        language = "toml" if place.endswith(".toml") else "json"
        parts += ["## Connecting by hand", f"In `{place}`, an entry for each event:", f"```{language}\n{by_hand}\n```"]
    return "\n\n".join(parts) + "\n"


def answers(host: HostSpec) -> list[str]:
    """The table of how each effect of a hook reaches the host."""
    names = SITES[host.name].events() if host.name in SITES else host.events
    rows = ((f"`{name}`", *(way(host, name, effect) for effect in EFFECTS.values())) for name in names)
    return _rows(("event", *EFFECTS), rows)


def way(host: HostSpec, name: str, effect: dict[str, Any]) -> str:
    """How an effect reaches a host on an event."""
    event = Event(
        name=events.canonical(name) or name,
        as_written=name,
        known=True,
        host=host.name,
        session_id="s",
        work_dir="/",
        timestamp="",
    )
    answer = hosts.answer(host.name, Dispatch(id=1, event=event, project="/", runs=(), **effect))
    if "modified_input" in effect and event.name != "pre-tool-call":
        return ""  # no other event has an input to rewrite
    if answer.exit_code:
        return "exit 2"
    return next((way for sign, way in WAYS if sign in answer.stdout), "log")


def entries_by_hand(host: HostSpec) -> str:
    """What `connect` writes for a tool and a gate, with another Python; empty for a host that has no entries."""
    site = SITES.get(host.name)
    if site is None or site.wiring.entry is None:
        return ""
    names = [event for event in site.events() if events.canonical(event) in ("pre-tool-call", events.GATE)]
    written = connection_places.added(host.entry.blank, site, site.path(site.scopes[0]), names)
    return written.replace(f"{own_commands.launcher()} ", "/path/to/python -I -m hooktui run --host ").strip()


def _facts(host: HostSpec) -> Iterator[tuple[str, str]]:
    yield "in commands", f"`--host {host.name}`"
    yield "hook files", ", ".join(_files(host)) or "none on this machine"
    if host.moved:
        yield "moved by", ", ".join(f"`${variable}` in place of `{place}`" for place, variable in host.moved.items())
    if host.reads:
        yield "also reads the files of", ", ".join(_reads(host))
    if host.connect:
        yield "`hooktui connect`", ", ".join(_places(host))
    if host.programs or host.traces:
        signs = (*(f"`{program}` on PATH" for program in host.programs), *map(_code, host.traces))
        yield "counts as in use by", ", ".join(signs)
    if host.matcher.field_help and host.format != "own_plugin":
        yield "matcher", host.matcher.field_help.replace("|", "\\|")
    yield from _behavior(host)


def _behavior(host: HostSpec) -> Iterator[tuple[str, str]]:
    """How a host runs hooks."""
    if timeout := host.entry.timeouts.get("command"):
        unit = "seconds" if host.entry.timeout_unit == "s" else "milliseconds"
        yield "timeout", f"{_code(host.entry.timeout_keys[0])} in {unit}, {timeout} by default"
    if host.format != "own_plugin":
        yield "several hooks", "all at once" if host.speech.manner.at_once else "one after another"
    listed = host.speech.denies_by_exit_2
    yield "exit 2 denies", "on every event that can be denied" if listed is None else _names(host, listed) or "nothing"
    if host.speech.fails_closed:
        yield "a hook that fails denies", _names(host, host.speech.fails_closed)
    if (limit := host.speech.own_gate_limit) is not None:
        yield "its own limit at a stop", f"{limit} in a row" if limit else "none"
    if host.speech.variables:
        yield "variables for hooks", ", ".join(f"`{name}`" for name in sorted(host.speech.variables))
    if host.own_trust:
        yield "its own trust", "each hook needs the user's approval there"


def _files(host: HostSpec) -> Iterator[str]:
    for files in host.files:
        inside = "SKILL.md" if files.markdown == "skill" else "*.md" if files.markdown else "*.json"
        path = f"{files.path}/{inside}" if files.is_directory or files.markdown else files.path
        path = f"{files.path}/{host.connect.file_name}" if host.connect and host.connect.plugin else path
        yield f"`{path}` ({files.scope}{', read-only' if files.read_only else ''})"


def _reads(host: HostSpec) -> Iterator[str]:
    for reads in host.reads:
        scopes = f"({', '.join(reads.scopes)})"
        yield f"{hosts.spec(reads.host).title} {scopes}{f' with `{reads.setting}`' if reads.setting else ''}"


def _places(host: HostSpec) -> list[str]:
    """The file of each scope that `connect` writes, the default first."""
    site = SITES[host.name]
    return [f"`{site.path(scope)}` ({scope}{'' if number else ', default'})" for number, scope in enumerate(site.scopes)]


def _names(host: HostSpec, listed: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(f"`{host.spelling(name) or name}`" for name in listed))


def _code(text: str) -> str:
    return text if text.startswith("`") else f"`{text}`"


def _rows(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    head = list(head)
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


if __name__ == "__main__":
    OVERVIEW.write_text(overview(), encoding="utf-8")
    for described_host in described():
        (DIRECTORY / f"{described_host.name}.md").write_text(page(described_host), encoding="utf-8")
