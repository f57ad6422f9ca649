"""An event of the log becomes an example: redacted, with today's decision, and the rest of the file byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.core.report import LoggedReport
from hooktui.hook_tests import example_files, kept_examples
from hooktui.hook_tests.example import Example, Got, TestError

DENIED = Got(
    decision="deny",
    by=["no-force-push.sh"],
    reason="no force pushes\nask first",
    modified_input=None,
    additional_context=[],
    state="ok",
)
NOTHING = Got(decision="none", by=[], reason=None, modified_input=None, additional_context=[], state=None)


def report(project: Path, command: str = "git push --force", **fields: Any) -> LoggedReport:
    payload = {
        "session_id": "s1",
        "cwd": str(project / "sub"),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "toolu_1",
    }
    usual = {"host": "claude", "event": "pre-tool-call", "tool_name": "Bash", "project": str(project), "payload": payload}
    return cast("LoggedReport", {**usual, **fields})


def kept(project: Path, got: Got = DENIED, **fields: Any) -> str:
    """The file with the example, as written."""
    suite = example_files.load(str(project))
    change = kept_examples.keep_example(suite, kept_examples.example_of(report(project, **fields)), got)
    change.step.check()
    change.step.do()
    assert not example_files.load(str(project)).problems
    return Path(change.step.path).read_text()


def test_a_denied_call_is_written_as_an_example_of_its_hook(tmp_path: Path) -> None:
    assert kept(tmp_path) == (
        "- name: git push --force is denied\n"
        "  host: claude\n"
        "  tool: Bash\n"
        "  input:\n"
        "    command: git push --force\n"
        "  payload:\n"
        "    cwd: '{project}/sub'\n"
        "  expect:\n"
        "    decision: deny\n"
        "    by: no-force-push.sh\n"
        "    reason: no force pushes\n"
    )
    assert [path.name for path in (tmp_path / ".agents/hook-tests").iterdir()] == ["no-force-push.yaml"]


def test_a_call_that_no_hook_decides_goes_to_the_file_of_examples(tmp_path: Path) -> None:
    assert "name: ls passes\n" in kept(tmp_path, NOTHING, command="ls")
    assert (tmp_path / ".agents/hook-tests/examples.yaml").exists()


def test_names_are_unique(tmp_path: Path) -> None:
    kept(tmp_path)
    assert "name: git push --force is denied (2)\n" in kept(tmp_path)


def test_secrets_and_paths_of_this_machine_are_left_out(tmp_path: Path) -> None:
    text = kept(tmp_path, command=f"TOKEN=ghp_{'a1' * 18} cat {tmp_path}/notes {tmp_path}-other")
    assert "ghp_" not in text
    assert "TOKEN=[redacted] cat {project}/notes" in text
    assert f"{tmp_path}-other" in text, "another directory"


def test_an_event_without_a_tool_keeps_its_own_fields(tmp_path: Path) -> None:
    payload = {"session_id": "s1", "cwd": str(tmp_path), "hook_event_name": "UserPromptSubmit", "prompt": "deploy it"}
    text = kept(tmp_path, event="pre-agent-turn", tool_name=None, payload=payload)
    assert text.startswith("- name: UserPromptSubmit is denied\n  event: UserPromptSubmit\n  host: claude\n")
    assert "    prompt: deploy it\n" in text
    assert "cwd" not in text


def test_an_event_that_was_logged_in_part_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(TestError, match="only part"):
        kept_examples.example_of(report(tmp_path, payload='{"tool_input": {"comm'))


@pytest.mark.parametrize(
    ("before", "start"),
    [
        (
            "# mine\n- name: a   # note\n  expect: {by: x}",
            "# mine\n- name: a   # note\n  expect: {by: x}\n- name: ",
        ),
        ("  - name: a\n    expect: {by: x}\n", "  - name: a\n    expect: {by: x}\n  - name: "),
        ("\ufeff- {name: a, expect: {by: x}}\r\n# end\r\n", "\ufeff- {name: a, expect: {by: x}}\r\n# end\r\n- name: "),
        ("# nothing yet\n", "# nothing yet\n- name: "),
    ],
)
def test_everything_else_in_the_file_stays(tmp_path: Path, before: str, start: str) -> None:
    path = tmp_path / ".agents/hook-tests/no-force-push.yaml"
    path.parent.mkdir(parents=True)
    path.write_bytes(before.encode())
    kept(tmp_path)
    text = path.read_bytes().decode()
    assert text.startswith(start)
    assert ("\r\n" in before) == ("is denied\r\n" in text)


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("[{name: a, expect: {by: x}}]\n", "it is not written as lines with `- `"),
        ("- name: a\n", "line 1: expect is missing"),
    ],
)
def test_a_file_to_which_nothing_can_be_added_is_left_alone(tmp_path: Path, before: str, message: str) -> None:
    path = tmp_path / ".agents/hook-tests/no-force-push.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(before)
    with pytest.raises(TestError, match="nothing can be added to no-force-push") as error:
        kept_examples.keep_example(example_files.load(str(tmp_path)), kept_examples.example_of(report(tmp_path)), DENIED)
    assert message in str(error.value)
    assert path.read_text() == before


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(st.characters(codec="utf-8", exclude_characters="\x00")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc: -#{", min_size=1, max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text("abcdef_", min_size=1), VALUES, min_size=1, max_size=3))
def test_what_is_added_reads_back_or_is_refused(values: dict[str, Any]) -> None:
    example = Example(name="call passes", file="/p/x.yaml", line=1, tool="Bash", input=values, expect={"decision": "none"})
    before = "- name: a\n  expect: {decision: deny}\n"
    try:
        text = kept_examples.appended(before, example)
    except TestError:
        return
    assert text.startswith(before)
