"""Reading files of examples: each error names its line and says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from hooktui.hook_tests import example_files
from hooktui.hook_tests.example import Example, Suite

GOOD = "- name: a\n  expect: {decision: deny}\n"


def loaded(project: Path, **files: str) -> Suite:
    directory = project / ".agents/hook-tests"
    directory.mkdir(parents=True)
    for name, text in files.items():
        (directory / f"{name}.yaml").write_text(text)
    return example_files.load(str(project))


def only(suite: Suite) -> Example:
    assert not suite.problems
    (example,) = suite.examples
    return example


def test_an_example_has_the_defaults_of_the_contract(tmp_path: Path) -> None:
    example = only(loaded(tmp_path, one="\n# comment\n" + GOOD))
    assert (example.name, example.line, example.host, example.event) == ("a", 3, "agenthooks", "pre-tool-call")
    assert not example.in_place
    assert example.expect == {"decision": "deny"}


@pytest.mark.parametrize(
    ("host", "written", "event", "canonical"),
    [
        ("agenthooks", "PreToolUse", "pre-tool-call", "pre-tool-call"),
        ("agenthooks", "before_tool", "before_tool", "pre-tool-call"),
        ("claude", "pre-tool-call", "PreToolUse", "pre-tool-call"),
        ("copilot", "preToolUse", "preToolUse", "pre-tool-call"),
        ("gemini", "PreToolUse", "BeforeTool", "pre-tool-call"),
        ("claude", "Notification", "Notification", "Notification"),
    ],
)
def test_an_event_is_spelled_as_its_host_does(tmp_path: Path, host: str, written: str, event: str, canonical: str) -> None:
    example = only(loaded(tmp_path, one=f"{GOOD}  host: {host}\n  event: {written}\n"))
    assert (example.event, example.canonical) == (event, canonical)


def test_a_project_without_examples_has_none(tmp_path: Path) -> None:
    assert loaded(tmp_path, empty="", comment="# nothing yet\n") == Suite(project=str(tmp_path), directory=str(tmp_path))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("name: a\n", 1, "a file of examples must be a list"),
        ("- just text\n", 1, "an example must be a mapping, not text"),
        ("- name: a\n", 1, "expect is missing"),
        ("- expect: {decision: deny}\n", 1, "name is missing"),
        ("- name: a\n  expect: {}\n", 2, "expect is empty"),
        ("- name: 12\n  expect: {decision: deny}\n", 1, "name must be text, not a number: quote it"),
        ("- name: ''\n  expect: {decision: deny}\n", 1, "name is empty"),
        (GOOD + "  tols: Bash\n", 3, "unknown key tols in an example; did you mean tool?"),
        (GOOD + "  zzz: Bash\n", 3, "unknown key zzz in an example (known: name, event, host,"),
        (GOOD + "  input: [a]\n", 3, "input must be a mapping, not a list"),
        (GOOD + "  in_place: maybe\n", 3, "in_place must be true or false, not text"),
        (GOOD + "  tool: 5\n", 3, "tool must be text, not a number"),
        (GOOD + "  host: cluade\n", 3, "unknown host cluade; did you mean claude?"),
        (GOOD + "  event: PreTolUse\n", 3, "unknown event PreTolUse; did you mean PreToolUse?"),
        (GOOD + "  event: Qqqq\n", 3, "unknown event Qqqq"),
        (GOOD + "  host: codex\n  event: Notification\n", 4, "Codex CLI has no event Notification"),
        (GOOD + "  event: Stop\n  tool: Bash\n", 4, "Stop has no tool: write its fields in payload"),
        ("- name: a\n  expect: {decision: denied}\n", 2, "decision cannot be denied: did you mean deny?"),
        ("- name: a\n  expect: {decision: 3}\n", 2, "decision cannot be 3: use none, allow, ask, deny, stop"),
        ("- name: a\n  expect: {state: crashed}\n", 2, "state cannot be crashed"),
        ("- name: a\n  expect:\n    desicion: deny\n", 3, "unknown key desicion in expect; did you mean decision?"),
        ("- name: a\n  expect: deny\n", 2, "expect must be a mapping, not text"),
        ("- name: a\n  expect: {modified_input: x}\n", 2, "modified_input must be a mapping, not text"),
        ("- name: a\n  name: b\n  expect: {decision: deny}\n", 2, "name"),
        ("- name: [a\n", 1, "the bracket is not closed"),
        (GOOD + "---\n" + GOOD, 4, "a file of examples is one list, without `---`"),
    ],
)
def test_an_error_names_its_line_and_what_to_do(tmp_path: Path, text: str, line: int, message: str) -> None:
    problem, *_ = loaded(tmp_path, bad=text).problems
    assert problem.line == line
    assert message in problem.message
    assert problem.file.endswith("/.agents/hook-tests/bad.yaml")


def test_one_wrong_example_hides_neither_the_others_nor_their_errors(tmp_path: Path) -> None:
    suite = loaded(tmp_path, bad="- name: a\n- name: b\n  expect: {decision: no}\n" + GOOD.replace("name: a", "name: c"))
    assert [problem.line for problem in suite.problems] == [1, 3]
    assert len(suite.examples) == 1


def test_a_name_that_is_used_twice_names_both_places(tmp_path: Path) -> None:
    (problem,) = loaded(tmp_path, one=GOOD, two="\n" + GOOD).problems
    assert (problem.file, problem.line) == (str(tmp_path / ".agents/hook-tests/two.yaml"), 2)
    assert problem.message == "name is already used at .agents/hook-tests/one.yaml:1: a"


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / ".agents/hook-tests").mkdir(parents=True)
    (tmp_path / ".agents/hook-tests/odd.yaml").write_bytes(b"- name: \xff\n")
    (problem,) = example_files.load(str(tmp_path)).problems
    assert "not valid UTF-8" in str(problem)


def test_examples_in_a_subdirectory_are_reported_and_other_files_there_are_ignored(tmp_path: Path) -> None:
    below = tmp_path / ".agents/hook-tests/shell"
    below.mkdir(parents=True)
    (below / "a.yaml").write_text(GOOD)
    (below / "compose.yaml").write_text("services: {}\n")
    (below.parent / "UPPER.YAML").write_text(GOOD)
    suite = example_files.load(str(tmp_path))
    assert [example.file for example in suite.examples] == [str(below.parent / "UPPER.YAML")]
    assert [(problem.file, problem.message) for problem in suite.problems] == [
        (str(below / "a.yaml"), "is not read: move its examples to a file directly in .agents/hook-tests")
    ]


def test_ten_thousand_examples_are_read(tmp_path: Path) -> None:
    suite = loaded(
        tmp_path, many="".join(f"- {{name: n{number}, tool: Bash, expect: {{by: x}}}}\n" for number in range(10_000))
    )
    assert len(suite.examples) == 10_000
    assert suite.examples[-1].line == 10_000
