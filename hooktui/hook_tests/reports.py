"""The outputs of `hooktui test` for other programs: JSON (contract.md), GitHub workflow commands and JUnit XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.diagnostics.check_output import workflow_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.hook_tests.example import FileProblem, Result, Results, Suite

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNPROVED = "no example notices when it is off"


def to_json(results: Results) -> dict[str, Any]:
    """The object of contract.md, "Tests of hooks"."""
    return {
        "passed": len(results.results) - len(results.failed),
        "failed": len(results.failed),
        "unproved": list(results.unproved),
        "versions": dict(results.versions),
        "tests": [_test(result) for result in results.results],
    }


def _test(result: Result) -> dict[str, Any]:
    example = result.example
    return {
        "name": example.name,
        "file": example.file,
        "line": example.line,
        "host": example.host,
        "event": example.event,
        "passed": result.passed,
        "expected": dict(example.expect),
        "got": result.got,
        "why": list(result.why),
        "differences": list(result.differences),
        "notes": list(result.notes),
        "hooks": list(result.hooks),
        "duration_ms": round(result.duration_ms, 3),
    }


def to_github(results: Results, project: str) -> str:
    """A workflow command for each example that fails, that differs between hosts, and for each guard that is not proved."""
    return "\n".join(_commands(results, project))


def _commands(results: Results, project: str) -> Iterator[str]:
    for result in results.results:
        place = {"file": paths.near(result.example.file, project), "line": str(result.example.line)}
        if not result.passed:
            yield workflow_command("error", "\n".join(result.why), {**place, "title": f"hook test: {result.example.name}"})
        for sentence in result.differences:
            yield workflow_command("notice", sentence, {**place, "title": f"hook test: {result.example.name}"})
    for label in results.unproved:
        yield workflow_command("error", f"{label}: {_UNPROVED}", {"title": "unproved guard"})


def problems_to_github(suite: Suite) -> str:
    """A workflow command for each error in the files of examples."""
    return "\n".join(_problem(problem, suite.project) for problem in suite.problems)


def _problem(problem: FileProblem, project: str) -> str:
    properties = {"file": paths.near(problem.file, project), "line": str(problem.line), "title": "hook test"}
    return workflow_command("error", problem.message, properties)


def to_junit(results: Results, project: str) -> str:
    """A JUnit XML document with a test suite for each file, and one for guards if any is not proved."""
    failures = len(results.failed) + len(results.unproved)
    total = len(results.results) + len(results.unproved)
    root = ET.Element("testsuites", name="hooktui test", tests=str(total), failures=str(failures))
    by_file: dict[str, list[Result]] = {}
    for result in results.results:
        by_file.setdefault(result.example.file, []).append(result)
    for file, own in by_file.items():
        _junit_suite(root, _clean(paths.near(file, project)), own)
    if results.unproved:
        count = str(len(results.unproved))
        guards = ET.SubElement(root, "testsuite", name="guards", tests=count, failures=count)
        for label in results.unproved:
            case = ET.SubElement(guards, "testcase", name=_clean(label), classname="guards")
            ET.SubElement(case, "failure", message=_UNPROVED)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False)


def _junit_suite(root: ET.Element, name: str, results: list[Result]) -> None:
    failed = sum(not result.passed for result in results)
    seconds = f"{sum(result.duration_ms for result in results) / 1000:.3f}"
    suite = ET.SubElement(
        root, "testsuite", name=name, tests=str(len(results)), failures=str(failed), errors="0", skipped="0", time=seconds
    )
    for result in results:
        case = ET.SubElement(
            suite,
            "testcase",
            name=_clean(result.example.name),
            classname=name,
            file=name,
            line=str(result.example.line),
            time=f"{result.duration_ms / 1000:.3f}",
        )
        if not result.passed:
            failure = ET.SubElement(case, "failure", message=_clean(one_line(result.why[0])))
            failure.text = _clean("\n".join(result.why))
        if told := (*result.differences, *result.notes):
            ET.SubElement(case, "system-out").text = _clean("\n".join(told))


def _clean(text: str) -> str:
    """A text that XML can hold, with symbols in place of control characters."""
    return _NOT_XML.sub("\ufffd", visible(text))
