"""However a command loads a file of the project, its approval covers the file or names the gap."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.faults.agent import Agent

# Each command loads the file `{f}`, in one spelling also `{f}.py`, `{f}.js` or `{f}.mjs`, which all have the same text.
SHELL = (
    "sh {f}", "sh ./{f}", "bash {f}", "sh -e {f}", "sh -- {f}", "./{f}", '"$CLAUDE_PROJECT_DIR"/{f}', 'sh "$PWD/{f}"',
    "cat {f} | sh", "tail -n +1 {f} | bash", "head -n 9 {f} | sh", "sed -n p {f} | sh", "sh < {f}", "bash -s < {f}",
    "bash -s x < {f}", "sh - < {f}", "sh /dev/stdin < {f}", "{{ sh; }} < {f}", "(cat {f}) | sh",
    "nohup sh {f}", "timeout 5 sh {f}", "timeout -k 1 5 sh {f}", "env sh {f}", "env -S 'sh {f}'", "env --split-string='sh {f}'",
    "env -u X Y=1 sh {f}", "nice sh {f}", "nice -n 5 sh {f}", "setsid -w sh {f}", "stdbuf -o0 sh {f}", "exec sh {f}",
    "command sh {f}", "flock {f} sh {f}", "X=1 sh {f}", "exec env timeout 5 sh {f}",
    "test -f {f} && sh {f}", "true && sh {f} || exit 0", "if true; then sh {f}; fi", "! sh {f}", "sh {f} & wait",
    "x={f}; sh $x", 'd=$(pwd); sh "$d/{f}"', "cd . && sh {f}", 'cd "$HOME/../project" && sh {f}', "g() {{ sh {f}; }}; g",
    'sh -c "$(cat {f})"', "sh -c 'sh {f}'", "sh -c '. ./{f}'", "sh -c 'cat {f} | sh'", "bash -c 'bash <(cat {f})'",
    "bash -c 'bash <<< \"$(cat {f})\"'", "sh <<E\n$(cat {f})\nE", "sh <<'E'\nsh {f}\nE",
    'eval "$(cat {f})"', "eval sh {f}", "trap 'sh {f}' EXIT", "$(cat {f})", "cp {f} {f}.copy; sh {f}.copy",
    "while read -r line; do $line; done < {f}", "ls {f} | while read -r x; do sh $x; done", "echo {f} | xargs sh",
    "xargs -a {f} -I@ sh -c @", "find . -name {f} -exec sh {{}} \\;", "git -c alias.x='!sh {f}' x",
    ". ./{f}", "bash -c 'source ./{f}'", "bash -c 'source {f}'", "BASH_ENV=./{f} bash -c :", "export BASH_ENV={f}; bash -c :",
    "python3 -c 'import os; os.system(\"sh {f}\")'", "python3 -c 'import subprocess as s; s.run([\"sh\", \"{f}\"])'",
    "node -e 'require(\"child_process\").execSync(\"sh {f}\")'", "perl -e 'system(\"sh {f}\")'",
    "awk 'BEGIN {{ system(\"sh {f}\") }}'",
)  # fmt: skip
PYTHON = (
    "python3 {f}", "python3 -B {f}.py", "python3 < {f}", "python3 - < {f}", "cat {f} | python3", "cat {f} | python3 -",
    'python3 -c "$(cat {f})"', "python3 -c 'exec(open(\"{f}\").read())'", "python3 -c 'import {f}'",
    "python3 -Bc 'from {f} import x'", "python3 -c '__import__(\"{f}\")'", "python3 -c 'import runpy; runpy.run_path(\"{f}\")'",
    "python3 -m {f}", "python3 -B -m {f}", "python3 -Bm {f}", "env python3 {f}", "python3 <<'E'\nimport {f}\nE",
    "cd /; PYTHONPATH=$CLAUDE_PROJECT_DIR python3 -m {f}", "PYTHONPATH=. python3 -c 'import {f}'",
)  # fmt: skip
JAVASCRIPT = (
    "node {f}", "node {f}.js", "node < {f}", "node - < {f}", "cat {f} | node", "node -e \"require('./{f}.js')\"",
    "node --eval=\"require('./{f}')\"", "node -e \"import('./{f}.mjs')\"", "node -r ./{f}.js -e 1",
    "node --require=./{f}.js -e 1", "node --import ./{f}.mjs -e 1", "NODE_OPTIONS='--require ./{f}.js' node -e 1",
    'node -p "$(cat {f})"',
)  # fmt: skip
AWK = ("awk -f {f}", "awk -F: -f {f}", "awk -f{f}")
PERL = ("perl {f}", "perl < {f}", "perl -e 'do \"./{f}\"'", "perl -we 'do \"./{f}\"'")
FILTERS = (
    "jq -n -e -f {f} && {mark}", "jq -nef {f} && {mark}", "jq -n -e --from-file {f} && {mark}",
)  # fmt: skip
EDITS = ("echo a | sed -n -f {f} | grep a && {mark}", "echo a | sed --quiet --file={f} | grep a && {mark}")
MARK = "touch {home}/ran/{f}"
# By language: the commands, the text at approval and the text after the change.
FORMS = {
    "shell": (SHELL, "true\n", f"{MARK}\n"),
    "python": (PYTHON, "x = 1\n", 'import os\nx = open(os.environ["HOME"] + "/ran/{f}", "w")\n'),
    "javascript": (
        JAVASCRIPT, "1\n", 'import("node:fs").then((fs) => fs.writeFileSync(process.env.HOME + "/ran/{f}", ""))\n',
    ),
    "awk": (AWK, "BEGIN {{ }}\n", 'BEGIN {{ system("touch $HOME/ran/{f}") }}\n'),
    "perl": (PERL, "1;\n", 'system("touch $ENV{{HOME}}/ran/{f}");\n'),
    "jq": (FILTERS, "false\n", "true\n"),
    "sed": (EDITS, "d\n", "p\n"),
}  # fmt: skip
ALL = [(command, before, after) for commands, before, after in FORMS.values() for command in commands]
SHEBANGS = ("/usr/bin/env -S sh ./{f}", "/usr/bin/env ./{f}", "/usr/bin/env -S BASH_ENV=./{f} bash")


class Loading:
    """A project with one hook for each form."""

    def __init__(self, agent: Agent, place: str) -> None:
        self.agent = agent
        self.names = {f"f{number}": command for number, (command, _, _) in enumerate(ALL)}
        (agent.home / "ran").mkdir()
        self.write(changed=False)
        commands = {
            name: command.format(f=name, mark=MARK.format(f=name, home=agent.home)) for name, command in self.names.items()
        }
        getattr(self, f"in_{place}")(commands)
        self.arguments = ("--project", str(agent.project), "--format", "claude", "--format", "agenthooks", "--json")

    def write(self, *, changed: bool) -> None:
        for number, (_, before, after) in enumerate(ALL):
            for suffix in ("", ".py", ".js", ".mjs"):
                file = self.agent.project / f"f{number}{suffix}"
                file.write_text((after if changed else before).format(f=f"f{number}", home=self.agent.home))
                file.chmod(0o755)

    def in_settings(self, commands: dict[str, str]) -> None:
        entries = [{"type": "command", "command": f"{command}\n# {name}"} for name, command in commands.items()]
        settings = self.agent.project / ".claude/settings.json"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": entries}]}}))

    def in_scripts(self, commands: dict[str, str]) -> None:
        hooks = self.agent.project / ".claude/hooks"
        hooks.mkdir(parents=True)
        for name, command in commands.items():
            (hooks / f"{name}.sh").write_text(f"#!/bin/sh\n{command}\n")
            (hooks / f"{name}.sh").chmod(0o755)
        self.in_settings({name: f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{name}.sh' for name in commands})

    def in_directories(self, commands: dict[str, str]) -> None:
        for name, command in commands.items():
            self.agent.hook(name, f"#!/bin/sh\n# {name}\nCLAUDE_PROJECT_DIR=$PWD\n{command}\n", scope="project")

    def in_shebangs(self, _commands: dict[str, str]) -> None:
        for number, line in enumerate(SHEBANGS):
            self.agent.hook(f"f{number}", f"#!{line.format(f=f'f{number}')}\n", scope="project")

    def approve(self) -> dict[str, list[str]]:
        """Approve all hooks; what that does not cover, by the name of the file that a hook loads."""
        status = self.agent.run("status", "--json").json()
        self.agent.run("trust", "--hash", status["hash"])
        return {self.file(hook, number): hook["not_covered"] for number, hook in enumerate(status["hooks"])}

    def file(self, hook: dict[str, Any], number: int) -> str:
        return hook["name"] if hook["name"] in self.names else f"f{number}"

    def run(self) -> set[str]:
        """The names of the files of which the changed text has run."""
        event = {
            "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(self.agent.project), "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "tool_use_id": "t1",
        }  # fmt: skip
        self.agent.run("run", "--host", "claude", *self.arguments, stdin=event, code=None)
        return {path.name for path in (self.agent.home / "ran").iterdir()}

    def shown(self, names: set[str]) -> Sequence[str]:
        return [self.names[name] for name in sorted(names)]


@pytest.fixture(params=["settings", "scripts", "directories", "shebangs"])
def loading(agent: Agent, request: pytest.FixtureRequest) -> Loading:
    return Loading(agent, request.param)


def test_a_form_runs_what_was_approved_and_changed_content_only_where_the_approval_named_the_gap(loading: Loading) -> None:
    loading.agent.configure("[trust]\nrequire_covered = true\n")
    gaps = loading.approve()
    loading.write(changed=True)
    assert loading.shown(loading.run()) == []
    loading.agent.configure("")
    assert loading.shown({name for name in loading.run() if not gaps[name]}) == []
    loading.approve()
    assert loading.shown({*gaps} - loading.run()) == [], "no real forms"
