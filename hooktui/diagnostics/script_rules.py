"""Rules about the scripts and commands that hooks run. A rule stays silent rather than report something wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.events import GATE
from hooktui.core.model import HookDirectory
from hooktui.diagnostics import script_text
from hooktui.diagnostics.name_rules import missing_program, undefined_variable
from hooktui.diagnostics.rule_context import at_field, at_span
from hooktui.formats.file_notes import Notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.diagnostics.script_text import ScriptText
    from hooktui.formats.node import Span

_LINES_ABOVE = 3  # lines above an `exit 1` that may contain its message

_EXIT = r"\bexit +{0}\b|\b(?:\w+\.)*_?exit\({0}\)|SystemExit\({0}\)"
EXIT_1 = re.compile(_EXIT.format(1))
_EXIT_2 = re.compile(_EXIT.format(2) + r'|"decision"|\\"decision\\"')
BLOCK_WORDS = re.compile(
    r"\b(?:block(?:ed|ing)?|den(?:y|ied)|reject(?:ed)?|forbidden|refus(?:e|ed)|not allowed|not permitted|dangerous)\b",
    re.IGNORECASE,
)
# Words near an exit code that say why the action must not continue.
_GATE_WORDS = re.compile(
    rf"{BLOCK_WORDS.pattern}|\b(?:fail(?:ed|s|ures?)?(?! to\b)|detected|violat(?:es|ed|ions?)|prohibited|unsafe)\b",
    re.IGNORECASE,
)
# Events whose action some hosts block only by a JSON answer.
_ANSWERED = ("pre-agent-turn", "post-tool-call", GATE, "post-subagent")

# Another host's field -> its AgentHooks name on stdin (formats.md §1, §2).
_FIELDS: Mapping[str, str] = {
    "sessionId": "session_id",
    "hookEventName": "event_type",
    "hook_event_name": "event_type",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolInput": "tool_input",
    "tool_response": "tool_output",
    "tool_result": "tool_output",
}
# `.name` at the top of a jq program, or a key of the parsed stdin.
_FIELD_USE = r"\bjq\b[^\n|]*?(?<![\w\])\"?])\.{0}\b|(?:\bget\(\s*|\[)[\"']{0}[\"']"


def scripts(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Apply the rules to the script of each HOOK.md."""
    for hook in catalog.hooks:
        script = script_text.read(hook, catalog.relevant.readers(hook))
        if script is not None:
            for rule in _RULES:
                yield from rule(script)


def weak_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """`exit 1` in place of a block: only exit 2 blocks, and on some events of some hosts only an answer."""
    hook = script.hook
    if hook.is_async or hook.event in OVER or _EXIT_2.search(script.text):
        return
    spec = hosts.spec(hook.format)
    if spec.denies_by_exit_2(hook.event):
        message, hint = "exit 1 is a failure and allows the action; only exit 2 blocks", "exit 2 with the reason on stderr"
    elif hook.event in _ANSWERED:
        message = f"on {hook.event_as_written}, {spec.title} continues whatever the exit code"
        hint = 'print {"decision": "block", "reason": "…"} and exit 0'
    else:
        return
    for match in _blocking_exits(script, promises_to_block(hook)):
        meant = match.group().replace("1", "2") if spec.denies_by_exit_2(hook.event) else ""
        yield script.warn("weak-exit", message, match.span(), hint, meant)
        return


def _blocking_exits(script: ScriptText, promised: bool) -> Iterator[re.Match[str]]:
    """The `exit 1` in a text of a hook that promises to block, or near words of blocking."""
    for match in EXIT_1.finditer(script.text):
        above = "\n".join(script.text[: match.start()].split("\n")[-1 - _LINES_ABOVE :])
        if promised or _GATE_WORDS.search(above):
            yield match


def _undefined_field(script: ScriptText) -> Iterator[Diagnostic]:
    """A field that only another host's events have: it is null."""
    for name, ours in _FIELDS.items():
        # A script that also uses our name is written for several hosts.
        if re.search(rf"\b{ours}\b", script.text):
            continue
        use = re.search(_FIELD_USE.format(name), script.text)
        match = re.compile(rf"\b{name}\b").search(script.text, use.start()) if use else None
        if match:
            meant = ours if script.text.count(name) == 1 else ""
            yield script.warn("undefined-field", f"AgentHooks events have no field {name}", match.span(), f"use {ours}", meant)


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match.group()), text)


_RULES: tuple[Callable[[ScriptText], Iterator[Diagnostic]], ...] = (
    weak_exit,
    undefined_variable,
    _undefined_field,
    missing_program,
)


# Events after which nothing can be blocked and no agent reads a reason.
OVER = frozenset({"post-session", "post-agent-turn", "post-agent-turn-stop", "post-context-compact"})

# A verb of blocking with the hook as its subject: at the start of a sentence or after a word for the hook. "Formats code
# blocks" does not count, nor does a negation ("never blocks").
_PROMISE = re.compile(
    r"(?:(?:\A|[.!?:;\n]|[-*#>])\s*|\b(?:hook|guard|gate|script|it|this|that|which|will|must|to|and|or|also|then)\s+)"
    r"(?:blocks?|den(?:y|ies)|rejects?|forbids?|refuses?|prevents?|vetoes)\b(?!\s*(?:list|quote|comment|of\b|level))",
    re.IGNORECASE,
)
_FENCED = re.compile(r"^(```+|~~~+).*?^\1", re.MULTILINE | re.DOTALL)
_FRONT = re.compile(r"\s*---[ \t]*\r?\n.*?^---[ \t]*\r?$", re.MULTILINE | re.DOTALL)


def contradicts(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A hook promises to block but cannot."""
    for hook in catalog.hooks:
        why = _cannot_block(hook)
        if why and isinstance(hook.source, HookDirectory):
            yield from _contradiction(hook, why)


def promises_to_block(hook: Hook) -> bool:
    """Whether the name or description says that the hook blocks."""
    return bool(_PROMISE.search(hook.description) or _PROMISE.match(hook.name.replace("-", " ")))


def _contradiction(hook: Hook, why: str) -> Iterator[Diagnostic]:
    hint = "make it block, or describe what it does"
    if _PROMISE.search(hook.description):
        message = f"the description promises to block, but {why}"
        yield at_field(hook, "description", "warning", "prose-contradicts", message, hint)
        return
    span = _promise_in_body(hook.text)
    if span:
        notes = Notes(hook.file, hook.text)
        yield at_span(hook, notes, span, "warning", "prose-contradicts", f"the text promises to block, but {why}", hint)


def _cannot_block(hook: Hook) -> str:
    if hook.is_async:
        return "an async hook cannot block"
    return f"{hook.event} comes too late to block anything" if hook.event in OVER else ""


def _promise_in_body(text: str) -> Span | None:
    front = _FRONT.match(text)
    # Blanked, not removed: offsets must match the file.
    promise = _PROMISE.search(_blanked(_FENCED, text), front.end() if front else 0)
    if promise is None:
        return None
    words = re.search(r"\w.*", promise.group(), re.DOTALL)
    return (promise.start() + (words.start() if words else 0), promise.end())
