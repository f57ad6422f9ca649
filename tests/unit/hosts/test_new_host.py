"""A host that nobody has heard of, with quirks of its own, is one module: everything else works as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hooktui

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., str]

NOVA = '''
"""Nova Code: exit 7 stops it, its timeouts are minutes, and it answers to a word of its own."""

from hooktui.core import fast_json
from hooktui.core.model import Outcome
from hooktui.hosts.base import Scheduling
from hooktui.hosts.shared.answers import HostAnswer, printed
from hooktui.hosts.shared.entry_spec import EntrySpec
from hooktui.hosts.shared.interpretation import RunResult
from hooktui.hosts.shared.json_host import JsonHost
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.places import HookFiles


class _Entry(EntrySpec):
    keys = ("type", "command", "timeout")
    timeouts = {"command": 1}
    shape = "groups"
    project_variable = "NOVA_PROJECT"

    def timeout_ms(self, timeout):
        return timeout * 60_000


class _Matcher(MatcherSpec):
    draft_help = "names like Bash; empty: any tool"


class Nova(JsonHost):
    name = "nova"
    title = "Nova Code"
    proof = "made up"
    rank = 50
    format = "json_hooks"
    files = (HookFiles(scope="project", path=".nova/hooks.json"), HookFiles(scope="user", path="~/.nova/hooks.json"))
    traces = (".nova",)
    events = ("SessionStart", "PreToolUse", "PostToolUse", "Stop")
    tools = {"shell": "NovaShell"}
    calls = {"NovaShell": {"command": "ls"}}
    matcher = _Matcher()
    entry = _Entry()
    scheduling = Scheduling(order="together")
    variables = {"NOVA_PROJECT": "{project}"}
    connect_scopes = ("project", "user")
    signs = ((1, ("nova_version",)),)
    copies = {"project": (".nova/hooks.json",)}
    runs_new_hooks = "Nova Code runs it at once."

    def connect_entry(self, command, event_as_written):
        return {"hooks": [{"type": "command", "command": command, "timeout": 15}]}

    def hook_stdin(self, hook, event):
        return {"nova": super().hook_stdin(hook, event)}

    def interpret(self, hook, event, ended):
        if ended.exit_code == 7:
            return RunResult(state="ok", outcome=Outcome(decision="stop", reason="Nova was told to stop"))
        if fast_json.parse_object(ended.stdout).get("verdict") == "no":
            return RunResult(state="ok", outcome=Outcome(decision="deny", via="json", reason="Nova was told no"))
        return super().interpret(hook, event, ended)

    def answer(self, dispatch) -> HostAnswer:
        return printed({"verdict": "no", "why": dispatch.reason} if dispatch.blocks else {})


HOST = Nova()
'''
HOOKS = {
    "hooks": {
        "PreToolUse": [
            {"matcher": "NovaShell", "hooks": [{"type": "command", "command": 'echo \'{"verdict": "no"}\'', "timeout": 2}]},
            {"matcher": "NovaShell", "hooks": [{"type": "command", "command": "cat >&2; exit 7"}]},
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]},
        ]
    }
}


@pytest.fixture
def nova(tmp_path: Path) -> Command:
    """Run commands of an installation with one more module, for a user with hooks of Nova's and one in a HOOK.md."""
    package, hosts = tmp_path / "installed/hooktui", tmp_path / "installed/hooktui/hosts"
    hosts.mkdir(parents=True)
    original = Path(hooktui.__file__).parent
    for directory, target in ((original, package), (original / "hosts", hosts)):
        for path in directory.iterdir():
            if path.name not in ("hosts", "__pycache__"):
                (target / path.name).symlink_to(path)
    (hosts / "nova.py").write_text(NOVA)
    project, scripts = tmp_path / "project", tmp_path / ".config/agents/hooks/guard/scripts"
    for directory in (project, tmp_path / ".nova", scripts):
        directory.mkdir(parents=True)
    (tmp_path / ".nova/hooks.json").write_text(json.dumps(HOOKS))
    (scripts.parent / "HOOK.md").write_text("---\nname: guard\ndescription: A guard\ntrigger: pre-tool-call\n---\n")
    (scripts / "run").write_text("#!/bin/sh\necho 'not today' >&2\nexit 2\n")
    (scripts / "run").chmod(0o755)
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": str(package.parent)}

    def run(*arguments: str, code: int = 0, **payload: Any) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "hooktui", *arguments],
            input=json.dumps(payload),
            env=environment,
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


def own_hooks(nova: Command) -> list[dict[str, Any]]:
    return [hook for hook in json.loads(nova("list", "--json")) if hook["format"] == "nova"]


def test_its_hooks_are_listed_by_its_rules(nova: Command) -> None:
    assert [hook["timeout_ms"] for hook in own_hooks(nova)] == [120_000, 60_000, 60_000]


def test_it_is_checked_like_any_other(nova: Command) -> None:
    assert "Bash matches nothing: Nova Code has no such tool" in nova("check")


def test_a_try_runs_its_hooks_and_takes_their_answers_as_it_does(nova: Command) -> None:
    denies, stops, _ = (hook["id"] for hook in own_hooks(nova))
    assert "Nova was told no" in nova("try", denies)
    tried = json.loads(nova("try", stops, "--json"))
    assert (tried["decision"], tried["reason"]) == ("stop", "Nova was told to stop")
    assert json.loads(tried["hooks"][0]["stderr"])["nova"]["hook_event_name"] == "PreToolUse"


def test_it_is_connected_and_gets_answers_in_its_own_words(nova: Command) -> None:
    nova("connect", "nova", "--yes")
    entry = json.loads(Path(json.loads(nova("status", "--json"))["connections"][0]["file"]).read_text())["hooks"]["Stop"][0]
    assert entry["hooks"][0]["timeout"] == 15
    event = {"hook_event_name": "PreToolUse", "nova_version": "1", "tool_name": "NovaShell", "tool_input": {"command": "ls"}}
    assert json.loads(nova("run", **event)) == {"verdict": "no", "why": "not today"}
