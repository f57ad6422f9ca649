"""Rules about the scripts and commands that hooks run. A rule stays silent rather than report something wrong."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.model import HookDirectory
from hooktui.diagnostics.rule_context import at_field, at_span
from hooktui.formats import files
from hooktui.formats.file_notes import Notes
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import HostPlaces, Snapshot
    from hooktui.formats.node import Span

_LIMIT = 64 * files.KIB
_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_LINES_ABOVE = 3  # lines above an `exit 1` that may contain its message

_EXIT = r"\bexit +{0}\b|(?:sys\.|os\._)exit\({0}\)|SystemExit\({0}\)"
EXIT_1 = re.compile(_EXIT.format(1))
_EXIT_2 = re.compile(_EXIT.format(2) + r'|"decision"|\\"decision\\"')
BLOCK_WORDS = re.compile(
    r"\b(?:block(?:ed|ing)?|den(?:y|ied)|reject(?:ed)?|forbidden|refus(?:e|ed)|not allowed|not permitted|dangerous)\b",
    re.IGNORECASE,
)

_VARIABLE_USE = r"\$(?:{0}\b|\{{{0}\}})|environ(?:\.get\(|\[)[\"']{0}[\"'][\])]"
_VARIABLE_SET = r"^\s*(?:export\s+|local\s+)?{0}=|\$\{{{0}:?[-=]"

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


@dataclass(frozen=True, slots=True)
class ScriptText:
    """The text of a hook's script. Comments are blanked, so that offsets match the file."""

    hook: Hook
    notes: Notes
    text: str

    def warn(self, code: str, message: str, match: re.Match[str], hint: str, meant: str = "") -> Diagnostic:
        """A warning at a match. The fix replaces it with `meant`."""
        fix = self.notes.replacement(f"write {meant}", match.span(), meant) if meant else None
        return at_span(self.hook, self.notes, match.span(), "warning", code, message, hint, fix)


def scripts(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Apply the rules to the script of each HOOK.md."""
    for hook in catalog.hooks:
        script = read(hook)
        if script is not None:
            for rule in _RULES:
                yield from rule(script)


def weak_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """`exit 1` in place of a block: only exit 2 blocks."""
    if script.hook.is_async or script.hook.event in OVER or _EXIT_2.search(script.text):
        return
    promised = promises_to_block(script.hook)
    for match in EXIT_1.finditer(script.text):
        above = "\n".join(script.text[: match.start()].split("\n")[-1 - _LINES_ABOVE :])
        if promised or BLOCK_WORDS.search(above):
            message = "exit 1 is a failure and allows the action; only exit 2 blocks"
            meant = match.group().replace("1", "2")
            yield script.warn("weak-exit", message, match, "exit 2 with the reason on stderr", meant)
            return


def undefined_variable(script: ScriptText) -> Iterator[Diagnostic]:
    """A variable that this hook's host does not set."""
    given = {*hosts.spec(script.hook.format).speech.variables, *script.hook.env}
    for name, hint in ((name, hint) for spec in hosts.specs() for name, hint in spec.speech.published_variables.items()):
        if name in given or re.search(_VARIABLE_SET.format(name), script.text, re.MULTILINE):
            continue
        use = re.search(_VARIABLE_USE.format(name), script.text)
        if use:
            message = f"no host sets {name} for this hook: it is empty"
            yield script.warn("undefined-variable", message, use, hint)


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
            yield script.warn("undefined-field", f"AgentHooks events have no field {name}", match, f"use {ours}", meant)


_RULES: tuple[Callable[[ScriptText], Iterator[Diagnostic]], ...] = (weak_exit, undefined_variable, _undefined_field)


def read(hook: Hook) -> ScriptText | None:
    """The script of a HOOK.md hook; None if it cannot be read as text."""
    if not isinstance(hook.source, HookDirectory) or hook.command is None:
        return None
    return _read_file(hook, hook.command)


def without_comments(text: str) -> str:
    """Blank comment lines; the length stays the same."""
    return _blanked(_COMMENT, text)


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match.group()), text)


@dataclass(frozen=True, slots=True)
class InlineText(ScriptText):
    """A command or script in the hook file itself."""

    places: HostPlaces

    def warn(self, code: str, message: str, match: re.Match[str], hint: str, meant: str = "") -> Diagnostic:
        """A warning at a match. The fix replaces it with `meant`."""
        node, inside = self.places.command(self.hook, self.hook.command or "", match.span())
        diagnostic = self.places.at(self.hook, node, "warning", code, message, hint=hint, inside=inside)
        fix = self.places.correction(self.hook, node, inside, match.group(), meant) if meant else None
        return diagnostic.replace(fix=fix)


def texts(hook: Hook, places: HostPlaces) -> Iterator[ScriptText]:
    """The texts of a hook, its own first."""
    own = hook.command
    if own and len(own) <= _LIMIT:
        yield InlineText(hook, Notes(hook.file, own), without_comments(own), places)
    for path in dict.fromkeys(script.path for script in json_command.scripts(hook)):
        if os.path.isfile(path):
            script = _read_file(hook, path)
            if script and "\0" not in script.text:
                yield script


def _read_file(hook: Hook, path: str) -> ScriptText | None:
    try:
        text = files.read_text(path, _LIMIT)
    except files.Unreadable:
        return None
    return ScriptText(hook, Notes(path, text), without_comments(text))


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
