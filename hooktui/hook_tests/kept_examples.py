"""Keep an event of the log as an example: with its input redacted, and what the hooks decide on it today.

`example_of` makes an example without expectations, `suite_run.run` says what it gives today, and `keep_example` plans the
change of the file, which is shown first and can be undone.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hooktui import hosts
from hooktui.core import events, paths
from hooktui.edit import file_steps
from hooktui.formats import yaml_source
from hooktui.hook_tests import example_files
from hooktui.hook_tests.example import DIRECTORY, PROJECT, Example, Expected, TestError
from hooktui.log.read import event_subject, rows
from hooktui.runner.matching import SUBJECTS, WITH_TOOL
from hooktui.runner.redaction import LEFT_OUT, MARK, redacted_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hooktui.core.model import DecisionName
    from hooktui.core.report import LoggedReport
    from hooktui.edit.file_steps import Write
    from hooktui.hook_tests.example import Got, Suite

_BYTE_ORDER_MARK: Final = "\ufeff"
_LONGEST_NAME: Final = 60  # characters of a call in a name
_LONGEST_REASON: Final = 80
_OF_ANY_HOOK: Final = "examples"  # the file for decisions that no hook took
_VERBS: Final[Mapping[DecisionName, str]] = {
    "none": "passes",
    "allow": "is allowed",
    "ask": "asks the user",
    "deny": "is denied",
    "stop": "stops the agent",
}
# Fields of a payload that make an event what it is; the others are those of its session and its place.
_KEPT: Final = frozenset(
    (
        *(field for fields in events.FIELDS.values() for field in fields),
        *(name for names in SUBJECTS.values() for name in names),
        *("tool_response", "toolResult", "prompt", "stop_hook_active", "message", "error", "last_assistant_message"),
    )
)
_OF_A_CALL: Final = frozenset(("tool_name", "tool_input", "tool_use_id", "toolName", "toolArgs", "toolCallId"))
_DIRECTORIES: Final = ("cwd", "work_dir")


class KeptExample(NamedTuple):
    """A planned addition to a file of examples. `step` writes it; `example` is as it will be read."""

    step: Write
    example: Example


def example_of(report: LoggedReport, own_secrets: Sequence[str] = ()) -> Example:
    """The event of a logged report as an example without expectations; its paths are relative to the project.

    `own_secrets` are the user's own regexes for redaction. Raises TestError for an event that is not logged in full.
    """
    payload = report["payload"]
    host = report["host"] if report["host"] in hosts.names() else hosts.DEFAULT
    if not isinstance(payload, dict) or LEFT_OUT in str(payload):
        raise TestError("the log has only part of this event")
    clean = _portable(redacted_value(payload, own_secrets), report["project"])
    tool_input = event_subject.tool_input_of(clean)
    is_call = report["event"] in WITH_TOOL
    kept = {name: value for name, value in clean.items() if name in _KEPT - _OF_A_CALL}
    kept |= {name: clean[name] for name in _DIRECTORIES if clean.get(name, PROJECT) != PROJECT}
    return Example(
        name="",
        file="",
        line=1,
        event=rows.spelled(report["event"], host),
        canonical=report["event"],
        host=host,
        tool=report["tool_name"] if is_call else None,
        input=tool_input if is_call and isinstance(tool_input, dict) else {},
        payload=kept,
    )


def keep_example(suite: Suite, example: Example, got: Got) -> KeptExample:
    """Plan to keep an example with a decision in the file of the hook that took it, keeping the rest byte for byte.

    Raises TestError if nothing can be added to the file.
    """
    decider = got["by"][0] if got["by"] else ""
    file = file_of(suite.project, decider)
    taken = {other.name for other in suite.examples}
    expected = example._replace(file=file, expect=_expected(got))
    kept = expected._replace(name=name_of(expected, taken))
    try:
        text = appended(file_steps.text(file) or "", kept)
        return KeptExample(file_steps.write(file, text), example_files.read(text, file)[0][-1])
    except file_steps.ChangeRefusedError as error:
        raise TestError(str(error).rstrip(".")) from error


def file_of(project: str, label: str) -> str:
    """The file for the examples of a hook; for decisions that no hook took, without a label."""
    return os.path.join(project, DIRECTORY, f"{_slug(label) or _OF_ANY_HOOK}.yaml")


def name_of(example: Example, taken: Collection[str]) -> str:
    """An unused name for an example: the call and what is expected of it."""
    expect = example.expect
    if "decision" in expect:
        return _unique(f"{_call(example)} {_VERBS[expect['decision']]}", taken)
    verb = "does not run" if expect.get("state") == "skipped" else "runs"
    return _unique(f"{_call(example)} {verb} {expect.get('by', 'hooks')}", taken)


def appended(text: str, example: Example) -> str:
    """The text of a file with an example added at its end. Raises TestError for a file that is no list of readable examples."""
    name = paths.name(example.file)
    before, problems = example_files.read(text, example.file)
    body = text.removeprefix(_BYTE_ORDER_MARK)
    composed = yaml_source.compose(body, most_values=example_files.MOST_VALUES)
    root = composed.roots[0] if composed.roots else None
    if problems or (root is not None and root.style):
        why = f"line {problems[0].line}: {problems[0].message}" if problems else "it is not written as lines with `- `"
        raise TestError(f"nothing can be added to {name}: {why}")
    column = body[body.rfind("\n", 0, root.start) + 1 : root.start] if root is not None and root.items else ""
    end = "\r\n" if body.count("\r\n") * 2 > body.count("\n") else "\n"
    try:
        entry = f"{column}-{yaml_source.item(_values(example), column + yaml_source.STEP)}\n".replace("\n", end)
    except ValueError as error:
        raise TestError(f"this event cannot be written as YAML: {error}") from error
    whole = text + entry if not body or body.endswith(("\n", "\r")) else text + end + entry
    after, wrong = example_files.read(whole, example.file)
    if wrong or after[:-1] != before or _without_place(after[-1]) != _without_place(example):
        raise TestError(f"nothing can be added to {name} without changing other text")
    return whole


def _without_place(example: Example) -> Example:
    return example._replace(line=1)


def _values(example: Example) -> dict[str, Any]:
    """The example as its file says it, without defaults."""
    values = {
        "name": example.name,
        "event": example.event if example.canonical != Example._field_defaults["canonical"] else None,
        "host": example.host if example.host != hosts.DEFAULT else None,
        "tool": example.tool,
        "input": dict(example.input),
        "payload": dict(example.payload),
        "expect": dict(example.expect),
    }
    return {key: value for key, value in values.items() if value}


def _expected(got: Got) -> Expected:
    """Today's decision, who took it, and the first line of the reason unless that holds what was redacted."""
    expected = Expected(decision=got["decision"])
    if got["by"]:
        expected["by"] = got["by"][0]
        reason = (got["reason"] or "").strip().split("\n")[0][:_LONGEST_REASON].strip()
        if reason and MARK not in reason:
            expected["reason"] = reason
    if got["modified_input"] is not None:
        expected["modified_input"] = got["modified_input"]
    return expected


def _call(example: Example) -> str:
    """What was called, on one line: a command, a tool and its file, or the event."""
    subject = " ".join(event_subject.of_payload({"tool_input": dict(example.input)}).split()) if example.input else ""
    subject = subject.replace(f"{PROJECT}/", "")
    words = subject if "command" in example.input else f"{example.tool or example.event} {subject}".strip()
    return words if len(words) <= _LONGEST_NAME else f"{words[: _LONGEST_NAME - 1].rstrip()}…"


def _unique(name: str, taken: Collection[str]) -> str:
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name} ({number})", number + 1
    return unique


def _slug(label: str) -> str:
    """A file name for a hook's label: without its extension, as words of letters and digits."""
    return re.sub(r"[^\w-]+", "-", paths.stem(label)).strip("-").lower()


def _portable(value: Any, project: str) -> Any:
    """A value with `{project}` in place of the project's root in its texts."""
    if isinstance(value, str):
        return re.sub(rf"{re.escape(project)}(?![\w.-])", PROJECT, value) if project != os.sep else value
    if isinstance(value, dict):
        return {key: _portable(inner, project) for key, inner in value.items()}
    return [_portable(inner, project) for inner in value] if isinstance(value, list) else value
