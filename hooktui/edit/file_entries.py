"""Move or remove an entry in the text of a hook file, leaving its own bytes as they are."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import formats, hosts
from hooktui.connect import json_text
from hooktui.core import paths
from hooktui.core.model import AzureEntry
from hooktui.edit import file_steps
from hooktui.edit.file_steps import CannotChange, FileTree, Write, write
from hooktui.formats import toml_edit, yaml_source
from hooktui.formats.azure import azure_edit, azure_files
from hooktui.formats.json_hooks import file_syntax, json_edit
from hooktui.formats.json_hooks.entry_fields import OFF, OFF_LIST, in_group
from hooktui.formats.node import find_unique

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooktui.core.model import EntryPath, Hook
    from hooktui.formats.node import Node, Span

_MARK = "\0here\0"  # placeholder for the entry's own text
_BOM = "\ufeff"
_SEPARATOR = re.compile(r"^---(?=[ \t\r\n]|\Z)[^\r\n]*(?:\r\n?|\n|\Z)", re.MULTILINE)
_AGENT_PATH = 5  # steps to a hook of an agent: document, spec, hooks, event, index


def set_aside(text: str, file: str, path: EntryPath, *, flat_only: bool) -> str:
    """Return a file's text with an entry moved to `off`: in its group, beside `hooks`, or in a new group.

    `flat_only`: the host has no groups; then `off` is next to its `hooks`. Raises ValueError.
    """
    if _is_toml(file):
        return toml_edit.rename_list(text, path, OFF if in_group(path) else OFF_LIST)
    raw = _raw(text, file, path)
    if flat_only:
        return _put(remove_json_entry(text, file, path), (OFF, path[-2]), _MARK, raw)
    if not in_group(path):
        return _with_raw(json_edit.edit_entry(text, path, {"hooks": [], OFF: [_MARK]}), raw)
    without = json_edit.remove_entry(text, path)
    return _with_raw(json_edit.edit_entry(without, (*path[:-2], OFF, "-"), _MARK), raw)


def put_back(text: str, file: str, path: EntryPath, *, nested: bool) -> str:
    """Return a file's text with an entry moved from `off` to `hooks`. `nested`: the host reads groups only.

    Raises ValueError.
    """
    if _is_toml(file):
        return toml_edit.rename_list(text, path, "hooks")
    raw, group = _raw(text, file, path), path[:-2]
    if group == (OFF,):
        without = remove_json_entry(text, file, path)
        without = without if _node(without, file, group).entries else json_edit.remove_entry(without, group)
        return _put(without, ("hooks", path[-2]), _MARK, raw)
    if not nested and _node(text, file, group).value == {"hooks": [], OFF: [_node(text, file, path).value]}:
        return _with_raw(json_edit.edit_entry(text, group, _MARK), raw)
    without = json_edit.remove_entry(text, path)
    if not _node(without, file, (*group, OFF)).items:
        without = json_edit.remove_entry(without, (*group, OFF))
    return _with_raw(json_edit.edit_entry(without, (*group, "hooks", "-"), _MARK), raw)


def move_json_entry(text: str, file: str, path: EntryPath, event: str, *, keep_matcher: bool) -> str:
    """Return a file's text with an entry at the end of another event's list, with its group if it is the only entry there.

    Raises ValueError.
    """
    group = path[:-2] if in_group(path) else path
    members = sum(len(value.items) for key, value in _node(text, file, group).entries if key.value in ("hooks", OFF))
    alone = not in_group(path) or members == 1
    matcher = _node(text, file, group).value.get("matcher")
    kept = {} if matcher is None or not keep_matcher else {"matcher": matcher}
    if alone and not keep_matcher and matcher is not None:
        text = file_syntax.of(file).remove_entry(text, (*group, "matcher"))
    events = _events_of(path)
    if _is_toml(file):
        return toml_edit.move_entry(text, group if alone else path, (*events, event), None if alone else kept)
    if alone:
        return _put(remove_json_entry(text, file, group), (*events, event), _MARK, _raw(text, file, group))
    own = {"hooks": [], OFF: [_MARK]} if path[-2] == OFF else {"hooks": [_MARK]}
    return _put(remove_json_entry(text, file, path), (*events, event), {**kept, **own}, _raw(text, file, path))


def rename_event(text: str, file: str, path: EntryPath, key: str, event: str, *, keep_matcher: bool) -> str:
    """Return a file's text in which an entry that names its event in `key` names another one. Raises ValueError."""
    syntax = file_syntax.of(file)
    if not keep_matcher and _node(text, file, path).entry("matcher"):
        text = syntax.remove_entry(text, (*path, "matcher"))
    return syntax.edit_entry(text, (*path, key), event)


def _events_of(path: EntryPath) -> EntryPath:
    """The path to the events of an entry's file, for the path of the entry."""
    return path[:-4] if in_group(path) else path[:-2]


def _put(text: str, event: EntryPath, value: object, raw: str) -> str:
    """Append a value to an event's list, with the entry's own text in place of the mark."""
    return _with_raw(json_edit.edit_entry(text, (*event, "-"), value), raw)


def remove_json_entry(text: str, file: str, path: EntryPath) -> str:
    """Return a file's text without an entry, nor the group, list and event it leaves empty. Raises ValueError."""
    syntax = file_syntax.of(file)
    comments = () if _is_toml(file) else syntax.read(json_text.body(text)).extras  # those above a header go with it
    event = len(_events_of(path)) + 1
    while len(path) > event and _is_all(_node(text, file, path[:-1]), path[-1], comments):
        path = path[:-1]
    return syntax.remove_entry(text, path)


