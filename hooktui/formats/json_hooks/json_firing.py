"""Entries that their host never fires, and keys that it ignores, for what else stands beside them (formats.md §3, last table).

Copilot's own rules are those of its hooks reference, "HTTP hooks" and "Prompt hooks".
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hooktui.formats.json_hooks.entry_keys import TOOL_EVENTS

if TYPE_CHECKING:
    from hooktui.formats.json_hooks.json_entry import Site
    from hooktui.formats.json_hooks.json_fields import Fields

# Events on which an answer can let a tool run.
_GRANTING = ("pre-tool-call", "PermissionRequest", "permissionRequest")
_LOOPBACK = ("localhost", "::1")


def report(site: Site, entry: Fields, kind: str) -> None:
    """Warn about what keeps an entry of a type from ever firing, and about `once`, which counts only in a skill."""
    if entry.get("if") is not None and site.written not in TOOL_EVENTS:
        message = f"with `if`, an entry on {site.written} never fires: only tool events have something to compare"
        entry.notes.on(site.spec.name, "warning", "never-fires", message, entry.pairs["if"][0].span)
    if entry.get("once") is not None:
        message = f"{site.spec.title} ignores once outside of a skill"
        entry.notes.on(site.spec.name, "warning", "ignored-key", message, entry.pairs["once"][0].span)
    spec, only = site.spec, site.spec.entry.prompts_on
    if only is not None and kind == "prompt" and site.event not in only:
        places = " or ".join(filter(None, map(spec.spelling, only)))
        message = f"{spec.title} fires a prompt only on {places}, not on {site.written}"
        entry.notes.on(spec.name, "warning", "never-fires", message, entry.place("type"))
    if spec.entry.tls_only and kind == "http" and (why := _without_tls(site, entry)):
        message = f"{spec.title} asks no http:// address {why}: it must be https"
        entry.notes.on(spec.name, "warning", "never-fires", message, entry.place("url"))


def _without_tls(site: Site, entry: Fields) -> str:
    """Where an address without TLS is refused; empty when it is asked, or is no such address."""
    try:
        parts = urlsplit(entry.get("url") or "")
    except ValueError:
        return ""
    if parts.scheme != "http":
        return ""
    if site.event in _GRANTING:
        return f"on {site.written}, where an answer can grant a permission"
    if entry.get("allowedEnvVars"):
        return "with allowedEnvVars"
    host = parts.hostname or ""
    return "" if host in _LOOPBACK or host.startswith("127.") else "but this machine's own"
