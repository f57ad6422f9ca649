"""Rules about the scripts of HOOK.md hooks. A rule stays silent rather than report something wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.diagnostics import script_text
from hooktui.diagnostics.exit_rules import weak_exit
from hooktui.diagnostics.name_rules import missing_program, undefined_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.diagnostics.script_text import ScriptText

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


def _undefined_field(script: ScriptText) -> Iterator[Diagnostic]:
    """A field that only another host's events have: it is null."""
    for name, ours in ((name, ours) for name, ours in _FIELDS.items() if name in script.text):
        # A script that also uses our name is written for several hosts.
        if re.search(rf"\b{ours}\b", script.text):
            continue
        use = re.search(_FIELD_USE.format(name), script.text)
        match = re.compile(rf"\b{name}\b").search(script.text, use.start()) if use else None
        if match:
            meant = ours if script.text.count(name) == 1 else ""
            yield script.warn("undefined-field", f"AgentHooks events have no field {name}", match.span(), f"use {ours}", meant)


_RULES: tuple[Callable[[ScriptText], Iterator[Diagnostic]], ...] = (
    weak_exit,
    undefined_variable,
    _undefined_field,
    missing_program,
)
