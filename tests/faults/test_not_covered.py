"""hooktui shows what an approval cannot cover before the user gives it, and refuses such hooks if configured."""

from __future__ import annotations

import json

from tests.faults.agent import Agent

SCRIPT = "#!/bin/sh\ntouch ~/ran\n"
# The commands, and the first gap of each.
UNCOVERED = {
    "make": ("make guard", "make runs what the project's files say"),
    "npm": ("npm run guard", "npm runs what the project's files say"),
    "eval": ('eval "$(cat guard.sh)"', "eval runs a computed text"),
    "a computed program": ("$GUARD", "the program $GUARD is computed"),
    "a computed script": ("sh $GUARD", "the script $GUARD is computed"),
    "a glob": ("sh ./gu*.sh", "the script ./gu*.sh is computed"),
    "a path": ("PATH=$PWD/tools:$PATH guard", "PATH=$PWD/tools:$PATH finds programs in the project"),
    "two paths": ("PATH=$PWD/a:$PWD/b:$PATH guard", "PATH=$PWD/a:… finds programs in the project"),
    "a relative path": ("export PATH=tools:$PATH; guard", "PATH=tools:$PATH finds programs in the project"),
    "xargs": ("echo guard.sh | xargs sh", "xargs starts files with computed names"),
    "find": ("find . -name guard.sh -exec sh {} ;", "find starts files with computed names"),
    "a git alias": ("git guard", "git guard may be an alias"),
    "a git alias that is given": ("git -c alias.x='!sh guard.sh' x", "git runs the alias alias.x='!sh guard.sh'"),
    "a script that evaluates": ("./eval.sh", "eval.sh: eval runs a computed text"),
    "a script that loads from elsewhere": ("./loads.sh", "loads.sh: guard.sh is loaded from the project"),
    "a script that needs its place": (
        "./place.sh", 'place.sh: "$here/$1" is computed from its own path',
    ),
    "an interpreter of the project": ("./odd.sh", "odd.sh: ./guard.sh is found from an unknown directory"),
    "a module by name": ("python3 load.py", "load.py: import_module loads a module by a computed name"),
}  # fmt: skip
SCRIPTS = {
    "guard.sh": SCRIPT,
    "eval.sh": '#!/bin/sh\neval "$1"\n',
    "loads.sh": "#!/bin/sh\n. ./guard.sh\n",
    "place.sh": '#!/bin/sh\nhere=$(dirname "$0")\ncat "$here/$1"\n',
    "odd.sh": "#!/usr/bin/env ./guard.sh\n",
    "load.py": "import importlib, sys\nimportlib.import_module(sys.argv[1])\n",
}
COVERED = (
    "./guard.sh",
    "jq -e .x && exit 2",
    "git diff --quiet",
    "xargs prettier --check",
    "PATH=/opt/bin:$PATH guard",
    "cd sub; sh guard.sh",
)


def claude_hooks(agent: Agent, *commands: str) -> None:
    """Give the project these commands as Claude hooks."""
    settings = agent.project / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    entries = [{"type": "command", "command": command} for command in commands]
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": entries}]}}))
    for name, text in SCRIPTS.items():
        (agent.project / name).write_text(text)
        (agent.project / name).chmod(0o755)


RUN_HERE = '[run]\nformats = ["claude"]\n'


def told(agent: Agent) -> list[tuple[str, str]]:
    """The severity of each diagnostic, and the gap that it names first."""
    found = agent.run("check", "--format", "json", code=None).json()["diagnostics"]
    messages = [(one["severity"], one["message"].partition(": ")[2]) for one in found if one["code"] == "not-covered"]
    return [(severity, message.partition(" (and ")[0]) for severity, message in messages]


def test_what_an_approval_does_not_cover_is_told(agent: Agent) -> None:
    claude_hooks(agent, *(command for command, _ in UNCOVERED.values()))
    gaps = [gap for _, gap in UNCOVERED.values()]
    assert told(agent) == [], "Claude Code runs the hooks, approved or not"
    status = agent.run("status", "--json").json()["hooks"]
    assert [gap for gap, hook in zip(gaps, status, strict=True) if gap not in hook["not_covered"]] == []
    assert "not covered" not in agent.run("status").stdout
    agent.configure(RUN_HERE)
    shown = agent.run("status").stdout
    assert [gap for gap in gaps if f"not covered by an approval: {gap}" not in shown] == []
    assert told(agent) == [("warning", gap) for gap in gaps]
    assert [hook["problems"].count("not-covered") for hook in agent.run("list", "--json").json()] == [1] * len(gaps)


def test_what_an_approval_covers_is_not_told(agent: Agent) -> None:
    claude_hooks(agent, *COVERED)
    agent.configure(RUN_HERE)
    assert len(agent.run("list", "--json").json()) == len(COVERED)
    assert told(agent) == []


def test_the_person_who_approves_reads_it_first(agent: Agent) -> None:
    claude_hooks(agent, "make guard")
    shown = agent.at_terminal("trust", types="n\n").stdout
    assert "not covered: make runs what the project's files say" in shown


def test_hooks_that_are_not_covered_do_not_run_if_the_user_requires_it(agent: Agent) -> None:
    agent.hook("makes", "#!/bin/sh\nmake guard\n", scope="project")
    agent.hook("plain", "#!/bin/sh\n", scope="project")
    agent.configure("[trust]\nrequire_covered = true\n")
    consequence = "hooktui does not run what is not covered, even if you approve it"
    assert consequence in agent.run("status").stdout
    assert consequence in agent.at_terminal("trust", types="n\n", columns=200).stdout
    agent.approve()
    for _ in range(2):
        runs = {run["name"]: run for run in agent.fire()["hooks"]}
        assert runs["plain"]["state"] == "ok"
        assert runs["makes"]["skip"] == "untrusted"
        assert runs["makes"]["why"] == "not covered by its approval: run: make runs what the project's files say"


def test_a_project_hook_never_replaces_the_users_if_the_user_forbids_it(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\necho own >&2\nexit 2\n")
    agent.hook("guard", "#!/bin/sh\n", scope="project")
    agent.approve()
    assert agent.fire()["decision"] == "none"
    agent.configure("[trust]\nallow_override = false\n")
    report = agent.fire()
    assert (report["decision"], report["reason"]) == ("deny", "own")
