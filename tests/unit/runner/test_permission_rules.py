"""The `if` of Claude Code's hooks: a permission rule against a tool call."""

from __future__ import annotations

import pytest

from hooktui.runner.permission_rules import Fit, fitting, names_tool


@pytest.mark.parametrize(
    ("rule", "tool", "named"),
    [
        ("Bash", "Bash", True),
        ("Bash", "bash", False),
        ("Bash(git *)", "Bash", True),
        ("Edit(*.ts)", "Edit", True),
        ("Edit(*.ts)", "Write", False),
        ("Read(/etc/**)", "Grep", False),
        ("mcp__server__*", "mcp__server__read", True),
        ("mcp__server__*", "mcp__other__read", False),
    ],
)
def test_a_rule_names_its_tools(rule: str, tool: str, named: bool) -> None:
    assert names_tool(rule, tool) is named


@pytest.mark.parametrize(
    ("rule", "command", "fits"),
    [
        ("Bash", "anything", True),
        ("Bash()", "anything", True),
        ("Bash(*)", "anything", True),
        ("Bash(git *)", "git push", True),
        ("Bash(git *)", "git", True),
        ("Bash(git *)", "gitk", False),
        ("Bash(git:*)", "git push", True),
        ("Bash(git:*)", "gitk", False),
        ("Bash(git * main)", "git push main", True),
        ("Bash(git * main)", "git push other", False),
        ("Bash(rm -rf /)", "rm -rf /", True),
        ("Bash(rm.*)", "rm -rf", False),
        ("Bash(git *)", "cd x && git push", True),
        ("Bash(git *)", "A=1 B=2 git push", True),
        ("Bash(git *)", "echo $(git push)", True),
        ("Bash(git *)", "echo done; true | git apply", True),
        ("Bash(git *)", "echo digit", False),
    ],
)
def test_a_command_fits_when_one_of_its_parts_does(rule: str, command: str, fits: bool) -> None:
    assert (fitting(rule, {"command": command}, "/p", 1.0) is not None) is fits


@pytest.mark.parametrize(
    ("rule", "path", "fits"),
    [
        ("Edit(*.ts)", "src/deep/a.ts", True),
        ("Edit(*.ts)", "/p/src/a.tsx", False),
        ("Edit(src/*.ts)", "/p/src/a.ts", True),
        ("Edit(src/*.ts)", "/p/src/deep/a.ts", False),
        ("Edit(src/**)", "/p/src/deep/a.ts", True),
        ("Edit(/src/**)", "/p/src/a.ts", True),
        ("Edit(./src/**)", "/p/src/a.ts", True),
        ("Edit(src/**)", "/p/src/../other/a.ts", False),
        ("Edit(//etc/**)", "/etc/passwd", True),
        ("Edit(//etc/**)", "/p/etc/passwd", False),
        ("Edit(~/.ssh/**)", "/home/me/.ssh/key", True),
    ],
)
def test_a_path_fits_as_in_a_gitignore(monkeypatch: pytest.MonkeyPatch, rule: str, path: str, fits: bool) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert (fitting(rule, {"file_path": path}, "/p", 1.0) is not None) is fits


@pytest.mark.parametrize(
    ("url", "fits"), [("https://x.org/a", True), ("https://user:pw@x.org:8080/a", True), ("https://y.org/x.org", False)]
)
def test_a_web_address_fits_by_its_host(url: str, fits: bool) -> None:
    assert (fitting("WebFetch(domain:x.org)", {"url": url}, "/p", 1.0) is not None) is fits


@pytest.mark.parametrize("tool_input", [None, "text", {}, {"other": 1}, {"file_path": 3}])
def test_hook_runs_if_its_rule_cannot_be_decided(tool_input: object) -> None:
    assert fitting("Tool(x)", tool_input, "/p", 1.0) == Fit()


@pytest.mark.parametrize(
    ("rule", "tool_input", "part"),
    [
        ("Bash(git *)", {"command": "cd x && git push --force"}, "git push --force"),
        ("Bash(git *)", {"command": "A=1 git  push"}, "A=1 git  push"),  # the part is compared without its double space
        ("WebFetch(domain:x.org)", {"url": "https://me@x.org:8080/a"}, "x.org"),
        ("Edit(src/**)", {"file_path": "src/a.ts"}, "src/a.ts"),
    ],
)
def test_it_says_which_part_of_the_input_fits(rule: str, tool_input: dict[str, str], part: str) -> None:
    fit = fitting(rule, tool_input, "/p", 1.0)
    assert fit is not None
    assert (fit.text, fit.text[fit.start : fit.end]) == (next(iter(tool_input.values())), part)
