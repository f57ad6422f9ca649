"""What there is to doubt about a matcher: that it is slow, finds nothing, or leaves nothing out; and what that is told from."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.catalog import matching
from hooktui.core.model import JsonEntry
from hooktui.diagnostics.slow_regex import is_slow
from hooktui.formats.file_notes import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Event, Hook, HookSource
    from hooktui.simulate.matcher_tester import MatcherReport, MatchResult

FEW = 20  # so few events prove nothing about a matcher

_SLOW_CHECK_S = 0.1  # CPU seconds to find out whether a pattern can take for ever
_SHOWN = 40  # characters of a regex
_BY_MATCHER = (None, "tool-mismatch", "pattern-mismatch")
# Names and inputs that have nothing in common: what matches all of them leaves nothing out, whatever is logged.
_NAMES = ("x", "Zz9", "mcp__a__b", "no.such-tool")
_INPUTS = ("x", "7", "Ω", "/", "-", '"', "two words")


class Doubt(NamedTuple):
    """A sentence, and whether it is `sure`: what was seen may be too little to tell."""

    text: str
    sure: bool = True


class _Part(NamedTuple):
    """A hook with one regex of a matcher and no other, and what that is compared with."""

    hook: Hook
    regex: str
    about: str


def doubts(hook: Hook, found: MatcherReport, then: Hook | None = None) -> Iterator[Doubt]:
    """What is doubtful about a hook's matcher, and another one for what it lets through, as they were found to be."""
    faulty = next((one for one in found.results if one.verdict.skip not in _BY_MATCHER), None)
    if faulty:
        yield Doubt(f"{faulty.verdict.why}{_where_slow(faulty, found.untested)}")
        return
    parts = [part for one in (hook, then) if one for part in _parts(one)]
    deadline = time.thread_time() + _SLOW_CHECK_S
    yield from (Doubt(f"{_shown(part.regex)} takes for ever on some texts") for part in parts if is_slow(part.regex, deadline))
    event = found.results[0].case.event if found.results else None
    boundless = [part for part in parts if event and _leaves_nothing_out(part, event)]
    yield from (Doubt(f"{_shown(part.regex)} matches every {part.about}") for part in boundless)
    if parts or (isinstance(hook.source, JsonEntry) and hook.source.condition):
        yield from _seen(found, bounded=not boundless)


def _where_slow(given_up: MatchResult, untested: int) -> str:
    """What a matcher takes too long for, and that the others were left out."""
    if not given_up.too_slow:
        return ""
    others = f"; {_counted(untested, 'more event')} not tested" if untested else ""
    return f" on {shortened(given_up.case.about, _SHOWN)}{others}"


def _parts(hook: Hook) -> Iterator[_Part]:
    of_tool = hook.event in matching.WITH_TOOL
    matcher = hosts.spec(hook.format).matcher
    compared = hook.event in matching.SUBJECTS and isinstance(hook.source, JsonEntry)
    if hook.tool is not None and hook.tool not in matcher.everything and matcher.is_read and (of_tool or compared):
        about = "tool" if of_tool else matching.SUBJECTS[hook.event][0]
        yield _Part(hook.replace(pattern=None, source=_unconditional(hook.source)), hook.tool, about)
    if hook.pattern is not None and of_tool:
        yield _Part(hook.replace(tool=None), hook.pattern, "input")


def _unconditional(source: HookSource) -> HookSource:
    return source.replace(condition=None) if isinstance(source, JsonEntry) else source


def _leaves_nothing_out(part: _Part, event: Event) -> bool:
    texts = _INPUTS if part.about == "input" else _NAMES
    return all(matching.match(part.hook, _about(event, part.about, text)).skip is None for text in texts)


def _about(event: Event, about: str, text: str) -> Event:
    """An event like this one, with another tool, input or whatever a matcher is compared with."""
    if about == "input":
        return event.replace(tool_input={"text": text})
    return event.replace(tool_name=text) if about == "tool" else event.replace(payload={**event.payload, about: text})


def _seen(found: MatcherReport, *, bounded: bool) -> Iterator[Doubt]:
    """A matcher that never or always matched is seldom meant; always it did only if it listens to every known tool."""
    number, matched = len(found.logged), sum(one.matched for one in found.logged)
    tools = {one.case.event.tool_name for one in found.logged} - {None}
    of_tools = f" of {_counted(len(tools), 'tool')}" if tools else ""
    basis = f"of {_counted(number, 'event')}{of_tools} seen"
    few = "" if number >= FEW else ": too few to tell"
    if number and not matched:
        yield Doubt(f"matches none {basis}{few}", sure=not few)
    elif number and matched == number and bounded and all((found.tools or {}).values()):
        yield Doubt(f"matches every one {basis}{few}", sure=not few)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _shown(regex: str) -> str:
    return shortened(regex, _SHOWN) or "an empty regex"
