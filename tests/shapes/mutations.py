"""Mistakes made at random in a Claude settings file, and an independent reading of what Claude runs from one."""

from __future__ import annotations

import json
import re
from collections import Counter
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui import hosts
from hooktui.formats import host_tools

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    Settings = dict[str, Any]

MISSPELLED_MATCHERS = ("match", "mathcer", "Matcher")
_CLAUDE = hosts.spec("claude")
_ROOT = re.compile(r'"?\$\{?CLAUDE_PROJECT_DIR\}?"?/|/Users/dana/shop/')


class Handler(NamedTuple):
    """A command that Claude runs on an event, without quotes and directories."""

    event: str
    matcher: str
    what: str


def handlers(text: str) -> Counter[Handler]:
    """The commands that Claude runs from a settings file: none if one entry violates the schema."""
    try:
        hooks = json.loads(text).get("hooks", {})
        return Counter(
            _handler(event, group, entry)
            for event, groups in hooks.items()
            if event in _CLAUDE.events
            for group in groups
            for entry in group["hooks"]
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return Counter()


def _handler(event: str, group: Settings, entry: Settings) -> Handler:
    if entry["type"] not in _CLAUDE.entry.types or not isinstance(group.get("matcher", ""), str):
        raise ValueError
    if not isinstance(entry.get("timeout", 1), int | float) or not isinstance(entry.get("command", ""), str):
        raise TypeError
    matcher = group.get("matcher", "")
    read = {key: entry[key] for key in sorted(entry) if key in _CLAUDE.entry.keys}
    read["command"] = _ROOT.sub("", entry.get("command", "")).replace('"', "").replace("./", "")
    return Handler(event, "" if matcher == "*" else matcher, json.dumps(read))


def reach(text: str) -> dict[str, set[tuple[str, str]]]:
    """The events and tools for which Claude runs each command of a settings file."""
    reached: dict[str, set[tuple[str, str]]] = {}
    for handler, tool in ((handler, tool) for handler in handlers(text) for tool in host_tools.own(_CLAUDE)):
        if _is_matched(handler.matcher, tool):
            reached.setdefault(handler.what, set()).add((handler.event, tool))
    return reached


def _is_matched(matcher: str, tool: str) -> bool:
    if re.fullmatch(r"[\w\-, |]*", matcher):
        return not matcher or tool in re.split(r"\s*[|,]\s*", matcher)
    return re.search(matcher, tool) is not None


def mutated(text: str, random: Random) -> str:
    """The settings with one to three mistakes."""
    settings = json.loads(text)
    for mutate in random.sample(_MUTATIONS, random.randint(1, 3)):
        changed = deepcopy(settings)
        try:
            mutate(changed, random)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError):
            continue  # an earlier mistake removed it
        settings = changed
    written = json.dumps(settings, indent=2, ensure_ascii=False)
    return random.choice((_as_it_is, _as_it_is, _with_comma, _without_comma, _with_comment))(written, random)


def _events(settings: Settings) -> Settings:
    events: Settings = settings.get("hooks", settings)
    return events


def _list(settings: Settings, random: Random) -> list[Any]:
    return random.choice([value for value in _events(settings).values() if isinstance(value, list)])


def _group(settings: Settings, random: Random) -> Settings:
    return random.choice([group for group in _list(settings, random) if "hooks" in group])


def _entry(settings: Settings, random: Random) -> Settings:
    return random.choice(_group(settings, random)["hooks"])


def _drop_type(settings: Settings, random: Random) -> None:
    del _entry(settings, random)["type"]


def _flatten(settings: Settings, random: Random) -> None:
    groups = _list(settings, random)
    at = random.randrange(len(groups))
    group = groups[at]
    siblings = {key: value for key, value in group.items() if key != "hooks"}
    groups[at : at + 1] = [{**siblings, **entry} for entry in group["hooks"]]


def _timeout_as_text(settings: Settings, random: Random) -> None:
    entry = _entry(settings, random)
    entry["timeout"] = str(entry["timeout"])


def _matcher_as_list(settings: Settings, random: Random) -> None:
    group = _group(settings, random)
    group["matcher"] = group["matcher"].split("|")


def _misspelled_event(settings: Settings, random: Random) -> None:
    events = _events(settings)
    name = random.choice([name for name in events if name in _CLAUDE.events])
    events[random.choice((name.swapcase(), name[:1].lower() + name[1:], f"{name}s"))] = events.pop(name)


def _misspelled_matcher(settings: Settings, random: Random) -> None:
    group = _group(settings, random)
    group[random.choice(MISSPELLED_MATCHERS)] = group.pop("matcher")


def _note(settings: Settings, random: Random) -> None:
    key = random.choice(("_comment", "//", "$schema", "_matcher", "_command", "_PreToolUse"))
    value = random.choice(("Do not touch", "echo never", ["rm -rf /"], {"type": "command", "command": "rm -rf /"}, 1, None))
    random.choice((_events(settings), _group(settings, random), _entry(settings, random)))[key] = value


def _text_as_entry(settings: Settings, random: Random) -> None:
    _list(settings, random).append(random.choice(("add your guards here", "echo never")))


def _unquoted(settings: Settings, random: Random) -> None:
    entry = _entry(settings, random)
    entry["command"] = entry["command"].replace('"$CLAUDE_PROJECT_DIR"', "$CLAUDE_PROJECT_DIR")


def _relative(settings: Settings, random: Random) -> None:
    entry = _entry(settings, random)
    entry["command"] = entry["command"].replace('"$CLAUDE_PROJECT_DIR"/', random.choice(("", "./")))


def _of_another_machine(settings: Settings, random: Random) -> None:
    entry = _entry(settings, random)
    entry["command"] = entry["command"].replace('"$CLAUDE_PROJECT_DIR"/', "/Users/dana/shop/")


def _without_wrapper(settings: Settings, _random: Random) -> None:
    settings.update(settings.pop("hooks"))


def _group_for_list(settings: Settings, random: Random) -> None:
    events = _events(settings)
    name = random.choice([name for name, groups in events.items() if len(groups) == 1])
    events[name] = events[name][0]


def _entry_for_list(settings: Settings, random: Random) -> None:
    group = _group(settings, random)
    (group["hooks"],) = group["hooks"]


def _unread_key(settings: Settings, random: Random) -> None:
    _entry(settings, random)[random.choice(("enabled", "blocking", "filePattern", "onError", "foo"))] = random.choice(
        (False, "x")
    )


def _as_it_is(text: str, _random: Random) -> str:
    return text


def _with_comma(text: str, random: Random) -> str:
    at = random.choice([match.start() for match in re.finditer(r"\n\s*[}\]]", text)])
    return f"{text[:at]},{text[at:]}"


def _without_comma(text: str, random: Random) -> str:
    places = [match.start() for match in re.finditer(r",$", text, re.MULTILINE)]
    at = random.choice(places) if places else len(text)
    return f"{text[:at]}{text[at + 1 :]}"


def _with_comment(text: str, random: Random) -> str:
    lines = text.split("\n")
    lines.insert(random.randrange(1, len(lines)), "// echo never")
    return "\n".join(lines)


_MUTATIONS: tuple[Callable[[Settings, Random], None], ...] = (
    *(_drop_type, _flatten, _timeout_as_text, _matcher_as_list, _misspelled_event, _misspelled_matcher, _note),
    *(_text_as_entry, _unquoted, _relative, _of_another_machine, _without_wrapper, _group_for_list, _entry_for_list),
    _unread_key,
)
