"""The claims of `check` about hosts, found by having it report what it can."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hooktui import formats, hosts
from hooktui.catalog import catalog
from hooktui.core.model import Diagnostic
from tests import wrong_hooks
from tests.bad_input import MISTAKES, PLACES, NotWritableError, Place
from tests.wrong_hooks import Hook

# Codes of what hooktui sees by itself: in a file, on this machine, or in its own settings and log.
SEEN_HERE = frozenset(
    {
        "bad-command", "bad-json", "bad-yaml", "broken-link", "changed-since-trusted", "duplicate-hook", "duplicate-key",
        "insecure-permissions", "missing-program", "missing-script", "not-a-mapping", "not-connected", "not-covered",
        "not-executable", "no-shebang", "overrides-user-hook", "slow-regex", "unreadable-file",
    }
)  # fmt: skip


_AZURE = """\
api_version: azuresre.ai/v2
kind: ExtendedAgent
metadata:
  name: mistaken
spec:
  hooks:
    Stop:
      - {type: command, matcher: Bash, command: "true", timeout: 0}
      - {type: command, command: "true", script: "true", failMode: stop}
      - {type: webhook, prompt: Judge it.}
      - {type: prompt, prompt: Judge it., timeout: soon, maxRejections: 30}
      - {type: command, script: "#!/bin/zsh\\ntrue", maxRejections: 3}
      - {type: command, script: "#!/bin/bash\\n#LONG"}
    PostToolUse:
      - {type: command, command: "true"}
      - {type: command, matcher: "", command: "echo $TOOL_INPUT"}
      - {type: command, matcher: Bash, command: "echo denied >&2; exit 1"}
""".replace("LONG", "x" * 66_000)
# One command in the files of two programs.
_TWICE = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
_TWICE_IN_COPILOT = {"type": "command", "matcher": "Bash", "bash": "true"}


class Claim(NamedTuple):
    """A code that is reported for a host as an error or a warning."""

    code: str
    host: str


def made(home: Path, project: Path) -> set[Claim]:
    """The claims about the hooks of `wrong_hooks` and the mistakes of `bad_input`, in every program's own file."""
    found: set[Claim] = set()
    for place in PLACES.values():
        for problems in _reports(place, home, project):
            found |= _claimed(place.host, problems)
        for root in (home, project):
            (root / place.path.removeprefix("~/")).unlink(missing_ok=True)
    return found | _of_several_files(project)


def _of_several_files(project: Path) -> set[Claim]:
    """The claims about files that no program reads, a command that two files have, and Azure's YAML."""
    found: set[Claim] = set()
    unread = {path: spec.name for spec in hosts.specs() for path in spec.unread_files()}
    events: dict[str, Any] = {path: {"PreToolUse": [_TWICE]} for path in (*unread, ".claude/settings.json")}
    events[".github/hooks/g.json"] = {"PreToolUse": [_TWICE_IN_COPILOT]}
    for path, groups in events.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(json.dumps({"hooks": groups}))
    (project / "agent.yaml").write_text(_AZURE)
    for problem in catalog.load(str(project), named=hosts.names()).diagnostics:
        file = str(Path(problem.file).relative_to(project))
        found |= _claimed("azure" if file == "agent.yaml" else unread.get(file, ""), [problem])
    return found


def _claimed(own: str, problems: Iterable[Diagnostic]) -> set[Claim]:
    told = (problem for problem in problems if problem.severity != "info" and problem.code not in SEEN_HERE)
    return {Claim(problem.code, host) for problem in told for host in problem.hosts or (own,)}


def _reports(place: Place, home: Path, project: Path) -> Iterator[Iterable[Diagnostic]]:
    """Write one file of a program after another; what is reported of each, with every host in use."""
    for hooks in _hooks(place, project):
        try:
            wrong_hooks.write(place, home, project, *hooks)
        except NotWritableError:
            continue
        yield catalog.load(str(project), named=hosts.names()).diagnostics
    for mistake in MISTAKES.values():
        try:
            place.write(mistake(place), home, project)
        except NotWritableError:
            continue
        yield formats.load(place.host).discover(str(project)).diagnostics


def _hooks(place: Place, project: Path) -> Iterator[list[Hook]]:
    script = project / "hooks/guard.sh"
    script.parent.mkdir(exist_ok=True)
    script.write_text("exit 0\n")
    yield wrong_hooks.with_matchers(place)[1]
    yield wrong_hooks.on_events(place)
    yield wrong_hooks.with_keys()
    yield wrong_hooks.with_values(place)
    yield wrong_hooks.with_types()
    yield wrong_hooks.answering(project, wrong_hooks.DENIALS)
    yield wrong_hooks.answering(project, wrong_hooks.GATES, place.other)
    yield [Hook("true", values={place.timeout: timeout}) for timeout in wrong_hooks.TIMEOUTS]
    yield [Hook("echo hello"), Hook("echo no >&2; exit 2", event=place.other), Hook("bash hooks/guard.sh")]
    yield [Hook("true", event=place.other, values={"if": "Bash(*)"})]
    yield [Hook(wrong_hooks.noting("x"), values={place.command: ..., "powershell": "exit 0"})]
