"""Azure agents as text."""

from __future__ import annotations

from textwrap import indent


def agent(hook: str, event: str = "Stop") -> str:
    """An agent with one hook; `hook` is the text after its dash."""
    return f"kind: ExtendedAgent\nmetadata: {{name: a}}\nspec:\n  hooks:\n    {event}:\n{indent('- ' + hook, '      ')}\n"


def command(fields: str = "", event: str = "Stop") -> str:
    """An agent with a command hook; `fields` are lines of the hook."""
    return agent("type: command\n  command: exit 0\n" + indent(fields, "  "), event)
