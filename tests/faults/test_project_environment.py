"""Project hooks get no variables that look like secrets, and find no programs by relative directories."""

from __future__ import annotations

import json

import pytest

from tests.faults.agent import Agent

TOKEN = "ghp" + "_" + "A1b2" * 9
SECRETS = {
    "GITHUB_TOKEN": "x", "OPENAI_API_KEY": "y", "AWS_SECRET_ACCESS_KEY": "z", "DB_PASSWORD": "w", "DEPLOY_KEY": "v",
    "SENTRY_DSN": "u", "DATABASE_URL": "postgres://me:hunter2@db/x", "ANY": TOKEN,
}  # fmt: skip
PLAIN = {"EDITOR": "vi", "MAX_TOKENS": "8000", "LANG": "C.UTF-8", "PWD_SEEN": "/x"}
PRINTS = "#!/bin/sh\nenv >&2\nexit 2\n"


def seen(agent: Agent, **env: str) -> dict[str, str]:
    """The environment of the hook, which denies with it. Not taken from the log, which redacts it."""
    done = agent.call(env=env)
    return dict(line.split("=", 1) for line in done.stderr.splitlines() if "=" in line)


@pytest.fixture
def theirs(agent: Agent) -> None:
    agent.hook("prints", PRINTS, scope="project")
    agent.approve()


@pytest.mark.usefixtures("theirs")
def test_a_project_hook_gets_everything_but_secrets(agent: Agent) -> None:
    got = seen(agent, **SECRETS, **PLAIN)
    assert SECRETS.keys() & got.keys() == set()
    assert {name: got.get(name) for name in PLAIN} == PLAIN
    assert (got["HOME"], got["PATH"]) == (str(agent.home), agent.environment["PATH"])


@pytest.mark.usefixtures("theirs")
def test_the_user_names_what_project_hooks_get_nevertheless(agent: Agent) -> None:
    agent.configure('[run]\nenv_keep = ["GITHUB_TOKEN", "AWS_*"]\n')
    assert SECRETS.keys() & seen(agent, **SECRETS).keys() == {"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"}


def test_the_users_own_hooks_get_everything(agent: Agent) -> None:
    agent.hook("prints", PRINTS)
    assert seen(agent, **SECRETS).items() >= SECRETS.items()


def test_an_entry_gets_no_secret_by_another_name(agent: Agent) -> None:
    """Copilot and VS Code replace variables in the environment of an entry."""
    file = agent.project / ".github/hooks/a.json"
    file.parent.mkdir(parents=True)
    entry = {"type": "command", "command": "env >&2; exit 2", "env": {"HARMLESS": "${GITHUB_TOKEN}", "GIVEN_TOKEN": "theirs"}}
    file.write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    agent.approve()
    done = agent.call(None, "--format", "vscode", env=SECRETS)
    assert "GIVEN_TOKEN=theirs" in done.stderr.splitlines()
    assert "HARMLESS=x" not in done.stderr.splitlines()


def test_a_try_gives_what_a_run_gives(agent: Agent) -> None:
    agent.hook("prints", '#!/bin/sh\n[ -z "$GITHUB_TOKEN" ] && exit 2\nexit 0\n', scope="project")
    agent.approve()
    assert agent.spawn("try", "prints", "--json", code=None, **dict(SECRETS)).json()["decision"] == "deny"


def test_an_observed_hook_gets_what_its_host_gives(agent: Agent) -> None:
    done = agent.run("exec", "--host", "claude", "--", "sh", "-c", "echo $GITHUB_TOKEN", stdin="{}", GITHUB_TOKEN="x")
    assert done.stdout == "x\n"


@pytest.mark.usefixtures("theirs")
def test_a_project_hook_finds_no_program_by_a_relative_directory(agent: Agent) -> None:
    path = agent.environment["PATH"]
    assert seen(agent, PATH=f".:tools:{path}:")["PATH"] == path
