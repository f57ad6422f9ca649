"""`hooktui test`: its arguments, outputs and exit codes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.command_world import CommandWorld
from tests.unit.hook_tests.examples_world import DENIES, FORCE, guard, report_of, write

pytestmark = pytest.mark.slow  # runs hooks

DENIED = {**FORCE, "name": "a force push is denied", "expect": {"decision": "deny"}}
PASSES = {"name": "a list passes", "tool": "Shell", "input": {"command": "ls"}}
FAILS = {**FORCE, "name": "50%, wrong: hopes\nfor none", "expect": {"decision": "none"}}
ODD = "#!/bin/sh\nprintf 'no \\033[31m%%0A\\001\\nsecond, line' >&2\nexit 2\n"


@pytest.fixture
def project(world: CommandWorld) -> CommandWorld:
    """A guard with an example that passes and one that fails."""
    guard(world, script=ODD)
    write(world, DENIED, PASSES, FAILS)
    return world


def names(world: CommandWorld, *arguments: str) -> list[str]:
    return [test["name"] for test in report_of(world, "--trust", *arguments, code=None)["tests"]]


def test_text_lists_files_and_explains_each_failure(project: CommandWorld) -> None:
    done = project.run("test", "--trust", code=1)
    assert done.stdout.startswith("✕  .agents/hook-tests/all.yaml  1 of 3 failed\n")
    assert "✕ 50%, wrong: hopes⏎for none  .agents/hook-tests/all.yaml:3" in done.stdout
    assert "decision: expected none, got deny by no-force-push" in done.stdout
    assert "\x1b" not in done.stdout
    assert re.search(r"\n2 passed, 1 failed in \d+\.\d s\n\Z", done.stdout)
    assert done.stderr == "", "no progress without a terminal"


def test_github_gets_a_command_at_the_line_of_each_failure(project: CommandWorld) -> None:
    command, summary = project.run("test", "--trust", "--format", "github", code=1).stdout.splitlines()
    place, _, message = command.removeprefix("::").partition("::")
    assert place == "error file=.agents/hook-tests/all.yaml,line=3,title=hook test%3A 50%25%2C wrong%3A hopes%0Afor none"
    assert message.startswith(
        "decision: expected none, got deny by no-force-push%0Ano-force-push: no ␛[31m%250A␁%0Asecond, line"
    )
    assert summary.startswith("2 passed, 1 failed")


def test_junit_is_xml_whatever_hooks_say(project: CommandWorld) -> None:
    root = ET.fromstring(project.run("test", "--trust", "--format", "junit", "--prove", code=1).stdout)
    assert (root.get("tests"), root.get("failures")) == ("3", "1")
    (suite,) = root
    assert suite.get("name") == ".agents/hook-tests/all.yaml"
    assert [case.get("line") for case in suite] == ["1", "2", "3"]
    (failure,) = root.iter("failure")
    assert "no ␛[31m%0A␁\nsecond, line" in (failure.text or "")


def test_an_unproved_guard_is_an_error_in_every_output(world: CommandWorld) -> None:
    guard(world)
    write(world, PASSES)
    assert "Not proved: no-force-push. No example notices when it is off." in world.run("test", "--prove", code=1).stdout
    assert "::error title=unproved guard::no-force-push: " in world.run("test", "--prove", "--format", "github", code=1).stdout
    root = ET.fromstring(world.run("test", "--prove", "--format", "junit", code=1).stdout)
    assert [case.get("name") for case in root.iter("testcase")] == ["a list passes", "no-force-push"]


def test_words_name_a_directory_examples_and_hooks(project: CommandWorld) -> None:
    assert names(project, "a list passes") == ["a list passes"]
    assert names(project, str(project.project), "no-force-push") == [DENIED["name"], FAILS["name"]]
    assert names(project, "no-force-push", "a list passes") == [DENIED["name"], PASSES["name"], FAILS["name"]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a lst passes",), "no example or hook named a lst passes; did you mean a list passes?"),
        (("no-forc-push",), "did you mean no-force-push?"),
        (("zzzz",), "no example or hook named zzzz"),
        ((".", ".agents"), "more than one directory: ., .agents"),
    ],
)
def test_an_unknown_word_is_an_error(project: CommandWorld, words: tuple[str, ...], message: str) -> None:
    assert message in project.run("test", *words, code=2).stderr


def test_a_subdirectory_of_the_project_is_where_the_agent_starts(world: CommandWorld) -> None:
    guard(world, script='#!/bin/sh\nbasename "$PWD" >&2; exit 2\n')
    (world.project / "sub").mkdir()
    write(world, {**FORCE, "expect": {"reason": "sub"}})
    report_of(world, "--trust", "sub")


def test_wrong_files_stop_all_with_their_lines(project: CommandWorld) -> None:
    (project.project / ".agents/hook-tests/bad.yaml").write_text("- name: x\n- nam: y\n  expect: {decision: deny}\n")
    done = project.run("test", "--trust", code=2)
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "hooktui: .agents/hook-tests/bad.yaml:1: expect is missing",
        "hooktui: .agents/hook-tests/bad.yaml:2: unknown key nam in an example; did you mean name?",
        "hooktui: .agents/hook-tests/bad.yaml:2: name is missing",
    ]
    first, *_ = project.run("test", "--format", "github", code=2).stdout.splitlines()
    assert first == "::error file=.agents/hook-tests/bad.yaml,line=1,title=hook test::expect is missing"


def test_a_named_guard_that_no_example_reaches_is_an_error(project: CommandWorld) -> None:
    """A build that names its guards must not pass when the matcher of one no longer fits its examples."""
    manifest = project.project / ".agents/hooks/no-force-push/HOOK.md"
    manifest.write_text(manifest.read_text().replace("--force", "--farce"))
    for option in ("--trust", "--prove"):
        assert project.run("test", option, "no-force-push", code=2).stderr == "hooktui: no example reaches no-force-push\n"


@pytest.mark.parametrize("make", [lambda place: place.write_text(""), lambda place: place.symlink_to("gone")])
def test_a_folder_of_examples_that_cannot_be_read_is_an_error(world: CommandWorld, make: Callable[[Path], object]) -> None:
    place = world.project / ".agents/hook-tests"
    place.parent.mkdir()
    make(place)
    assert ".agents/hook-tests:1: cannot be read" in world.run("test", code=2).stderr


def test_a_project_without_examples_says_where_they_go(world: CommandWorld) -> None:
    assert world.run("test").stdout == "No examples. Write them in .agents/hook-tests/NAME.yaml.\n"
    assert report_of(world) == {"passed": 0, "failed": 0, "unproved": [], "versions": {}, "tests": []}


def test_a_terminal_shows_how_far_a_long_test_has_come(world: CommandWorld) -> None:
    guard(world, script=f"#!/bin/sh\nsleep 1.3\n{DENIES}")
    write(world, DENIED)
    shown = world.at_terminal("test", "--trust").stdout
    assert "\r\x1b[K0 of 1 example\r\x1b[K1 of 1 example\r\x1b[K" in shown
    assert "1 passed" in shown


def test_check_names_guards_without_examples_once_there_are_examples(world: CommandWorld) -> None:
    guard(world)
    guard(world, "other", matcher={"tool": "Other"})
    guard(world, "watcher", "#!/bin/sh\ncat > /dev/null\n")

    def untested() -> list[str]:
        found = world.run("check", "--format", "json", code=None).json()["diagnostics"]
        return [item["hook"] for item in found if item["code"] == "untested-guard"]

    assert untested() == []
    write(world, DENIED)
    assert untested() == ["other"]


def program(directory: Path, version: str) -> None:
    path = directory / "codex"
    path.write_text(f"#!/bin/sh\necho 'codex-cli {version}'\n")
    path.chmod(0o755)


def test_doctor_names_a_host_that_was_updated_since_the_last_test(world: CommandWorld, tmp_path: Path) -> None:
    import os

    programs = tmp_path / "bin"
    programs.mkdir()
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    guard(world)
    write(world, {**DENIED, "host": "codex", "tool": "Bash"})
    program(programs, "0.169.0")
    assert world.run("test", "--trust", "--json", PATH=path).json()["versions"] == {"codex": "0.169.0"}
    assert "since your last test" not in world.run("doctor", code=None, PATH=path).stdout
    program(programs, "0.170.1")
    (line,) = [line for line in world.run("doctor", code=None, PATH=path).stdout.splitlines() if "last test" in line]
    assert line.endswith("Codex CLI 0.170.1 since your last test: run `hooktui test`")
    world.run("test", "--trust", PATH=path)
    assert "since your last test" not in world.run("doctor", code=None, PATH=path).stdout
