"""What is wrong in a file of hooks that a host reads by itself: whose hook it is, and on which hosts it matters."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING

from hooktui.formats.problems import Notes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.core.model import Diagnostic, Fix, Hook, Severity
    from hooktui.formats.problems import Span
    from hooktui.formats.yaml_source import Node
    from hooktui.hosts import HostSpec

_LIKENESS = 0.8


class HostNotes(Notes):
    """Notes on a file with many hooks. `hook` is the id that the next ones belong to, None for the file as a whole.

    `skipped` says why the file's own host reads none of its hooks; empty when it does.
    """

    def __init__(self, file: str, text: str) -> None:
        super().__init__(file, text)
        self.hook: str | None = None
        self.skipped = ""

    def diagnostic(
        self, severity: Severity, code: str, message: str, span: Span, *, hint: str = "", fix: Fix | None = None
    ) -> Diagnostic:
        """A problem at a span of this file, not collected."""
        return super().diagnostic(severity, code, message, span, hint=hint, fix=fix).replace(hook=self.hook)

    def on(
        self, host: str, severity: Severity, code: str, message: str, span: Span, *, hint: str = "", fix: Fix | None = None
    ) -> None:
        """Note what goes wrong on one host; `host` is the name of its format."""
        self.found.append(self.diagnostic(severity, code, message, span, hint=hint, fix=fix).replace(hosts=(host,)))

    def culprit(self, spec: HostSpec, why: str, span: Span, fix: Fix | None = None) -> None:
        """Note a place because of which the file's own host skips the whole file."""
        self.on(spec.name, "error", "host-skips-file", f"{spec.title} skips the whole file: {why}", span, fix=fix)
        self.skipped = self.skipped or f"{spec.title} skips the whole file: {why} (line {self.place(span[0])[0]})"

    def slips(self, keys: Iterable[Node], known: Iterable[str], host: str) -> None:
        """Warn about unknown keys of a mapping that are like one which it lacks; others are nobody's business.

        Of two that are like one, the first can be it.
        """
        known, written = tuple(known), set[str]()
        for key in keys:
            if meant := next(iter(difflib.get_close_matches(key.value, known, 1, _LIKENESS)), None):
                text = json.dumps(meant) if key.style == '"' else meant
                fix = self.replacement(f"write {meant}", key.span, text) if meant not in written else None
                written.add(meant)
                message = f"{key.value} is no key that {host} reads"
                self.warning("unknown-key", message, key.span, hint=f"did you mean {meant}?", fix=fix)

    def stamped(self, hooks: list[Hook]) -> tuple[Hook, ...]:
        """The hooks, each with the codes of what was noted about it, beside those it has."""
        codes: dict[str | None, list[str]] = {}
        for one in self.found:
            codes.setdefault(one.hook, []).append(one.code)
        return tuple(hook.replace(problems=tuple(dict.fromkeys((*hook.problems, *codes.get(hook.id, ()))))) for hook in hooks)

    def diagnostics(self, hooks: list[Hook]) -> tuple[Diagnostic, ...]:
        """All that was noted; what was said of an entry that became no hook is said of the file."""
        ids = {hook.id for hook in hooks}
        return tuple(one if one.hook in ids else one.replace(hook=None) for one in self.found)
