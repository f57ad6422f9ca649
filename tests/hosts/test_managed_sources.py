"""The real Claude Code and `hooktui list` agree on the managed settings in force and on the hooks that they leave.

Settings from an organization's server only count at Anthropic's own address, so no scripted model is asked: the hooks run
at the start of the session, before the first request fails.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.seen_in_claude import PROJECT, USER
from tests.hosts.agent_session import play
from tests.hosts.managed_settings import namespace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.hosts.claude_code import ClaudeWorld

REMOTE = "~/.claude/remote-settings.json"
KEY = {"ANTHROPIC_API_KEY": "none"}
ONLY = {"allowManagedHooksOnly": True}
_OFFLINE = {"CLAUDE_CODE_MAX_RETRIES": "0", "API_TIMEOUT_MS": "1000"}


@pytest.fixture(autouse=True)
def users(world: ClaudeWorld) -> None:
    """A hook of the user, in addition to those of the test."""
    write(world, USER, hooks("user"))


def hooks(name: str, **settings: Any) -> dict[str, Any]:
    """Settings with one hook, which prints its name."""
    return {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": f"echo {name}"}]}]}, **settings}


def write(world: ClaudeWorld, file: str, content: dict[str, Any] | str) -> None:
    world.settings(file).write_text(content if isinstance(content, str) else json.dumps(content))


def listed(world: ClaudeWorld, inside: tuple[str, ...], env: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    found = json.loads(world.hooktui("list", "--json", inside=inside, **env).stdout)
    return {str(hook["command"]).removeprefix("echo "): hook for hook in found}


def start(world: ClaudeWorld, env: Mapping[str, str], inside: tuple[str, ...] = ()) -> None:
    """Start a session of Claude Code, whose first request fails."""
    command, own = world.launch("", "hi")
    quiet = {name: value for name, value in own.items() if not name.startswith("ANTHROPIC_")}
    play((*inside, *command), world.project, {**world.environment, **quiet, **_OFFLINE, **env})


def same(world: ClaudeWorld, env: Mapping[str, str], inside: tuple[str, ...] = ()) -> set[str]:
    """The hooks that ran, after a comparison with the listing."""
    start(world, env, inside)
    ran = world.answers_in_debug_log()
    assert {name for name, hook in listed(world, inside, env).items() if hook["enabled"]} == ran
    return ran


@pytest.mark.parametrize(
    ("remote", "file", "ran"),
    [
        (hooks("remote"), hooks("file"), "remote user"),
        (hooks("remote", **ONLY), hooks("file"), "remote"),
        ({"cleanupPeriodDays": 30}, hooks("file", **ONLY), "user"),
        (hooks("remote", managedSourcesBehavior="merge"), hooks("file"), "file remote user"),
        (hooks("remote"), hooks("file", managedSourcesBehavior="merge"), "remote user"),
        (hooks("remote", disableAllHooks=True), {}, ""),
        (hooks("remote", strictPluginOnlyCustomization=["hooks"]), {}, "remote"),
        (hooks("remote", strictPluginOnlyCustomization=["skills"]), {}, "remote user"),
        ({}, hooks("file", **ONLY), "file"),
        ({}, hooks("file", allowManagedHooksOnly=1), "file"),
        ({}, hooks("file", allowManagedHooksOnly="false"), "file user"),
        ({}, hooks("file", strictPluginOnlyCustomization="hooks"), "file"),
        ("{", hooks("file", **ONLY), "file"),
    ],
    ids=str,
)
def test_settings_of_the_server_replace_those_of_the_administrator(
    world: ClaudeWorld, tmp_path: Path, remote: dict[str, Any] | str, file: dict[str, Any], ran: str
) -> None:
    write(world, REMOTE, remote)
    assert same(world, KEY, namespace(tmp_path, file) if file else ()) == set(ran.split())


@pytest.mark.parametrize(
    ("files", "env", "obeys"),
    [
        ({}, {}, False),
        ({}, KEY | {"CLAUDE_CODE_USE_BEDROCK": "1"}, False),
        ({}, KEY | {"CLAUDE_CODE_USE_VERTEX": "1"}, False),
        ({}, KEY | {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, False),
        ({}, KEY | {"ANTHROPIC_BASE_URL": "https://api.anthropic.com"}, True),
        ({USER: hooks("user", env=KEY)}, {}, True),
        ({USER: hooks("user", env={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"})}, KEY, False),
        ({PROJECT: {"env": KEY}}, {}, False),
        ({USER: hooks("user", apiKeyHelper="echo none")}, {}, False),
        ({"~/.claude.json": {"primaryApiKey": "none"}}, {}, True),
        ({"~/.claude/.credentials.json": "team"}, {}, True),
        ({"~/.claude/.credentials.json": "pro"}, {}, False),
    ],
    ids=str,
)
def test_login_and_address_decide_whether_the_servers_settings_count(
    world: ClaudeWorld, files: dict[str, Any], env: dict[str, str], obeys: bool
) -> None:
    write(world, REMOTE, hooks("remote", **ONLY))
    for path, content in files.items():
        write(world, path, _login(content) if isinstance(content, str) else content)
    assert same(world, env) == ({"remote"} if obeys else {"user"})


def _login(subscription: str) -> dict[str, Any]:
    token = {"accessToken": "a", "refreshToken": "r", "expiresAt": 4_000_000_000_000, "scopes": ["user:inference"]}
    return {"claudeAiOauth": {**token, "subscriptionType": subscription}}


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """The address of an HTTP server, and the paths that were asked for."""
    asked: list[str] = []

    class _Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as listener:
        threading.Thread(target=listener.serve_forever).start()
        yield f"http://127.0.0.1:{listener.server_port}", asked
        listener.shutdown()


@pytest.mark.parametrize(
    ("user", "project", "called"),
    [
        ([], None, ""),
        (["URL/a"], None, "/a"),
        (["URL/b/*"], None, "/b/c"),
        (["URL/*/c", "http://127.0.0.1:*/a"], None, "/a /b/c"),
        (["URL/a"], ["URL/b/c"], "/a /b/c"),
        (["URL/b"], None, ""),
    ],
    ids=str,
)
def test_allowed_addresses_of_all_files_count_together(
    world: ClaudeWorld, server: tuple[str, list[str]], user: list[str], project: list[str] | None, called: str
) -> None:
    url, asked = server
    handlers = [{"type": "http", "url": f"{url}{path}"} for path in ("/a", "/b/c")]
    allowed = {"allowedHttpHookUrls": [pattern.replace("URL", url) for pattern in user]}
    write(world, USER, {"hooks": {"UserPromptSubmit": [{"hooks": handlers}]}, **allowed})
    if project is not None:
        write(world, PROJECT, {"allowedHttpHookUrls": [pattern.replace("URL", url) for pattern in project]})
    start(world, KEY | {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"})
    found = [hook for hook in json.loads(world.hooktui("list", "--json").stdout) if hook["type"] == "http"]
    assert set(asked) == {hook["metadata"]["url"].removeprefix(url) for hook in found if hook["enabled"]} == set(called.split())
