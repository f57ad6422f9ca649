"""Convert where a hook comes from to plain data for marshal or JSON, and back."""

from __future__ import annotations

from hooktui.core.model import AzureEntry, Callback, HookDirectory, JsonEntry, Mod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.core.model import HookSource

_KINDS: Sequence[type[HookSource]] = (HookDirectory, JsonEntry, AzureEntry, Callback, Mod)
_BY_NAME: Mapping[str, type[HookSource]] = {kind.__name__: kind for kind in _KINDS}
MOD_FORMAT = "claude-mod"  # of a mod in listings, and of what it decided
_TUPLES = ("path", "allowed_variables")


def encode_source(source: HookSource) -> tuple[str, dict[str, Any]]:
    """Convert a source to plain data for marshal or JSON."""
    return type(source).__name__, source.as_dict()


def decode_source(plain: Sequence[Any]) -> HookSource:
    """Convert the result of `encode` back. Raises ValueError, TypeError or KeyError for other data."""
    name, values = plain
    fields: dict[str, Any] = {key: tuple(value) if key in _TUPLES else value for key, value in values.items()}
    return _BY_NAME[name](**fields)
