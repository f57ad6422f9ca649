"""What leaves the machine of an event, at each level (docs/fleet.md), with its team and user."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from hooktui.core import ids
from hooktui.core.report import LoggedReport, RunReport
from hooktui.fleet import fleet_records, shipping_levels
from hooktui.fleet.fleet_records import FleetRecord, RecordMaker
from hooktui.fleet.fleet_settings import FleetSettings, Level
from hooktui.fleet.outbox import Outbox
from hooktui.log.read.query import parse
from tests.log_world import LogWorld, run

COLLECTOR = FleetSettings(endpoint="http://collector/v1/logs")
# One word in each place of an event that a person, a model or a hook writes.
REASONS = {"CANARY-reason", "CANARY-run-reason", "CANARY-why"}
TEXTS = {f"CANARY-{name}" for name in ("prompt", "input", "rewrite", "context", "message", "log", "warning", "stdout", "stderr",
    "problem", "run-rewrite", "run-context", "run-message", "run-log")}  # fmt: skip


def records(log: LogWorld, settings: FleetSettings = COLLECTOR) -> list[FleetRecord]:
    """What would be sent of a log."""
    with closing(Outbox(log.db)) as outbox:
        return [record for batch in outbox.batches(0, RecordMaker(settings, "salt")) for record in batch.records]


def denied(log: LogWorld, **more: Any) -> int:
    """Record an event with a canary in every text."""
    guard = run(
        "guard", decision="deny", via="json", reason="CANARY-run-reason", why="CANARY-why", stdout="CANARY-stdout",
        stderr="CANARY-stderr", duration_ms=3.0, modified_input={"command": "CANARY-run-rewrite"},
        system_message="CANARY-run-message", additional_context="CANARY-run-context", log="CANARY-run-log",
        problems=("CANARY-problem",), exit_code=2,
    )  # fmt: skip
    guard = guard.replace(hook=guard.hook.replace(version="c0ffee-1"))
    other = run("other", "skipped", skip="tool-mismatch")
    other = other.replace(hook=other.hook.replace(version="facade-1"))
    return log.add(
        tool="Bash", decision="deny", reason="CANARY-reason", runs=[guard, other],
        payload={"tool_use_id": "toolu_1", "tool_input": {"command": "CANARY-input"}, "prompt": "CANARY-prompt"},
        modified_input={"command": "CANARY-rewrite"}, additional_context=("CANARY-context",), logs=("CANARY-log",),
        system_messages=("CANARY-message",), warnings=("CANARY-warning",), **more,
    )  # fmt: skip


@pytest.mark.parametrize(("level", "leaves"), [("metadata", set()), ("reasons", REASONS), ("full", REASONS | TEXTS)])
def test_a_level_lets_out_its_texts_and_no_others(log: LogWorld, level: Level, leaves: set[str]) -> None:
    denied(log)
    (record,) = records(log, replace(COLLECTOR, level=level))
    assert set(re.findall(r"CANARY[\w-]*", json.dumps(record.as_json()))) == leaves
    assert json.loads(record.body)["level"] == level


def test_every_level_keeps_the_shape_of_a_report(log: LogWorld) -> None:
    denied(log)
    full, least = (json.loads(records(log, replace(COLLECTOR, level=level))[0].body) for level in ("full", "metadata"))
    assert full.keys() == least.keys()
    assert full["hooks"][0].keys() == least["hooks"][0].keys()
    assert (least["payload"], least["reason"], least["hooks"][0]["stdout"]) == (None, "", "")


def test_a_new_field_of_a_report_stays_until_it_is_listed() -> None:
    """Decide for each field whether it leaves, in shipping_levels.py and in the table of docs/fleet.md."""
    stays = {
        "title",
        "payload",
        "modified_input",
        "additional_context",
        "system_messages",
        "log",
        "warnings",
        "reason",
        "hooks",
        "machine",  # in what a fleet's reader returns, never in the log
        "debug_log",  # known where the agent runs, never in the log
        "may_have_allowed",  # known where the agent's files are, never in the log
    }
    assert _fields(LoggedReport) - set(shipping_levels._METADATA) == stays
    stays = {"why", "reason", "stdout", "stderr", "modified_input", "additional_context", "system_message", "log", "problems"}
    assert _fields(RunReport) - set(shipping_levels._RUN_METADATA) == stays


UNNAMED = {"name": "~/.claude/settings.json:PreToolUse:1", "id": "claude:user:~/.claude/settings.json:PreToolUse:0a1b2c3d4e5f"}


@pytest.mark.parametrize(
    ("label", "leaves"),
    [
        ("guard.sh", "guard.sh"),
        ("guard.sh (2)", "guard.sh (2)"),
        ("curl https://me:CANARY@host", "curl 0a1b2c"),
        ("hooks.example.com/services/CANARY", "hooks.example.com 0a1b2c"),
        ("Deny what contains CANARY", "hook 0a1b2c"),
    ],
)
def test_of_an_unnamed_hook_only_its_program_leaves(label: str, leaves: str) -> None:
    hook = cast("RunReport", {**UNNAMED, "label": label})
    assert shipping_levels.naming(hook, "reasons") == shipping_levels.naming(hook, "metadata") == {**UNNAMED, "label": leaves}
    assert shipping_levels.naming(hook, "full")["label"] == label


def test_a_hooks_own_name_leaves_as_it_is() -> None:
    hook = cast("RunReport", {"id": "agenthooks:user:No secrets", "name": "No secrets", "label": "No secrets"})
    assert shipping_levels.naming(hook, "metadata")["label"] == "No secrets"


def _fields(report: type) -> set[str]:
    return {name for parent in report.__mro__ for name in getattr(parent, "__annotations__", {})}


def test_a_record_says_in_attributes_what_a_collector_filters_by(log: LogWorld) -> None:
    number = denied(log)
    (record,) = records(log, replace(COLLECTOR, level="reasons"))
    body = json.loads(record.body)
    assert (record.name, record.severity, record.time_ns) == ("hooktui.dispatch", "WARN", 1_768_996_800_000_000_000)
    digest = record.attributes["hooktui.hash"]
    assert re.fullmatch("[0-9a-f]{64}", digest)
    assert body["id"] == ids.text(number)
    assert record.attributes == {
        "event.name": "hooktui.dispatch", "hooktui.seq": "1", "hooktui.hash": digest, "hooktui.id": body["id"],
        "hooktui.project": "/home/dev/app", "hooktui.event": "pre-tool-call", "hooktui.decision": "deny",
        "hooktui.effect": "deny", "hooktui.state": "ok", "hooktui.reason": "CANARY-reason",
        "hooktui.duration_ms": "12.5", "hooktui.origin": "run",
        "hooktui.level": "reasons", "hooktui.runs": "guard\tok\tdeny", "gen_ai.operation.name": "execute_hook",
        "gen_ai.conversation.id": "s1", "session.id": "s1", "gen_ai.agent.name": "agenthooks", "gen_ai.tool.name": "Bash",
        "gen_ai.tool.call.id": "toolu_1", "security_rule.name": "guard", "security_rule.version": "c0ffee",
    }  # fmt: skip
    assert [(hook["label"], hook["state"], hook["version"]) for hook in body["hooks"]] == [
        ("guard", "ok", "c0ffee"),
        ("other", "skipped", "facade"),
    ]


def test_severity_tells_failures_and_denials(log: LogWorld) -> None:
    log.add(runs=[run("lint", "timeout")])
    log.add(decision="stop", runs=[run("guard", decision="stop")])
    log.add(runs=[run("audit")])
    assert [record.severity for record in records(log)] == ["ERROR", "WARN", "INFO"]


def test_a_hashed_project_is_nowhere_in_the_record(log: LogWorld) -> None:
    log.add(
        project="/home/dev/secret-app",
        payload={
            "cwd": "/home/dev/secret-app/src",
            "transcript_path": "/home/dev/.claude/projects/-home-dev-secret-app/s.jsonl",
        },
        runs=[run("x", stdout="/home/dev/secret-app")],
    )
    log.add(project="/home/dev/secret-app")
    first, second = records(log, replace(COLLECTOR, hash_projects=True, level="full"))
    assert "secret-app" not in json.dumps([first.as_json(), second.as_json()])
    assert re.fullmatch("project-[0-9a-f]{12}", first.attributes["hooktui.project"])
    assert first.attributes["hooktui.project"] == second.attributes["hooktui.project"]


@pytest.mark.parametrize("level", ["reasons", "full"])
def test_a_hashed_project_has_no_name_and_no_other_spelling(log: LogWorld, tmp_path: Path, level: Level) -> None:
    project, link = tmp_path / "secret-app", tmp_path / "hidden-link"
    project.mkdir()
    link.symlink_to(project)
    words = f"cp -r ../secret-app {link}/src; \x1b[31msecret-app\x1b[0m"
    log.add(
        project=str(project),
        tool="Bash",
        decision="deny",
        reason="not in secret-app",
        payload={"cwd": f"{link}/src", "tool_input": {"command": words, "secret-app": 1}},
        runs=[run("bash", "ok", decision="deny", reason="not in secret-app", stdout=words)],
    )
    (record,) = records(log, replace(COLLECTOR, hash_projects=True, level=level))
    assert not re.search("secret-app|hidden-link", json.dumps(record.as_json()))
    body = json.loads(record.body)
    assert (body["tool_name"], body["hooks"][0]["label"]) == ("Bash", "bash")
    if level == "full":
        hashed = record.attributes["hooktui.project"]
        assert body["payload"]["cwd"] == f"{hashed}/src"


def test_the_name_of_a_hashed_project_that_is_a_field_changes_no_field(log: LogWorld) -> None:
    log.add(project="/home/dev/hooks", tool="Bash", payload={"tool_input": {"command": "ls hooks"}}, runs=[run("hooks")])
    (record,) = records(log, replace(COLLECTOR, hash_projects=True, level="full"))
    body = json.loads(record.body)
    assert (body["hooks"][0]["name"], body["host"]) == ("hooks", "agenthooks")
    assert re.fullmatch(r"ls project-\w+", body["payload"]["tool_input"]["command"])


def test_the_main_checkout_of_a_linked_worktree_is_hashed_too(log: LogWorld) -> None:
    guard = run("guard")
    of_main = guard.hook.replace(scope="local", file="/home/dev/secret-app/.claude/settings.local.json")
    log.add(project="/home/dev/worktree", runs=[guard.replace(hook=of_main)])
    (record,) = records(log, replace(COLLECTOR, hash_projects=True))
    assert "secret-app" not in json.dumps(record.as_json())
    assert re.search(r"project-\w+/\.claude/settings\.local\.json", record.body)


def test_a_tool_call_id_that_is_no_id_stays(log: LogWorld) -> None:
    log.add(payload={"tool_use_id": "my secret thought"})
    assert "thought" not in json.dumps(records(log)[0].as_json())


def test_a_large_record_is_trimmed_and_says_so(log: LogWorld) -> None:
    log.add(runs=[run(f"hook-{number}", stdout="é" * 60_000) for number in range(60)])
    (record,) = records(log, replace(COLLECTOR, level="full"))
    assert record.trimmed
    assert record.attributes["hooktui.trimmed"] == "true"
    assert record.size < 200_000
    body = json.loads(record.body)
    assert body["trimmed"] is True
    assert len(body["hooks"]) == 60


def test_text_that_is_no_unicode_can_be_sent(log: LogWorld) -> None:
    log.add(payload={"prompt": "\ud800"})
    (record,) = records(log, replace(COLLECTOR, level="full"))
    assert json.loads(record.body.encode())["payload"] == {"prompt": "?"}


def test_the_documentation_has_every_attribute(log: LogWorld) -> None:
    denied(log)
    (record,) = records(log, replace(COLLECTOR, level="reasons"))
    text = (Path(__file__).parents[3] / "docs/fleet.md").read_text()
    names = (name.removeprefix("hooktui").removeprefix("security_rule") for name in record.attributes)
    assert [
        name
        for name in names
        if f"`{name}`" not in text and f"`hooktui{name}`" not in text and f"`security_rule{name}`" not in text
    ] == []


if TYPE_CHECKING:
    from pathlib import Path


def test_configured_attributes_leave_and_answer_queries(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_RESOURCE_ATTRIBUTES", raising=False)
    (own_home / ".config/hooktui").mkdir(parents=True)
    text = '[fleet]\nattributes = { team = "payments", "user.name" = "anna" }\n'
    (own_home / ".config/hooktui/config.toml").write_text(text)
    sent = fleet_records.resource("i-1")
    assert (sent["team"], sent["user.name"], sent["service.name"]) == ("payments", "anna", "hooktui")
    assert [parse(words).row for words in ("team:pay*", "user:anna", "user:bob", "-team:payments")] == [
        "(1)",
        "(1)",
        "(0)",
        "NOT ifnull(1, 0)",
    ]
