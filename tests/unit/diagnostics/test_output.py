"""The outputs of `check` for people and machines (contract.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hooktui.core.model import Diagnostic, Fix, Hook, HookDirectory
from hooktui.diagnostics import check_output

HOOK = Hook(
    id="agenthooks:project:guard",
    name="guard",
    event="pre-tool-call",
    event_as_written="before_tool",
    format="agenthooks",
    scope="project",
    file="/p/.agents/hooks/guard/HOOK.md",
    line=4,
    source=HookDirectory(),
)
ERROR = Diagnostic(
    severity="error",
    code="bad-regex",
    message="pattern is no valid regex",
    hint="see 100%",
    file=HOOK.file,
    line=6,
    column=12,
    end_line=6,
    end_column=20,
    hook=HOOK.id,
)
WARNING = Diagnostic(
    severity="warning",
    code="not-executable",
    message="a\nb\x1b[31m",
    file="/home/a,b:c/run",
    hosts=("claude",),
    fix=Fix(label="make it executable", kind="chmod", path="/home/a,b:c/run"),
)
INFO = ERROR.replace(severity="info", message="fyi", hint="", hook=None)


@dataclass(frozen=True)
class Checked:
    project: str = "/p"
    hooks: tuple[Hook, ...] = (HOOK,)
    files: tuple[str, ...] = (HOOK.file, "/other")
    diagnostics: tuple[Diagnostic, ...] = (ERROR, WARNING, INFO)


def test_text_has_one_line_per_problem_and_totals() -> None:
    assert check_output.to_text(Checked()).splitlines() == [
        "/p/.agents/hooks/guard/HOOK.md:6:12: error: pattern is no valid regex [bad-regex]",
        "    see 100%",
        "/home/a,b:c/run:1:1: warning: a⏎b␛[31m [not-executable]",
        "/p/.agents/hooks/guard/HOOK.md:6:12: info: fyi [bad-regex]",
        "1 hook in 2 files: 1 error, 1 warning",
    ]


def test_text_shortens_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/a,b:c")
    assert "~/run:1:1: warning" in check_output.to_text(Checked())


def test_text_names_files_from_the_working_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    inside = Checked().diagnostics[0].replace(file=str(tmp_path / ".agents/hooks/guard/HOOK.md"))
    assert check_output.place(inside) == ".agents/hooks/guard/HOOK.md:6:12"


def test_text_without_problems_has_only_totals() -> None:
    assert check_output.to_text(Checked(hooks=(), files=(), diagnostics=())) == "0 hooks in 0 files: 0 errors, 0 warnings"


def test_json_has_the_fields_of_the_contract() -> None:
    report = json.loads(check_output.to_json(Checked()))
    assert {key: report[key] for key in ("hooks", "files", "errors", "warnings")} == {
        "hooks": 1,
        "files": 2,
        "errors": 1,
        "warnings": 1,
    }
    assert report["diagnostics"][0] == {
        "severity": "error",
        "code": "bad-regex",
        "message": "pattern is no valid regex",
        "hint": "see 100%",
        "hosts": [],
        "file": HOOK.file,
        "line": 6,
        "column": 12,
        "end_line": 6,
        "end_column": 20,
        "hook": "guard",
        "hook_id": "agenthooks:project:guard",
        "fixable": False,
        "places": [{"file": HOOK.file, "line": 6, "hook": "guard", "hook_id": "agenthooks:project:guard"}],
    }
    assert [(one["hook"], one["fixable"], one["hosts"]) for one in report["diagnostics"][1:]] == [
        (None, True, ["claude"]),
        (None, False, []),
    ]


def test_github_commands_are_escaped_and_relative_to_the_project() -> None:
    assert check_output.to_github(Checked()).splitlines() == [
        (
            "::error file=.agents/hooks/guard/HOOK.md,line=6,endLine=6,col=12,endColumn=20,title=bad-regex"
            "::pattern is no valid regex (see 100%25)"
        ),
        "::warning file=/home/a%2Cb%3Ac/run,line=1,endLine=1,col=1,endColumn=1,title=not-executable::a%0Ab␛[31m",
        "::notice file=.agents/hooks/guard/HOOK.md,line=6,endLine=6,col=12,endColumn=20,title=bad-regex::fyi",
    ]


def sarif_run(checked: Checked) -> dict[str, Any]:
    log = json.loads(check_output.to_sarif(checked))
    assert (log["version"], list(log)) == ("2.1.0", ["$schema", "version", "runs"])
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_results_name_their_rules_and_places() -> None:
    run = sarif_run(Checked())
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["bad-regex", "not-executable"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [result["ruleId"] for result in run["results"]]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    first, second = (result["locations"][0]["physicalLocation"] for result in run["results"][:2])
    assert first["artifactLocation"] == {"uri": ".agents/hooks/guard/HOOK.md", "uriBaseId": "PROJECT"}
    assert first["region"] == {"startLine": 6, "startColumn": 12, "endLine": 6, "endColumn": 20}
    assert second["artifactLocation"] == {"uri": "file:///home/a%2Cb%3Ac/run"}
    assert run["originalUriBaseIds"] == {"PROJECT": {"uri": "file:///p/"}}
    assert run["columnKind"] == "unicodeCodePoints"


def test_sarif_without_problems_is_an_empty_run() -> None:
    run = sarif_run(Checked(diagnostics=()))
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])


UNAPPROVED = INFO.replace(code="untrusted", message="guard is not approved", hint="review it")


def test_text_counts_hooks_that_wait_for_approval_in_one_line() -> None:
    lines = check_output.to_text(Checked(diagnostics=(UNAPPROVED, UNAPPROVED.replace(line=9)))).splitlines()
    assert lines == [
        "2 hooks not approved: hooktui does not run them until you run `hooktui trust` [untrusted]",
        "1 hook in 2 files: 0 errors, 0 warnings",
    ]


def test_outputs_for_ci_leave_out_what_concerns_one_machine() -> None:
    local = (UNAPPROVED, WARNING.replace(code="missing-program"), WARNING.replace(code="not-connected"))
    checked = Checked(diagnostics=(*local, ERROR))
    assert check_output.to_github(checked).count("::error") == 1
    assert check_output.to_github(checked).count("\n") == 0
    (run,) = json.loads(check_output.to_sarif(checked))["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["bad-regex"]
    assert len(json.loads(check_output.to_json(checked))["diagnostics"]) == 4
