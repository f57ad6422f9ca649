"""A report in words."""

from __future__ import annotations

from typing import Any, cast

import pytest

from hooktui.core.report import LoggedReport, RunReport
from hooktui.screens.widgets import report_text

_ABSENT = ("reason", "exit_code", "signal", "modified_input", "additional_context", "system_message", "log", "skip", "via")


def hook(**values: Any) -> RunReport:
    plain: Any = {
        **dict.fromkeys(_ABSENT),
        "name": "guard",
        "label": values.get("name", "guard"),
        "state": "ok",
        "why": "",
        "decision": "none",
        "duration_ms": 3.1,
        "origin": "run",
    }
    return cast("RunReport", {**plain, "stdout": "", "stderr": "", "truncated": False, "problems": [], **values})


def report(*hooks: RunReport, **values: Any) -> LoggedReport:
    values = {"decision": "none", **values}
    about: Any = {"effect": values["decision"], "reason": None, "hooks": list(hooks), "payload": {}, "warnings": []}
    about |= {"event": "pre-tool-call", "outcome": None, "overruled": False, "hooks_recorded": "all"}
    return cast("LoggedReport", {"host": "agenthooks", "synthetic": False, **about, **values})


@pytest.mark.parametrize(
    ("ended", "shown"),
    [
        ({"exit_code": 0}, "✔ guard                ok "),
        ({"exit_code": 2}, "exit 2"),
        ({"state": "failed", "exit_code": 1}, "▲ guard                failed exit 1"),
        ({"state": "failed", "signal": 11}, "failed signal 11"),
        ({"state": "timeout", "signal": 9}, "▲ guard                timeout  "),
        ({"state": "started"}, "┄ guard                started"),
    ],
)
def test_line_of_a_hook_says_how_it_ended(ended: dict[str, Any], shown: str) -> None:
    assert shown in report_text.hook_line(hook(**ended), 76).plain


@pytest.mark.parametrize(
    ("file", "shown"),
    [("/home/dev/shop/src/cart.py", "Read src/cart.py"), ("/etc/hosts", "Read /etc/hosts"), ("src/a.py", "Read src/a.py")],
)
def test_a_file_of_the_project_begins_there(file: str, shown: str) -> None:
    read = report(tool_name="Read", payload={"tool_input": {"file_path": file}}, project="/home/dev/shop")
    assert report_text.about(read).plain == shown


def test_long_label_is_whole_where_there_is_room() -> None:
    assert "settings.json:PreToolUse:1 " in report_text.hook_line(hook(label="settings.json:PreToolUse:1"), 116).plain


def test_a_hook_that_has_not_ended_took_nothing_yet() -> None:
    assert " ms" not in report_text.hook_line(hook(state="started"), 76).plain


def test_reason_that_does_not_fit_on_the_line_is_indented_below() -> None:
    ran = hook(why="matched tool Shell and pattern rm -rf /|mkfs", exit_code=0)
    assert len(report_text.hook_line(ran, 120).plain.splitlines()) == 1
    first, second = report_text.hook_line(ran, 70).plain.splitlines()
    assert first.split() == ["✔", "guard", "ok", "3.1", "ms"]
    assert second == "    matched tool Shell and pattern rm -rf /|mkfs"


def test_hooks_that_decided_come_first_and_those_to_do_something_about() -> None:
    skips = [hook(name=skip, state="skipped", skip=skip) for skip in ("tool-mismatch", "untrusted", "blocked-earlier")]
    told = report(skips[0], hook(name="a"), hook(name="b", decision="ask"), hook(name="c"), *skips[1:])
    assert [run["name"] for run in report_text.ran(told)] == ["b", "a", "c"]
    assert [run["name"] for run in report_text.missed(told)] == ["untrusted", "tool-mismatch", "blocked-earlier"]
    assert report_text.missed_note(told).plain == "∅ 3 skipped · w why  ◌ 1 hook needs approval · p review"
    assert report_text.missed_note(told, is_here=False).plain == "∅ 3 skipped · w why  ◌ 1 hook needs approval"
    assert report_text.missed_note(report(hook())).plain == ""
    assert report_text.missed_note(report()).plain == "No hooks listen to this event."


def test_missed_hook_says_what_can_be_done() -> None:
    unapproved = hook(skip="untrusted", why="this project hook is not approved")
    line = report_text.missed_line(unapproved, 120).plain
    assert "needs approval" in line
    assert "review and approve it: p" in line
    assert report_text.missed_line(unapproved, 120, is_here=False).plain.endswith("review and approve it on its machine")
    assert "\n" not in report_text.missed_line(hook(skip="tool-mismatch", why="not Shell"), 120).plain


