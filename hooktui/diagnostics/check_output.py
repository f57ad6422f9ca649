"""The outputs of `check`: text, JSON (contract.md), SARIF 2.1.0 and GitHub workflow commands."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from hooktui import __version__, hosts
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.diagnostics.codes import CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.core.model import Diagnostic, Hook

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
_UNAPPROVED, _UNCALLED = "untrusted", "not-connected"
_PROJECT_BASE = "PROJECT"


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


def count(checked: CheckResult, severity: str) -> int:
    """Count the diagnostics of a severity."""
    return sum(problem.severity == severity for problem in checked.diagnostics)


def place(problem: Diagnostic) -> str:
    """FILE:LINE:COLUMN for text output; the file is relative to the working directory if it is inside."""
    file = paths.near(problem.file, paths.canonical(paths.working_directory()))
    return f"{one_line(file)}:{problem.line}:{problem.column}"


def to_text(checked: CheckResult) -> str:
    """One line per problem, with its hint below, one for all hooks that wait for approval or a connection, and the totals."""
    lines = []
    uncalled = [problem for problem in checked.diagnostics if problem.code == _UNCALLED and problem.hook]
    for problem in checked.diagnostics:
        if problem.code == _UNAPPROVED or (problem in uncalled and len(uncalled) > 1):
            continue
        lines.append(f"{place(problem)}: {problem.severity}: {one_line(problem.message)} [{problem.code}]")
        if problem.hint:
            lines.append(f"    {one_line(problem.hint)}")
    waiting = [problem.hook for problem in checked.diagnostics if problem.code == _UNAPPROVED]
    if waiting:
        them = "it" if len(waiting) == 1 else "them"
        skipped = f"{_plural(len(waiting), 'hook')} not approved: hooktui does not run {them} until you run `hooktui trust`"
        anyway = hosts.run_anyway(hook for hook in checked.hooks if hook.id in waiting)
        lines.append(f"{skipped}{f'; {anyway}' if anyway else ''} [{_UNAPPROVED}]")
    if len(uncalled) > 1:
        lines.append(f"{one_line(about_all(uncalled))} ({uncalled[0].hint}) [{_UNCALLED}]")
    errors, warnings = count(checked, "error"), count(checked, "warning")
    sums = f"{_plural(_hook_count(checked), 'hook')} in {_plural(len(checked.files), 'file')}"
    return "\n".join([*lines, f"{sums}: {_plural(errors, 'error')}, {_plural(warnings, 'warning')}"])


def about_all(uncalled: Sequence[Diagnostic]) -> str:
    """The message for several hooks that no program runs."""
    causes = {problem.message.partition(": ")[2] for problem in uncalled}
    return f"no program runs {len(uncalled)} hooks: {causes.pop() if len(causes) == 1 else 'none is connected'}"


def to_json(checked: CheckResult) -> str:
    """The object of contract.md, `check --format json`; `hook` is a name, `hook_id` what `list --json` calls `id`."""
    by_id = {hook.id: hook for hook in checked.hooks}
    report = {
        "hooks": _hook_count(checked),
        "files": len(checked.files),
        "errors": count(checked, "error"),
        "warnings": count(checked, "warning"),
        "diagnostics": [_json_diagnostic(problem, by_id.get(problem.hook or "")) for problem in checked.diagnostics],
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
    return (problem for problem in checked.diagnostics if not CODES[problem.code].local)


def _hook_count(checked: CheckResult) -> int:
    """The number of hooks, without the entries of `hooktui connect`."""
    return sum(not hook.calls_hooktui for hook in checked.hooks)


def _json_diagnostic(problem: Diagnostic, hook: Hook | None) -> dict[str, Any]:
    plain = problem.as_dict()
    del plain["fix"]
    named = {"hook": hook and hook.name, "hook_id": hook and hook.identity}
    return {**plain, "hosts": list(problem.hosts), **named, "fixable": problem.fix is not None}


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
    artifact = {"uri": _file_uri(problem.file)} if inside is None else {"uri": quote(inside), "uriBaseId": _PROJECT_BASE}
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
    escaped = {name: _escaped(str(value)).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()}
    written = ",".join(f"{name}={value}" for name, value in escaped.items())
    return f"::{_COMMANDS[problem.severity]} {written}::{_escaped(_sentence(problem))}"


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
    return f"file://{quote(path.replace(os.sep, '/'), errors='surrogateescape')}"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
