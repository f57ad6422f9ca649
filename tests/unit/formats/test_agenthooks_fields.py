"""formats.md §2, field by field: valid values, and the exact place of each error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hooktui.core import events
from tests.unit.formats.agenthooks_world import World, changed, head, parsed, skip_of, wrong


def test_a_good_hook_has_no_problems(world: World) -> None:
    world.hook(
        "block-rm",
        head(
            "name: block-rm\ndescription: Blocks rm\ntrigger: before_tool\nmatcher:\n  tool: Shell\n  pattern: 'rm -rf'\n"
            "timeout: 5000\nasync: false\npriority: 999\nmetadata: {team: core}\n"
        ),
    )
    hook = world.only()
    assert world.codes() == []
    assert (hook.event, hook.event_as_written, hook.line) == ("pre-tool-call", "before_tool", 4)
    assert (hook.tool, hook.pattern) == ("Shell", "rm -rf")
    assert (hook.timeout_ms, hook.is_async, hook.priority) == (5000, False, 999)
    assert hook.metadata == {"team": "core"}
    assert hook.obstacle is None


def test_an_empty_required_field_is_missing() -> None:
    wrong(head("«name»:\ndescription: d\ntrigger: pre-tool-call\n"), "error", "missing-field")


@pytest.mark.parametrize("name", ["''", "x" * 65])
def test_a_name_has_1_to_64_characters_else_the_directory_is_used(name: str) -> None:
    hook, _ = wrong(changed(name=f"«{name}»"), "error", "bad-name")
    assert hook.name == "guard"


def test_name_of_64_characters_is_allowed() -> None:
    assert [found.code for found in parsed(changed(name="x" * 64))[1]] == ["name-mismatch"]


@pytest.mark.parametrize("name", ["Guard", "my guard", "a--b", "-a", "a-", "a_b", "gärd"])
def test_name_in_a_form_that_other_hosts_refuse_is_a_warning(name: str) -> None:
    hook, _ = wrong(changed(name=f"«{name}»"), "warning", "bad-name")
    assert hook.name == name


@pytest.mark.parametrize("description", ["''", "x" * 1025])
def test_description_has_1_to_1024_characters(description: str) -> None:
    wrong(changed(description=f"«{description}»"), "error", "bad-description")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("pre-tool-cal", "pre-tool-call"),
        ("PreToolUse", "pre-tool-call"),
        ("preToolUse", "pre-tool-call"),
        ("Stop", "pre-agent-turn-stop"),
        ("befor_tool", "before_tool"),
        ("pre_tool_call", "pre-tool-call"),
        ("PRE-TOOL-CALL", "pre-tool-call"),
    ],
)
def test_unknown_trigger_gets_a_did_you_mean_and_is_listed_under_it(written: str, meant: str) -> None:
    hook, found = wrong(changed(trigger=f"«{written}»"), "error", "unknown-event")
    assert found.hint == f"did you mean {meant}?"
    assert found.fix is not None
    assert (found.fix.kind, found.fix.old, found.fix.text) == ("replace", written, meant)
    assert (hook.event, hook.event_as_written) == (events.canonical(meant), written)
    assert skip_of(hook) == "invalid"


@pytest.mark.parametrize("trigger", ["xyzzy", "pre-step", "agent-failure", "''"])
def test_an_unknown_trigger_is_invalid(trigger: str) -> None:
    hook, _ = wrong(changed(trigger=f"«{trigger}»"), "error", "unknown-event")
    assert skip_of(hook) == "invalid"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "12"),
        ("name", "yes"),
        ("name", "[a]"),
        ("name", "2024-01-01"),
        ("description", "{a: b}"),
        ("description", "1.5"),
        ("trigger", "[pre-tool-call]"),
        ("timeout", "'5000'"),
        ("timeout", "true"),
        ("timeout", "5000.5"),
        ("timeout", "5s"),
        ("priority", "high"),
        ("priority", "false"),
        ("async", "'true'"),
        ("async", "1"),
        ("metadata", "[a]"),
        ("metadata", "text"),
        ("matcher", "Shell"),
        ("matcher", "[Shell]"),
    ],
)
def test_wrong_types_are_reported_at_the_value(field: str, value: str) -> None:
    # A date is text, as in JSON.
    if value == "2024-01-01":
        assert parsed(changed(name=value))[0].name == value
        return
    wrong(changed(**{field: f"«{value}»"}), "error", "wrong-type")


@pytest.mark.parametrize("field", ["timeout", "async", "priority", "metadata", "matcher"])
def test_an_empty_value_is_of_the_wrong_type(field: str) -> None:
    wrong(head(f"name: guard\ndescription: d\ntrigger: pre-tool-call\n«{field}»:\n"), "error", "wrong-type")


@pytest.mark.parametrize(
    ("field", "value"), [("timeout", "'5000'"), ("priority", "x"), ("async", "maybe"), ("metadata", "1"), ("description", "[]")]
)
def test_a_guard_that_can_run_runs_with_the_default(field: str, value: str, world: World) -> None:
    world.hook(text=changed(**{field: value}))
    hook = world.only()
    assert hook.obstacle is None
    assert (hook.timeout_ms, hook.priority, hook.is_async, hook.metadata) == (30_000, 100, False, {})


@pytest.mark.parametrize(
    ("field", "value", "meant"), [("timeout", "'5000'", "5000"), ("async", '"true"', "true"), ("name", "12", "'12'")]
)
def test_a_value_whose_quotes_alone_are_wrong_can_be_fixed(field: str, value: str, meant: str) -> None:
    _, found = wrong(changed(**{field: f"«{value}»"}), "error", "wrong-type")
    assert found.fix is not None
    assert (found.fix.old, found.fix.text) == (value, meant)


@pytest.mark.parametrize(
    ("written", "timeout", "priority"),
    [("9" * 5000, 600_000, 1000), ("-" + "9" * 5000, 100, 0), ("0x" + "f" * 5000, 600_000, 1000), ("9" * 4200, 600_000, 1000)],
    ids=["decimal", "negative", "hexadecimal", "just readable"],
)
def test_a_number_with_thousands_of_digits_is_out_of_range_and_clamped(written: str, timeout: int, priority: int) -> None:
    hook, found = parsed(changed(timeout=written, priority=written, metadata=f"{{big: {written}}}"))
    assert [one.code for one in found] == ["out-of-range", "out-of-range"]
    assert all(written[:10] in one.message and len(one.message) < 100 for one in found)
    assert (hook.timeout_ms, hook.priority) == (timeout, priority)
    json.dumps(hook.metadata)


def test_a_timeout_of_100_is_in_range_though_probably_seconds() -> None:
    assert [found.code for found in parsed(changed(timeout="100"))[1]] == ["unit-suspect"]


@pytest.mark.parametrize(("timeout", "meant"), [("101", "101000"), ("600", "600000"), ("999", None)])
def test_a_timeout_below_1000_is_probably_in_seconds(timeout: str, meant: str | None) -> None:
    _, found = wrong(changed(timeout=f"«{timeout}»"), "warning", "unit-suspect")
    assert (found.fix and found.fix.text) == meant


def test_a_timeout_out_of_range_that_is_probably_in_seconds_is_reported_once() -> None:
    _, found = wrong(changed(timeout="«5»"), "error", "out-of-range")
    assert found.hint == "hooktui uses 100; 5 s would be 5000"
    assert found.fix is not None
    assert (found.fix.text, found.fix.is_guess) == ("5000", True)


@pytest.mark.parametrize(
    ("value", "is_async"), [("true", True), ("false", False), ("yes", True), ("no", False), ("Off", False)]
)
def test_async_is_a_yaml_boolean(value: str, is_async: bool) -> None:
    hook, diagnostics = parsed(changed(async_=value))
    assert (hook.is_async, diagnostics) == (is_async, ())


def test_metadata_is_any_mapping_and_kept() -> None:
    hook, diagnostics = parsed(changed(metadata="{a: [1, 2.5, null, true], b: {c: 2024-01-01}, 1: .nan, on: ~}"))
    expected: dict[str, Any] = {"a": [1, 2.5, None, True], "b": {"c": "2024-01-01"}, "1": ".nan", "on": None}
    assert (hook.metadata, diagnostics) == (expected, ())


def test_unknown_key_is_a_warning_at_the_key_with_did_you_mean() -> None:
    _, found = wrong(changed(**{"«priorty»": "5"}), "warning", "unknown-key")
    assert found.hint == "did you mean priority?"
    assert found.fix is not None
    assert (found.fix.old, found.fix.text) == ("priorty", "priority")


def test_unknown_key_is_not_taken_for_a_key_that_is_there() -> None:
    _, found = wrong(changed(**{"«names»": "5"}), "warning", "unknown-key")
    assert found.fix is None


def test_invalid_comes_before_bad_matcher() -> None:
    hook, _ = parsed(changed(trigger="nonsense", matcher="{tool: '('}"))
    assert skip_of(hook) == "invalid"


def test_all_errors_are_reported_at_once() -> None:
    _, diagnostics = parsed(head("nme: x\ndescription: ''\ntrigger: nope\ntimeout: 5\npriority: 5000\nmatcher: 1\n"))
    assert [found.code for found in diagnostics] == [
        "unknown-key",
        "missing-field",
        "bad-description",
        "unknown-event",
        "wrong-type",
        "out-of-range",
        "out-of-range",
    ]
