"""The outputs of `check`: text, JSON (contract.md), SARIF 2.1.0 and GitHub workflow commands."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from hooktui import __version__
from hooktui.core import paths
from hooktui.core.model import Diagnostic, Hook
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.diagnostics.causes import Cause, by_cause, severities, summed, without_effects, worst_first
from hooktui.diagnostics.codes import CODES

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
_UNAPPROVED, _UNCALLED = "untrusted", "not-connected"
_PROJECT_BASE = "PROJECT"
_SHOWN = 4  # further places of a problem in text output


class CheckResult(Protocol):
    """A checked catalog, or anything with hooks, files and diagnostics."""

    @property
    def project(self) -> str:
        """An absolute path. SARIF and GitHub output use paths relative to it."""

    @property
    def hooks(self) -> tuple[Hook, ...]:
        """All hooks, including those that cannot run."""

    @property
    def files(self) -> tuple[str, ...]:
        """The hook files that were read."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """In output order."""


def place(problem: Diagnostic) -> str:
    """FILE:LINE:COLUMN for text output; the file is relative to the working directory if it is inside."""
    return f"{_file(problem.file)}:{problem.line}:{problem.column}"


def _file(path: str) -> str:
    return one_line(paths.near(path, paths.canonical(paths.working_directory())))


def to_text(checked: CheckResult) -> str:
    """One line per cause, with its hint and further places below, one for all hooks that wait for approval or a connection, and
    the totals."""
    causes = summed(worst_first(by_cause(checked.diagnostics)))
    here = paths.canonical(paths.working_directory())
    lines = [paths.from_project(line, here) for cause in causes for line in _told(cause)]
    counts = severities(causes)
    sums = f"{_plural(_hook_count(checked), 'hook')} in {_plural(len(checked.files), 'file')}"
    return "\n".join([*lines, f"{sums}: {_plural(counts['error'], 'error')}, {_plural(counts['warning'], 'warning')}"])


def _told(cause: Cause) -> Iterator[str]:
    problem = cause.problem
    if problem.code == _UNAPPROVED:
        yield f"{one_line(problem.message)} until you run `hooktui trust` [{_UNAPPROVED}]"
        return
    if problem.code == _UNCALLED and len(cause.places) > 1:
        yield f"{one_line(problem.message)} ({problem.hint}) [{_UNCALLED}]"
        return
    yield f"{place(problem)}: {problem.severity}: {one_line(problem.message)} [{problem.code}]"
    if problem.hint:
        yield f"    {one_line(problem.hint)}"
    if others := list(dict.fromkeys((other.file, other.line) for other in cause.places[1:])):
        yield f"    also {_places(others, problem.file)}"


def _places(others: Sequence[tuple[str, int]], first: str) -> str:
    """Further places of a problem, at most a few of them by name."""
    left = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
    if all(file == first for file, _ in others):
        lines = ", ".join(f"{line}" for _, line in others[:_SHOWN])
        return f"on {'lines' if len(others) > 1 else 'line'} {lines}{left}"
    files = len({file for file, _ in others} - {first})
    shown = ", ".join(f"{_file(file)}:{line}" for file, line in others[:_SHOWN])
    return f"in {_plural(files, 'file')}: {shown}{left}" if files > 1 else f"at {shown}{left}"


def to_json(checked: CheckResult) -> str:
    """The object of contract.md, `check --format json`; `hook` is a name, `hook_id` what `list --json` calls `id`."""
    by_id, causes = {hook.id: hook for hook in checked.hooks}, by_cause(checked.diagnostics)
    counts = severities(causes)
    report = {
        "hooks": _hook_count(checked),
        "files": len(checked.files),
        "errors": counts["error"],
        "warnings": counts["warning"],
        "diagnostics": [_json_cause(cause, by_id) for cause in causes],
    }
    return json.dumps(report, indent=1)


def to_sarif(checked: CheckResult) -> str:
    """A SARIF 2.1.0 log with one run. Its rules are the reported codes; paths in the project are relative."""
    problems = list(_for_everybody(checked))
    used = sorted({problem.code for problem in problems})
    driver = {"name": "hooktui", "version": __version__, "rules": [_rule(code) for code in used]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_PROJECT_BASE: {"uri": f"{_file_uri(checked.project).rstrip('/')}/"}},
        "results": [_result(problem, used.index(problem.code), checked.project) for problem in problems],
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def to_github(checked: CheckResult) -> str:
    """One workflow command per problem, which GitHub shows next to the line."""
    return "\n".join(_command(problem, checked.project) for problem in _for_everybody(checked))


def _for_everybody(checked: CheckResult) -> Iterator[Diagnostic]:
    """The problems that can be solved in CI: not those of one machine."""
    return (problem for problem in without_effects(checked.diagnostics) if not CODES[problem.code].local)


def _hook_count(checked: CheckResult) -> int:
    """The number of hooks, without the entries of `hooktui connect`."""
    return sum(not hook.calls_hooktui for hook in checked.hooks)


def _json_cause(cause: Cause, hooks: Mapping[str, Hook]) -> dict[str, Any]:
    """A cause at its first place, with one entry in `places` per hook. An entry has a message only if it differs."""
    problem = cause.problem
    plain = problem.as_dict()
    del plain["fix"], plain["other_hooks"]
    places = [
        {"file": place.file, "line": place.line, **_named(hooks.get(hook or "")), **_other_message(place, cause)}
        for place in cause.places
        for hook in (place.hook, *place.other_hooks)
    ]
    named = {**_named(hooks.get(problem.hook or "")), "fixable": bool(cause.fixable)}
    return {**plain, "hosts": list(problem.hosts), **named, "places": places}


def _other_message(place: Diagnostic, cause: Cause) -> dict[str, str]:
    return {} if place.message == cause.places[0].message else {"message": place.message}


def _named(hook: Hook | None) -> dict[str, str | None]:
    return {"hook": hook.name if hook else None, "hook_id": hook.identity if hook else None}


def _rule(code: str) -> dict[str, Any]:
    known = CODES[code]
    return {
        "id": code,
        "shortDescription": {"text": f"{known.paragraph.split('. ')[0].rstrip('.')}."},
        "fullDescription": {"text": known.paragraph},
        "defaultConfiguration": {"level": _LEVELS[known.severity]},
    }


def _result(problem: Diagnostic, rule: int, project: str) -> dict[str, Any]:
    region = {
        "startLine": problem.line,
        "startColumn": problem.column,
        "endLine": problem.end_line,
        "endColumn": problem.end_column,
    }
    inside = _inside(problem.file, project)
    artifact = {"uri": _file_uri(problem.file)} if inside is None else {"uri": _quoted(inside), "uriBaseId": _PROJECT_BASE}
    location = {"artifactLocation": artifact, "region": region}
    return {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": _LEVELS[problem.severity],
        "message": {"text": _sentence(problem)},
        "locations": [{"physicalLocation": location}],
    }


def _command(problem: Diagnostic, project: str) -> str:
    inside = _inside(problem.file, project)
    properties = {
        "file": problem.file if inside is None else inside,
        "line": problem.line,
        "endLine": problem.end_line,
        "col": problem.column,
        "endColumn": problem.end_column,
        "title": problem.code,
    }
    return workflow_command(_COMMANDS[problem.severity], _sentence(problem), properties)


def workflow_command(kind: str, message: str, properties: Mapping[str, object]) -> str:
    """A command of GitHub's workflows, `error`, `warning` or `notice`, about a place in a file."""
    escaped = {name: _escaped(str(value)).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()}
    written = ",".join(f"{name}={value}" for name, value in escaped.items())
    return f"::{kind} {written}::{_escaped(message)}"


def _sentence(problem: Diagnostic) -> str:
    return f"{problem.message} ({problem.hint})" if problem.hint else problem.message


def _escaped(text: str) -> str:
    """Escape the message of a workflow command by GitHub's rules, and make other control characters visible."""
    return visible(text).replace("%", "%25").replace("\n", "%0A")


def _inside(file: str, project: str) -> str | None:
    """The path relative to the project, with slashes; None if the file is outside."""
    base = project.rstrip(os.sep) + os.sep
    return file[len(base) :].replace(os.sep, "/") if file.startswith(base) else None


def _file_uri(path: str) -> str:
    return f"file://{_quoted(path.replace(os.sep, '/'))}"


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path, errors="surrogateescape")


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
