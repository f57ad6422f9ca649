"""Which machine lacks a rule that others have."""

from __future__ import annotations

from hooktui.fleet.rule_presence import ListedHook, presences

USUAL = ListedHook("", "claude", "PreToolUse", "/src/shop", "guard", "user", "")


def on(machine: str, **values: str) -> ListedHook:
    return USUAL._replace(instance=machine, **values)


def absent(*listed: ListedHook) -> dict[str, str]:
    return dict(presences(listed)["guard"].absent)


def test_a_machine_without_the_rule_of_the_others_misses_it() -> None:
    assert absent(on("a"), on("b"), on("c", rule=""), on("d", rule="other"), on("e")) == {"c": "missing", "d": "missing"}


def test_a_rule_that_does_not_run_whatever_the_call_says_why() -> None:
    assert absent(on("a"), on("b", skip="tool-mismatch"), on("c", skip="untrusted"), on("d", skip="disabled"), on("e")) == {
        "c": "not approved",
        "d": "off",
    }


def test_a_rule_that_few_machines_run_is_their_own_choice() -> None:
    assert absent(on("a"), on("b", rule=""), on("c", rule="")) == {}
    assert absent(on("a"), on("b", rule="")) == {}


def test_a_machine_with_another_agent_or_event_is_not_compared() -> None:
    assert absent(on("a"), on("b"), on("c", rule="", host="codex"), on("d", rule="", event="Stop")) == {}


def test_a_rule_of_a_project_is_expected_in_that_project_only() -> None:
    here, there = {"scope": "project", "project": "/home/a/shop"}, {"rule": "", "project": "/home/c/site"}
    assert absent(on("a", **here), on("b", **here), on("c", **there), on("d", rule="", project="/work/shop")) == {
        "d": "missing"
    }


def test_a_rule_of_an_agent_in_a_project_is_expected_in_that_project_only() -> None:
    here = {"scope": "agent", "project": "/home/a/shop", "file": "/home/a/shop/.claude/agents/tester.md"}
    assert absent(on("a", **here), on("b", **here), on("c", rule="", project="/home/c/site")) == {}
    everywhere = {"scope": "agent", "file": "/home/a/.claude/agents/tester.md"}
    assert absent(on("a", **everywhere), on("b", **everywhere), on("c", rule="", project="/home/c/site")) == {"c": "missing"}


def test_a_rule_that_no_machine_can_run_is_kept_from_running_on_each() -> None:
    (presence,) = presences((on("a", skip="untrusted", why="changed"), on("b", skip="disabled"))).values()
    assert presence.absent == {}
    assert presence.kept == {"a": ("not approved", "changed"), "b": ("off", "")}


def test_the_entries_of_the_connection_are_no_rule() -> None:
    assert presences((on("a", rule="hooktui", skip="duplicate"), on("b", rule="hooktui"))).keys() == {"hooktui"}
    assert presences((on("a", rule="hooktui", skip="duplicate"),)) == {}


def test_a_required_rule_is_expected_on_every_machine_in_one_of_its_versions() -> None:
    listed = (
        on("a", version="1"),
        on("b", version="2"),
        on("c", version="3"),
        on("d", skip="untrusted"),
        on("e", rule="x"),
        on("f"),
    )
    guard = presences(listed, {"guard": frozenset(("1", "2"))})["guard"]
    assert guard.absent == {"d": "not approved", "e": "missing"}
    assert guard.differing == ["c"], "a hook without a known version cannot be said to differ"
    assert presences(listed, {"guard": frozenset()})["guard"].differing == []


def test_a_required_rule_that_no_machine_lists_is_missing_on_all() -> None:
    found = presences((on("a"), on("b", rule="")), {"other": frozenset()})
    assert found["other"].absent == {"a": "missing", "b": "missing"}


def test_a_required_rule_is_missing_where_the_agent_tells_of_tools_only_afterwards() -> None:
    good, deaf = on("a", event="pre-tool-call"), on("b", rule="", event="post-tool-call")
    assert dict(presences((good, deaf), {"guard": frozenset()})["guard"].absent) == {"b": "missing"}
    assert dict(presences((good, deaf._replace(event="pre-session")), {"guard": frozenset()})["guard"].absent) == {}


def test_another_version_than_most_machines_have_differs_by_the_newest_list() -> None:
    listed = (on("a", version="1"), on("b", version="1"), on("c", version="1"), on("c", version="2"), on("d"))
    assert presences(listed)["guard"].differing == ["c"]
    here = {"scope": "project", "project": "/home/a/shop"}
    assert presences(hook._replace(**here) for hook in listed)["guard"].differing == []
