"""formats.md §2, "frontmatter": fences, limits, and hooks whose YAML cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hooktui.core.model import Hook
from hooktui.formats.agenthooks import hook_directories
from tests.unit.formats.agenthooks_world import GOOD, World, changed, head, place_of, skip_of, unmarked


def parse(text: str) -> tuple[Hook, list[str]]:
    found = hook_directories.parse(text, "/nowhere/guard/HOOK.md", "project")
    return found.hooks[0], [one.code for one in found.diagnostics if one.code != "missing-entry"]


@pytest.mark.parametrize(
    "text",
    [
        head(),
        f"\ufeff{head()}",
        head().replace("\n", "\r\n"),
        f"---  \n{GOOD}--- \t\n",
        f"---\n{GOOD}---",
        f"\n\n{head()}",
        f"---\n# a comment\n\n{GOOD}# another\n---\n",
        head(GOOD + "metadata: {sign: ---}\n"),
        head(GOOD + "metadata:\n  text: |\n    ---\n    a\n    --- \n"),
        head(GOOD + "metadata: {a: 'x\n  ---\n  y'}\n"),
        head().replace("Body.", "---\nname: [not read\n---"),
    ],
)
def test_frontmatter_is_between_fences(text: str) -> None:
    hook, codes = parse(text)
    assert (hook.name, hook.event, hook.obstacle, codes) == ("guard", "pre-tool-call", None, []) or hook.obstacle is not None
    assert codes == []


def test_a_byte_order_mark_shifts_no_column(world: World) -> None:
    text, place = unmarked(changed(timeout="«1»"))
    world.hook(text=f"\ufeff{text}")
    assert place_of(world.problem("out-of-range")) == place
    text, place = unmarked("«No frontmatter»\n")
    world.hook("plain", f"\ufeff{text}")
    assert place_of(world.problem("bad-yaml")) == place


def test_crlf_shifts_no_line(world: World) -> None:
    text, place = unmarked(changed(timeout="«1»"))
    world.hook(text=text.replace("\n", "\r\n"))
    assert place_of(world.problem("out-of-range")) == place


def test_other_unicode_line_separators_shift_no_line(world: World) -> None:
    text, place = unmarked(changed(description="'a\u2028b\x85c'", timeout="«1»"))
    world.hook(text=text)
    assert place_of(world.problem("out-of-range")) == place


@pytest.mark.parametrize(
    ("marked", "code"),
    [
        ("«# Just a text»\n", "bad-yaml"),
        ("«---»\nname: guard\n", "bad-yaml"),
        ("«----»\nname: guard\n----\n", "bad-yaml"),
        ("---\n«- a\n- b»\n---\n", "not-a-mapping"),
        ("---\n«text»\n---\n", "not-a-mapping"),
        ("---\nname: guard\ndescription: «foo: bar»\n---\n", "bad-yaml"),
        ("---\nname: guard\n«name»: other\n---\n", "duplicate-key"),
        ("---\nname: guard\n--- «second»\n---\n", "bad-yaml"),
    ],
)
def test_frontmatter_that_cannot_be_read_is_an_error_at_its_place(marked: str, code: str, world: World) -> None:
    text, place = unmarked(marked)
    world.hook(text=text)
    found = world.problem(code)
    assert (found.severity, place_of(found)) == ("error", place)
    assert skip_of(world.only()) == "invalid"


def test_an_empty_file_is_an_error() -> None:
    hook, codes = parse("")
    assert codes == ["bad-yaml"]
    assert hook.obstacle is not None


def test_an_empty_frontmatter_lacks_all_three_fields() -> None:
    _, codes = parse("---\n---\n")
    assert codes == ["missing-field"] * 3


def test_64_kib_of_frontmatter_are_read_and_more_are_not() -> None:
    room = 64 * 1024 - len(GOOD) - len("#\n")
    assert parse(head(f"{GOOD}#{'x' * room}\n"))[1] == []
    assert parse(head(f"{GOOD}#{'x' * (room + 1)}\n"))[1] == ["bad-yaml"]


def test_a_duplicate_key_hides_nothing_else(world: World) -> None:
    world.hook(text=head(f"{GOOD}timeout: 5000\ntimeout: 6000\npriority: 2000\n"))
    assert world.codes() == [("error", "duplicate-key"), ("error", "out-of-range")]
    hook = world.only()
    assert (hook.name, hook.event, hook.timeout_ms) == ("guard", "pre-tool-call", 5000)
    assert skip_of(hook) == "invalid"


@pytest.mark.parametrize("key", ["metadata: {a: 1, a: 2}", "matcher: {tool: a, tool: b}"])
def test_a_duplicate_key_anywhere_makes_the_hook_invalid(key: str) -> None:
    hook, codes = parse(head(f"{GOOD}{key}\n"))
    assert codes == ["duplicate-key"]
    assert skip_of(hook) == "invalid"


def test_seed_001s_own_sample_pattern_is_explained_and_can_be_fixed() -> None:
    marked = (
        "---\nname: guard\ndescription: Auto-format Python files after write\ntrigger: after_tool\n"
        'matcher:\n  tool: WriteFile\n  pattern: «"\\.py$"»\n---\n'
    )
    text, place = unmarked(marked)
    parsed = hook_directories.parse(text, "/nowhere/guard/HOOK.md", "project")
    found = next(one for one in parsed.diagnostics if one.code == "bad-yaml")
    assert (found.line, place_of(found)) == (7, place)
    assert found.fix is not None
    assert (found.fix.kind, found.fix.old, found.fix.text) == ("replace", '"\\.py$"', "'\\.py$'")
    fixed = text[: found.fix.start] + found.fix.text + text[found.fix.end :]
    assert hook_directories.parse(fixed, "/nowhere/guard/HOOK.md", "project").hooks[0].pattern == r"\.py$"


@pytest.mark.parametrize(
    ("lines", "name", "event"),
    [
        ("name: other\ntrigger: before_stop\nx: [\n", "other", "pre-agent-turn-stop"),
        ("x: [\nname: 'other'  # mine\ntrigger: \"before_stop\" # gate\n", "other", "pre-agent-turn-stop"),
        ("trigger: PreToolUse\nx: [\n", "guard", "pre-tool-call"),
        ("trigger: xyzzy\nx: [\n", "guard", ""),
        ("  name: nested\nx: [\n", "guard", ""),
        (f"name: {'x' * 65}\nx: [\n", "guard", ""),
        ("name: [\ntrigger: before_stop\n", "guard", "pre-agent-turn-stop"),
        ("name: {a\n", "guard", ""),
        ("name: *other\n", "guard", ""),
        ("name: a: b\n", "guard", ""),
    ],
)
def test_a_hook_with_invalid_yaml_is_listed_with_guessed_values(lines: str, name: str, event: str) -> None:
    hook, _ = parse(head(lines))
    assert (hook.name, hook.event) == (name, event)
    assert skip_of(hook) == "invalid"


def test_the_line_of_a_broken_hook_is_that_of_its_trigger() -> None:
    hook, _ = parse(head("x: [\nname: a\ntrigger: pre-session\n"))
    assert hook.line == 4


@pytest.mark.parametrize(
    "lines", [f"{'k' * 60_000}: x\n", f"trigger: {'t' * 60_000}\n", f"x: {'!' * 60_000}\n", f"x: *{'a' * 60_000}\n"]
)
def test_messages_are_shorter_than_the_text_they_quote(lines: str) -> None:
    found = hook_directories.parse(head(lines), "/nowhere/guard/HOOK.md", "project")
    texts = [text for one in found.diagnostics for text in (one.message, one.hint)]
    assert max(len(text) for text in [*texts, found.hooks[0].obstacle.why if found.hooks[0].obstacle else ""]) <= 300


MUTATIONS = st.lists(
    st.tuples(st.integers(0, 400), st.integers(0, 6), st.text(alphabet="---\n:[]{}'\"&*!#<\t \r\ufeff\u2028\\x0é", max_size=4)),
    max_size=6,
)
FULL = head(f"{GOOD}matcher:\n  tool: 'Shell'\n  pattern: \"rm -rf\"\ntimeout: 5000\nasync: false\nmetadata: {{a: [1]}}\n")


@given(MUTATIONS)
@example([(0, 0, "\ufeff")])
def test_no_mutation_of_a_hook_file_raises_and_every_place_exists(mutations: list[tuple[int, int, str]]) -> None:
    text = FULL
    for start, length, new in mutations:
        text = text[:start] + new + text[start + length :]
    found = hook_directories.parse(text, "/nowhere/guard/HOOK.md", "project")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert len(found.hooks) == 1
    for one in found.diagnostics:
        assert 1 <= one.line <= one.end_line <= len(lines)
        assert 1 <= one.column <= len(lines[one.line - 1]) + 2


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert len(hook_directories.parse(text, "/nowhere/guard/HOOK.md", "user").hooks) == 1
