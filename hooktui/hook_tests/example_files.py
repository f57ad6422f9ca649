"""Read the files of examples, `.agents/hook-tests/*.yaml`, with the position of each error."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from hooktui import hosts
from hooktui.config import suggest
from hooktui.core import events, paths
from hooktui.core import project as projects
from hooktui.core.model import DECISIONS
from hooktui.formats import files, yaml_source
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.hook_tests.example import DIRECTORY, Example, FileProblem, Suite
from hooktui.runner.matching import WITH_TOOL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.formats.node import Node
    from hooktui.hosts import Host

MOST_BYTES: Final = 32 * 1024 * 1024  # of one file
MOST_VALUES: Final = 1_000_000  # of one file; 10,000 examples have a tenth of that
_ENDINGS: Final = (".yaml", ".yml")
_STATES: Final = ("ok", "failed", "timeout", "invalid-output", "interrupted", "skipped", "started")
_SPELLINGS: Final = (*events.SPELLINGS, *events.WITHOUT_TWIN)


def load(directory: str) -> Suite:
    """Read the examples of the project of a directory. What cannot be read is in `problems`, by file and line."""
    directory = paths.canonical(directory)
    project = projects.root(directory)
    examples: list[Example] = []
    problems: list[FileProblem] = []
    place = os.path.join(project, DIRECTORY)
    try:
        listed = _files(place)
    except OSError as error:
        problems.append(FileProblem(place, 1, f"cannot be read: {error.strerror}"))
        listed = []
    for file in listed:
        reader = _FileReader(file)
        examples += reader.examples()
        problems += reader.problems
    problems += _repeated(examples, project)
    problems += _unread(place)
    return Suite(project=project, directory=directory, examples=tuple(examples), problems=tuple(problems))


def read(text: str, file: str, project: str = "") -> tuple[tuple[Example, ...], tuple[FileProblem, ...]]:
    """Read the text of one file of examples, without comparing names with other files."""
    reader = _FileReader(file, text)
    examples = tuple(reader.examples())
    return examples, (*reader.problems, *_repeated(examples, project))


def _files(directory: str) -> list[str]:
    """The files of examples in a directory, none if there is nothing of its name. Raises OSError."""
    names = os.listdir(directory) if os.path.lexists(directory) else ()
    return [os.path.join(directory, name) for name in sorted(names) if name.lower().endswith(_ENDINGS) and name[0] != "."]


def _unread(directory: str) -> Iterator[FileProblem]:
    """Files with examples in subdirectories, which are not run. Other YAML files there, such as fixtures, are ignored."""
    for folder, _, names in os.walk(directory):
        for name in sorted(names) if folder != directory else ():
            file = os.path.join(folder, name)
            if name.lower().endswith(_ENDINGS) and any(_FileReader(file).examples()):
                yield FileProblem(file, 1, f"is not read: move its examples to a file directly in {DIRECTORY}")


def _repeated(examples: list[Example] | tuple[Example, ...], project: str) -> Iterator[FileProblem]:
    first: dict[str, Example] = {}
    for example in examples:
        known = first.setdefault(example.name, example)
        if known is not example:
            place = f"{paths.near(known.file, project)}:{known.line}"
            yield FileProblem(example.file, example.line, f"name is already used at {place}: {example.name}")


class _FileReader:
    """The examples of one file; `problems` are the errors found so far."""

    def __init__(self, file: str, text: str | None = None) -> None:
        self.problems: list[FileProblem] = []
        self._file = file
        self._text = text
        self._notes = DiagnosticCollector(file, "")

    def examples(self) -> Iterator[Example]:
        root = self._root()
        if root is None or root.value is None:
            return
        if not isinstance(root.value, list):
            self._wrong(root, "a file of examples must be a list: `- name: …`")
            return
        for item in root.items:
            known = len(self.problems)
            example = self._example(item)
            if example and len(self.problems) == known:
                yield example

    def _root(self) -> Node | None:
        try:
            text = files.read_text(self._file, MOST_BYTES) if self._text is None else self._text
        except files.UnreadableFileError as error:
            self.problems.append(FileProblem(self._file, 1, str(error)))
            return None
        text = text.removeprefix("\ufeff")
        self._notes = DiagnosticCollector(self._file, text)
        composed = yaml_source.compose(text, most_values=MOST_VALUES)
        for fault in composed.faults:
            hint = f" ({fault.hint})" if fault.hint else ""
            self._at(fault.span[0], f"{fault.message}{hint}")
        if len(composed.roots) > 1:
            self._wrong(composed.roots[1], "a file of examples is one list, without `---`")
        return composed.roots[0] if composed.roots and not composed.faults else None

    def _example(self, item: Node) -> Example | None:
        if not isinstance(item.value, dict):
            self._wrong(item, f"an example must be a mapping, not {_kind(item.value)}")
            return None
        values = self._values(item, _KEYS, "an example")
        for key in ("name", "expect"):
            if item.entry(key) is None:
                self._wrong(item, f"{key} is missing")
        host = self._host(item)
        if "name" not in values or "expect" not in values or host is None:
            return None
        expect = item.members["expect"]
        expected = self._values(expect, _EXPECTED, "expect")
        if not expect.value:
            self._wrong(expect, "expect is empty: say a decision, a hook or an effect")
        example = Example(**{**values, "expect": expected, "file": self._file, "line": self._line(item)})
        return self._with_event(example, item, host)

    def _host(self, item: Node) -> Host | None:
        node = item.members.get("host")
        name = hosts.DEFAULT if node is None else node.value
        if name in hosts.names():
            return hosts.spec(name)
        if node is not None and isinstance(name, str):
            self._unknown(node, f"unknown host {name}", suggest.closest(name, hosts.names()), hosts.names())
        return None

    def _with_event(self, example: Example, item: Node, host: Host) -> Example | None:
        """The example with its event as its host spells it."""
        written, node = example.event, item.members.get("event", item)
        name = events.canonical(written) or written
        if name not in events.CANONICAL and name not in events.WITHOUT_TWIN and name not in host.events:
            self._unknown(node, f"unknown event {written}", suggest.event(written, (*_SPELLINGS, *host.events)))
            return None
        own = written if written in host.events else host.spelling(name)
        if own is None:
            self._wrong(node, f"{host.title} has no event {written}")
            return None
        if name not in WITH_TOOL and (pair := item.entry("tool") or item.entry("input")):
            self._wrong(pair[0], f"{written} has no tool: write its fields in payload")
        return example._replace(event=own, canonical=name)

    def _values(self, node: Node, known: Mapping[str, Callable[[object], str]], owner: str) -> dict[str, Any]:
        """The values of a mapping by key, without those that are reported."""
        values: dict[str, Any] = {}
        for key, value in node.entries:
            if key.value not in known:
                self._unknown(key, f"unknown key {key.value} in {owner}", suggest.closest(key.value, known), known)
            elif wrong := known[key.value](value.value):
                self._wrong(value, f"{key.value} {wrong}")
            else:
                values[key.value] = value.value
        return values

    def _unknown(self, node: Node, message: str, meant: str | None, known: object = ()) -> None:
        choices = f" (known: {', '.join(known)})" if isinstance(known, dict | tuple) and known else ""
        self._wrong(node, f"{message}; did you mean {meant}?" if meant else f"{message}{choices}")

    def _wrong(self, node: Node, message: str) -> None:
        self._at(node.start, message)

    def _at(self, offset: int, message: str) -> None:
        self.problems.append(FileProblem(self._file, self._notes.place(offset)[0], message))

    def _line(self, node: Node) -> int:
        return self._notes.place(node.start)[0]


def _kind(value: object) -> str:
    """What a value is, in YAML's words."""
    kinds = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", type(None): "empty"}
    return kinds.get(type(value), "a number")


