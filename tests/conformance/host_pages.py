"""The generated parts of docs/hosts/*.md: the facts of a host, what it makes of hooks, and how hooktui answers it.

`python -m tests.conformance.host_pages` (`make docs`) writes them and keeps the notes below, which people write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hooktui import hosts
from hooktui.connect import SITES, connection_places
from hooktui.connect.connection_places import SCOPES
from hooktui.core import events, paths
from hooktui.core.model import Dispatch, Event
from hooktui.hosts import Host
from hooktui.hosts.shared.answers import PERMISSION_REQUESTS

DIRECTORY = Path(__file__).parents[2] / "docs/hosts"
OVERVIEW = DIRECTORY.with_suffix(".md")
_TABLE = re.compile(r"(?<=-->\n).*?(?=<!-- end -->)", re.DOTALL)
NOTES = "## Notes\n"
_HEAD = "<!-- `make docs` writes everything above the notes, from hooktui/hosts/{}.py. -->"
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

_NESTED = {"hookEventName": "EVENT", "permissionDecisionReason": WHY}
# How a hook may end, by the column of the table: the answers that some host takes as that, at exit 0.
ANSWERS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "deny": (
        *({"decision": word, "reason": WHY} for word in ("block", "deny")),
        {"hookSpecificOutput": {**_NESTED, "permissionDecision": "deny"}},
        {"permissionDecision": "deny", "permissionDecisionReason": WHY},
        {"behavior": "deny", "message": WHY},
        {"hookSpecificOutput": {"hookEventName": "EVENT", "decision": {"behavior": "deny", "message": WHY}}},
        {"permission": "deny", "user_message": WHY},
        {"followup_message": WHY},
    ),
    "ask": (
        {"decision": "ask", "reason": WHY},
        {"hookSpecificOutput": {**_NESTED, "permissionDecision": "ask"}},
        {"permissionDecision": "ask", "permissionDecisionReason": WHY},
        {"permission": "ask", "user_message": WHY},
    ),
    "rewrite": (
        {"modified_input": {"command": WHY}},
        {"hookSpecificOutput": {**_NESTED, "permissionDecision": "allow", "updatedInput": {"command": WHY}}},
        {"hookSpecificOutput": {"hookEventName": "EVENT", "tool_input": {"command": WHY}}},
        *({key: {"command": WHY}} for key in ("modifiedArgs", "updated_input")),
        *({key: WHY} for key in ("modifiedPrompt", "modifiedTransformedPrompt")),
        {"modifiedResult": {"textResultForLlm": WHY}},
    ),
    "continue: false": ({"continue": False, "stopReason": WHY},),
}
ASKED = {"pre-tool-call", *PERMISSION_REQUESTS}  # events with a tool call that the user can be asked about
VERDICTS = {"deny": "denies", "stop": "stops", "ask": "asks"}


def described() -> tuple[Host, ...]:
    """The hosts with a page: the agent programs, but not the format of HOOK.md."""
    return tuple(host for host in hosts.specs() if host.name != hosts.DEFAULT)


def page(host: Host) -> str:
    """The page of a host, with the notes that are there."""
    path = DIRECTORY / f"{host.name}.md"
    notes = path.read_text(encoding="utf-8").partition(NOTES)[2] if path.exists() else ""
    return f"{generated(host)}\n{NOTES}{notes}"


def overview() -> str:
    """docs/hosts.md with its table of hosts."""
    rows = ((f"[{host.title}](hosts/{host.name}.md)", f"`{host.name}`", host.proof) for host in described())
    table = "\n".join(_rows(("host", "in commands", "proof"), rows))
    return _TABLE.sub(lambda _: f"{table}\n", OVERVIEW.read_text(encoding="utf-8"), count=1)


def generated(host: Host) -> str:
    """The part above the notes."""
    parts = [f"# {host.title}", _HEAD.format(host.name), f"Proof: {host.proof}.", "\n".join(_rows(("", ""), _facts(host)))]
    if host.format != "own_plugin":
        parts += ["## Hooks", "[How to read this table](../hosts.md#hooks).", "\n".join(hooks(host))]
    parts += ["## Answers", "[How to read this table](../hosts.md#answers).", "\n".join(answers(host))]
    if host.tools:
        parts += ["## Tools", "\n".join(_rows(("meaning", "name"), ((tool, f"`{name}`") for tool, name in host.tools.items())))]
    if by_hand := entries_by_hand(host):
        place = SITES[host.name].path(SITES[host.name].scopes[0])
        language = "toml" if place.endswith(".toml") else "json"
        parts += ["## Connecting by hand", f"In `{place}`, an entry for each event:", f"```{language}\n{by_hand}\n```"]
    return "\n\n".join(parts) + "\n"


def hooks(host: Host) -> list[str]:
    """The table of what the host makes of hooks, by event that can be denied."""
    columns = ("exit 1", "exit 2", "silent exit 2", *(f"JSON: {name}" for name in ANSWERS))
    deniable = (name for name in host.events if host.can_deny(events.canonical(name) or name))
    return _rows(("event", *columns), ((f"`{name}`", *verdicts(host, name)) for name in deniable))


def verdicts(host: Host, name: str) -> Iterator[str]:
    """What the host makes of each way in which a hook may end on an event."""
    for code, stderr in ((1, WHY), (2, WHY), (2, "")):
        yield VERDICTS.get(hosts.interpret(host.name, name, code, "", stderr).outcome.decision, "")
    for wanted, forms in ANSWERS.items():
        texts = (json.dumps(form).replace("EVENT", name) for form in forms)
        outcomes = [hosts.interpret(host.name, name, 0, text).outcome for text in texts]
        found = (VERDICTS.get(outcome.decision, "") for outcome in outcomes)
        if wanted == "rewrite":
            yield "rewrites" if any(outcome.modified_input for outcome in outcomes) else ""
        elif wanted == "ask" and ASKED.isdisjoint((name, events.canonical(name))):
            yield ""
        else:
            yield next(filter(None, found), "")


def answers(host: Host) -> list[str]:
    """The table of how each effect of a hook reaches the host."""
    names = SITES[host.name].events() if host.name in SITES else host.events
    rows = ((f"`{name}`", *(way(host, name, effect) for effect in EFFECTS.values())) for name in names)
    return _rows(("event", *EFFECTS), rows)


def way(host: Host, name: str, effect: dict[str, Any]) -> str:
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


def entries_by_hand(host: Host) -> str:
    """What `connect` writes for a tool and a gate, with another Python; empty for a host that has no entries."""
    site = SITES.get(host.name)
    if site is None or site.has_plugin:
        return ""
    names = [event for event in site.events() if events.canonical(event) in ("pre-tool-call", events.GATE)]
    written = connection_places.added(host.entry.blank, site, site.path(site.scopes[0]), names, site.scopes[0])
    return written.replace(f"{paths.launcher()} ", "/path/to/python -I -m hooktui run --host ").strip()


def _facts(host: Host) -> Iterator[tuple[str, str]]:
    yield "in commands", f"`--host {host.name}`"
    yield "hook files", ", ".join(_files(host)) or "none on this machine"
    if host.moved:
        yield "moved by", ", ".join(f"`${variable}` in place of `{place}`" for place, variable in host.moved.items())
    if host.transcripts:
        yield "transcripts", ", ".join(map(_code, (*host.transcripts, *host.transcripts_of_subagents)))
    if host.reads:
        yield "also reads the files of", ", ".join(_reads(host))
    if host.connect_scopes:
        yield "`hooktui connect`", ", ".join(_places(host))
    if host.programs or host.traces:
        signs = (*(f"`{program}` on PATH" for program in host.programs), *map(_code, host.traces))
        yield "counts as in use by", ", ".join(signs)
    if host.matcher.field_help and host.format != "own_plugin":
        yield "matcher", host.matcher.field_help.replace("|", "\\|")
    yield from _behavior(host)


def _behavior(host: Host) -> Iterator[tuple[str, str]]:
    """How a host runs hooks."""
    if timeout := host.entry.timeouts.get("command"):
        unit = "seconds" if host.entry.timeout_unit == "s" else "milliseconds"
        yield "timeout", f"{_code(host.entry.timeout_keys[0])} in {unit}, {timeout} by default"
    if host.format != "own_plugin":
        yield "several hooks", "all at once" if host.scheduling.order == "together" else "one after another"
    listed = host.exit_2_denies
    yield "exit 2 denies", "on every event that can be denied" if listed is None else _names(host, listed) or "nothing"
    if closed := [name for name in host.events if host.fails_closed(events.canonical(name) or name)]:
        yield "a hook that fails denies", _names(host, closed)
    if (limit := host.own_gate_limit) is not None:
        yield "its own limit at a stop", f"{limit} in a row" if limit else "none"
    if host.variables:
        yield "variables for hooks", ", ".join(f"`{name}`" for name in sorted(host.variables))
    if host.has_own_trust:
        yield "its own trust", "each hook needs the user's approval there"


def _files(host: Host) -> Iterator[str]:
    for files in host.files:
        inside = "SKILL.md" if files.kind == "skill" else "*.md" if files.noun else "*.json"
        path = f"{files.path}/{inside}" if files.is_directory else files.path
        path = f"{files.path}/{files.own_file}" if host.format == "own_plugin" else path
        yield f"`{path}` ({files.scope}{', read-only' if files.read_only else ''})"


def _reads(host: Host) -> Iterator[str]:
    for reads in host.reads:
        scopes = ", ".join(scope for scope in SCOPES if reads.reads_scope(scope))
        yield f"{hosts.spec(reads.host).title} ({scopes}){f' with `{setting}`' if (setting := reads.setting()) else ''}"


def _places(host: Host) -> list[str]:
    """The file of each scope that `connect` writes, the default first."""
    site = SITES[host.name]
    return [f"`{site.path(scope)}` ({scope}{'' if number else ', default'})" for number, scope in enumerate(site.scopes)]


def _names(host: Host, listed: Iterable[str]) -> str:
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
