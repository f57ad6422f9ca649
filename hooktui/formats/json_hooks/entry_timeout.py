"""The timeout of an entry, and what its host makes of a number that is not one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.formats import form_fields

if TYPE_CHECKING:
    from hooktui.formats.json_hooks.entry_fields import EntryFields

_LONGEST_MS = 2**31 - 1  # the longest timer of JavaScript programs


def timeout_ms(entry: EntryFields, kind: str, event: str) -> int:
    """The effective timeout in milliseconds. Reports numbers that the host does not take as they are."""
    spec = entry.spec.entry
    timeout: float = spec.default_timeout(kind, event)
    for key in reversed(spec.timeout_keys):
        given = entry.get(key)
        if given is None:
            continue
        if given > 0:
            _report_number(entry, key, given, timeout)
            timeout = given
        else:
            _report_none(entry, key, given, timeout)
            timeout = 1 if given == 0 and spec.unsigned else timeout
    return min(max(round(spec.timeout_ms(timeout)), 1), _LONGEST_MS)


def _report_number(entry: EntryFields, key: str, given: float, default: float) -> None:
    """Report a positive number that is too large, or has a fraction where there must be none."""
    spec, longest = entry.spec.entry, entry.spec.entry.longest_timeout
    units = form_fields.UNITS[spec.timeout_unit]
    if longest and given > longest:
        message, fix = f"{key} must be at most {longest} {units}", entry.instead(key, longest)
        entry.wrong("out-of-range", message, entry.place(key), fix=fix)
    elif spec.whole_seconds and (given != int(given) or (spec.unsigned and isinstance(given, float))):
        message, fix = f"{key} must be a whole number of seconds", entry.instead(key, round(given) or 1)
        entry.wrong("wrong-type", message, entry.place(key), fix=fix)
    elif spec.timer_overflows and spec.timeout_ms(given) > _LONGEST_MS:
        message = f"{key} must be at most {_LONGEST_MS // spec.unit_ms} {units}: {entry.spec.title} {_AT_ONCE}"
        fix = entry.instead(key, default)
        entry.notes.on(entry.spec.name, "error", "out-of-range", message, entry.place(key), fix=fix)


def _report_none(entry: EntryFields, key: str, given: float, default: float) -> None:
    """Report 0 or a negative number."""
    spec, title = entry.spec.entry, entry.spec.title
    if given == 0 and (spec.unsigned or spec.zero_is_default):
        taken = 1 if spec.unsigned else default
        message = f"{title} takes a {key} of 0 for {taken}"
        entry.notes.on(entry.spec.name, "warning", "out-of-range", message, entry.place(key), fix=entry.instead(key, taken))
        return
    message, fix = f"{key} must be more than 0 {form_fields.UNITS[spec.timeout_unit]}", entry.instead(key, default)
    if spec.zero_is_default:
        message = f"{message}: {title} {spec.entry_faults[key]}"
        entry.notes.on(entry.spec.name, "error", "out-of-range", message, entry.place(key), fix=fix)
        return
    is_known = entry.strict or spec.drops_entries or key in spec.entry_faults
    hint = "" if is_known else "hooktui uses the default"
    entry.wrong("out-of-range", message, entry.place(key), hint=hint, fix=fix, key=key)


_AT_ONCE = "ends the hook at once, and goes on"