def _text(value: object) -> str:
    if isinstance(value, str) and value.strip():
        return ""
    return "is empty" if value in ("", None) or isinstance(value, str) else f"must be text, not {_kind(value)}: quote it"


def _mapping(value: object) -> str:
    return "" if isinstance(value, dict) else f"must be a mapping, not {_kind(value)}"


def _mapping_or_null(value: object) -> str:
    return "" if value is None else _mapping(value)


def _flag(value: object) -> str:
    return "" if isinstance(value, bool) else f"must be true or false, not {_kind(value)}"


def _one_of(*choices: str) -> Callable[[object], str]:
    def wrong(value: object) -> str:
        if value in choices and isinstance(value, str):
            return ""
        meant = suggest.closest(value, choices) if isinstance(value, str) else None
        shown = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else _kind(value)
        return f"cannot be {shown}: {f'did you mean {meant}?' if meant else 'use ' + ', '.join(choices)}"

    return wrong


_KEYS: Mapping[str, Callable[[object], str]] = {
    "name": _text,
    "event": _text,
    "host": _text,
    "tool": _text,
    "input": _mapping,
    "payload": _mapping,
    "in_place": _flag,
    "expect": _mapping,
}
_EXPECTED: Mapping[str, Callable[[object], str]] = {
    "decision": _one_of(*DECISIONS),
    "by": _text,
    "reason": _text,
    "modified_input": _mapping_or_null,
    "additional_context": _text,
    "state": _one_of(*_STATES),
}
