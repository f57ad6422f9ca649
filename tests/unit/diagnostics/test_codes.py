"""The codes of contract.md, `check`: severities and documentation."""

from __future__ import annotations

from hooktui.diagnostics.codes import CODES
from tests.conformance.codes_page import PAGE, document

ERRORS = """unreadable-file, bad-yaml, bad-json, not-a-mapping, misnamed-file, missing-field, wrong-type, bad-name,
bad-description, unknown-event, bad-regex, out-of-range, missing-entry, bad-command, bad-value, missing-script,
conflicting-keys, duplicate-key, broken-link, too-large, host-skips-file, denies-everything, mod-not-loaded,
insecure-permissions"""
WARNINGS = """bad-name, name-mismatch, unknown-key, slow-regex, matcher-ignored, unit-suspect, not-executable,
no-shebang, unsupported-type, unsupported-shebang, duplicate-hook, runs-twice, overrides-user-hook,
host-ignores-matcher, host-rejects-output, undefined-variable, undefined-field, host-misses-block, weak-exit,
matches-nothing, never-fires, ignored-key, changed-since-trusted, relative-path, missing-program,
unread-key, unread-file, not-connected, not-covered, insecure-permissions, host-untrusted, too-large,
mod-overrules"""
INFOS = "untrusted, unquoted-path, no-hook-file, host-drops-file, fails-open, untested-guard"


def names(text: str) -> set[str]:
    return set(text.replace("\n", " ").replace(",", " ").split())


def test_every_code_of_the_contract_is_in_the_table_with_its_severity() -> None:
    by_severity = {
        severity: {name for name, code in CODES.items() if severity in (code.severity, code.also)}
        for severity in ("error", "warning")
    }
    notes = {name for name, code in CODES.items() if code.severity == "info"}
    assert notes == names(INFOS)
    assert by_severity["error"] == names(ERRORS)
    assert by_severity["warning"] - {"out-of-range", "bad-value"} == names(WARNINGS)


def test_every_code_has_a_paragraph_in_the_documentation() -> None:
    assert all(len(code.paragraph) > 40 and code.paragraph.endswith(".") for code in CODES.values())


def test_every_code_says_how_it_is_known() -> None:
    assert {name for name, code in CODES.items() if not code.known or code.known.endswith(".")} == set()


def test_every_code_explains_its_fix_or_its_absence() -> None:
    assert {name for name, code in CODES.items() if ("fix " in code.paragraph) == bool(code.no_fix)} == set()


def test_documentation_matches_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == document()