def test_long_output_keeps_head_and_tail() -> None:
    lines = [f"line {number}" for number in range(1000)]
    shown = report_text.shortened("\n".join(lines)).splitlines()
    assert (shown[0], shown[-1]) == ("line 0", "line 999")
    assert "800 lines left out" in shown[100]


def test_rewrites_are_shown_one_after_another() -> None:
    first = hook(name="a", modified_input={"command": "two"})
    second = hook(name="b", modified_input={"command": "three"})
    text = report_text.effects(report(first, second, payload={"tool_input": {"command": "one"}})).plain
    assert '-  "command": "one"\n+  "command": "two"' in text
    assert '-  "command": "two"\n+  "command": "three"' in text


def test_title_names_the_hooks_that_decided_and_their_reason() -> None:
    denied = report(hook(name="guard", decision="deny"), hook(name="audit"), decision="deny", reason="not that\nnever")
    assert report_text.title(denied).plain == "✕ denied by guard ─ not that"
    both = report(hook(name="a", decision="deny"), hook(name="b", decision="deny"), decision="deny")
    assert report_text.title(both).plain == "✕ denied by a, b"


def test_rewritten_input_is_no_silence() -> None:
    rewrote = report(hook(name="quiet-tests", modified_input={"command": "make -s"}), hook(name="audit"), effect="rewrite")
    assert report_text.title(rewrote).plain == "✎ rewritten by quiet-tests"


def test_every_effect_and_problem_is_listed() -> None:
    said = hook(additional_context="mind", system_message="hello", log="noted", problems=["dropped"], stdout="x")
    text = report_text.effects(report(said, warnings=["careful"])).plain
    for word in ("mind", "hello", "noted", "dropped", "careful"):
        assert word in text


def test_empty_parts_have_a_text() -> None:
    assert "nothing" in report_text.output(report(hook())).plain
    assert "No hook changed" in report_text.effects(report(hook())).plain
    assert "no objections" in report_text.title(report(hook())).plain


@pytest.mark.parametrize(
    ("recorded", "said"), [("all", "no hook ran"), ("some", "no recorded hook ran"), ("none", "nothing recorded")]
)
def test_an_event_without_a_run_says_no_more_than_is_known(recorded: str, said: str) -> None:
    assert said in report_text.title(report(hooks_recorded=recorded)).plain


def test_decision_of_a_later_version_is_shown_as_it_is() -> None:
    assert report_text.title(report(decision="defer", reason="later")).plain == "· defer ─ later"


def test_what_nobody_recorded_is_not_said_to_have_run() -> None:
    unknown = report(host="claude", hooks_recorded="none")
    assert report_text.title(unknown).plain == "· nothing recorded"
    assert report_text.missed_note(unknown).plain == "Not recorded: Claude Code does not record hooks that say nothing."
    silent = hook(name="audit", state="unrecorded", why="Claude Code does not record hooks that say nothing")
    assert report_text.missed(report(silent)) == [silent]
    assert report_text.missed_line(silent, 120).plain.split()[:4] == ["?", "audit", "not", "recorded"]


def test_title_says_that_a_denied_call_ran_and_that_a_failed_gate_checked_nothing() -> None:
    overruled = report(hook(name="guard", decision="deny"), overruled=True)
    assert report_text.title(overruled).plain == "▲ denied by guard, but it ran"
    by_mod = report(hook(name="guard", decision="deny"), overruled=True, may_have_allowed=["sk", "modb"])
    assert report_text.title(by_mod).plain == "▲ denied by guard, but it ran: sk or modb may have allowed it"
    unknown = report(decision="deny", outcome="denied-by-hook")
    assert report_text.title(unknown).plain == "✕ denied by a hook that is not recorded"
    gate = report(hook(name="tests-pass", state="failed"), event="pre-agent-turn-stop")
    assert report_text.title(gate).plain == "▲ gate failed: not checked ─ tests-pass"
    assert report_text.title(report(hook(name="lint", state="failed"))).plain == "▲ failed: lint"
    assert report_text.title(report(outcome="denied-by-permission")).plain == "· not permitted"


def test_every_line_of_a_reason_is_a_line() -> None:
    assert report_text.hook_line(hook(reason="no\nnever\n"), 120).plain.splitlines()[1:] == ["    no", "    never"]