def _is_all(parent: Node, step: str | int, comments: Sequence[Span]) -> bool:
    """Whether a list or group holds no other value and no comment."""
    if isinstance(parent.value, list):
        alone = len(parent.items) == 1
    else:
        alone = not [key for key, value in parent.entries if key.value not in (step, "matcher") and value.value]
    return alone and not any(parent.start <= start < parent.end for start, _ in comments)


def _is_toml(file: str) -> bool:
    return file_syntax.of(file) is file_syntax.TOML


def _node(text: str, file: str, path: EntryPath) -> Node:
    node = find_unique(json_text.root(text, file), path)
    if node is None:
        raise ValueError(f"there is nothing at /{'/'.join(map(str, path))}")
    return node


def _raw(text: str, file: str, path: EntryPath) -> str:
    node = _node(text, file, path)
    return json_text.body(text)[node.start : node.end]


def _with_raw(text: str, raw: str) -> str:
    literal = json.dumps(_MARK)
    if text.count(literal) != 1:
        raise ValueError("this entry cannot be moved automatically")
    return text.replace(literal, raw)


def remove_entry(hook: Hook) -> Write:
    """Plan the step that removes a hook's entry from its file. Raises CannotChange."""
    located = locate(hook)
    try:
        if isinstance(hook.source, AzureEntry):
            return write(hook.file, _remove_azure_entry(located.text, located.path))
        return write(hook.file, remove_json_entry(located.text, hook.file, located.path))
    except ValueError as error:
        raise CannotChange(f"{paths.short(hook.file)}: {error}.") from error


def _remove_azure_entry(text: str, path: EntryPath) -> str | None:
    """Return the text without a hook, for a global hook without its document; None if nothing is left.

    Raises ValueError if the edit would change anything else.
    """
    if len(path) < _AGENT_PATH:
        return _without_document(text, int(path[0]))
    alone = len(azure_edit.node(text, path[:-1]).items) == 1
    return azure_edit.remove_entry(text, path[:-1] if alone else path)


def add_azure_document(text: str | None, document: Mapping[str, object]) -> str:
    """Return the text with a document appended, in the text's own line endings."""
    new = next(yaml_source.candidates(dict(document), ""))[1:] + "\n"
    if text is None or not text.removeprefix(_BOM).strip():
        return (text or "")[:1].strip() + new
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if text.endswith(("\n", "\r")) else "\n"
    return text + f"{gap}---\n{new}".replace("\n", end)


def _without_document(text: str, number: int) -> str | None:
    body = text.removeprefix(_BOM)
    roots = yaml_source.compose(body).roots
    if len(roots) == 1:
        return None
    begins = [separator.start() for separator in _SEPARATOR.finditer(body, 0, roots[number].start)]
    ends = list(_SEPARATOR.finditer(body, roots[number].end))
    start = begins[-1] if begins else 0
    without = body[:start] + (body[ends[0].start() :] if ends else "")
    left = [root.value for root in yaml_source.compose(without).roots]
    if left != [root.value for at, root in enumerate(roots) if at != number]:
        raise ValueError("this cannot be removed without changing other text: edit the source")
    return text[: len(text) - len(body)] + without


HOSTS = {spec.name: spec.title for spec in hosts.specs()}


@dataclass(frozen=True, slots=True)
class LocatedEntry:
    """The present text of a hook's file, and the hook as read from it."""

    text: str
    hook: Hook

    @property
    def path(self) -> EntryPath:
        """The path from the file's root (in YAML from its list of documents) to the entry."""
        return self.hook.entry_path


def locate(hook: Hook) -> LocatedEntry:
    """Find an entry in its file. Raises CannotChange if it is no longer there as it was read."""
    now = file_steps.text(hook.file)
    same = [] if now is None else [other for other in read(now, hook) if identity(other) == identity(hook)]
    if now is None or not same:
        raise CannotChange(f"{paths.short(hook.file)} was changed by another program: {hook.label} is no longer as it was.")
    return LocatedEntry(now, next((other for other in same if other.id == hook.id), same[0]))


def read(text: str, like: Hook) -> Sequence[Hook]:
    """Parse a text as the file of a hook."""
    return [hook.replace(root=like.root) for hook in parse(text, like, like.root)]  # the text does not contain the project


def parse(text: str, like: Hook, project: str) -> Sequence[Hook]:
    """Parse a text as the file of a hook in a project, as the catalog would."""
    if isinstance(like.source, AzureEntry):
        return azure_files.parse(text, like.file, like.scope, project).hooks
    return formats.load(like.format).parse(text, like.file, like.scope).hooks


def read_back(step: Write | FileTree, like: Hook, agent: str = "") -> Hook:
    """Return the hook that a planned step adds, as its format reads it; `like` has its file and event.

    Raises CannotChange if there is none.
    """
    if isinstance(step, Write):
        content = step.after or b""
    else:
        content = next(file.content for file in step.files if file.name == os.path.basename(like.file))
    hooks = read(content.decode().removeprefix(_BOM), like)
    added = [hook for hook in hooks if hook.event == like.event and (hook.agent or "") == agent]
    if not added:
        raise CannotChange(f"{paths.short(like.file)} would not contain the hook: its host reads the file differently.")
    return added[-1]


def identity(hook: Hook) -> tuple[object, ...]:
    """Return what identifies an entry in another version of its file, where its number may differ."""
    return (hook.event_as_written, hook.tool, hook.text)


def require_editable(hook: Hook) -> None:
    """Raise CannotChange for an entry that hooktui does not edit, such as one of `hooktui connect`."""
    if hook.read_only:
        raise CannotChange(f"{hook.label} cannot be changed or copied here: {hook.read_only}.")
    if hook.calls_hooktui:
        raise CannotChange(f"`hooktui connect` added this entry: `hooktui disconnect {hook.format}` removes it.")
