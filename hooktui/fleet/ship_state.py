"""How far a log was shipped: a file beside it that is replaced and synced after each batch that the collector took."""

from __future__ import annotations

import json
import os
import secrets
import uuid
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING

from hooktui.core import atomic_write, paths
from hooktui.log.write import shipped

if TYPE_CHECKING:
    from typing import Any, Self


@dataclass(frozen=True, slots=True)
class ShipFault:
    """Why the last attempt failed: its kind, a sentence, and times in seconds since 1970."""

    kind: str
    message: str
    since: float
    attempts: int = 1
    retry_at: float = 0.0


@dataclass(frozen=True, slots=True)
class ShipState:
    """The position of a shipper in a log, and what happened on the way.

    `seq` and `hash` are the last link of the chain that the collector took. `instance` identifies this log of this machine in
    the fleet; `salt` hashes names of projects and is never sent. `sent` counts records, `rejected` those that the collector
    refused for good, `trimmed` those whose texts were cut, `lost` links that were pruned or too old before they could be sent.
    """

    instance: str = field(default_factory=lambda: str(uuid.uuid4()))
    salt: str = field(default_factory=lambda: secrets.token_hex(16))
    seq: int = 0
    hash: str = ""
    sent: int = 0
    rejected: int = 0
    rejection: str = ""
    trimmed: int = 0
    lost: int = 0
    shipped_at: float = 0.0
    fault: ShipFault | None = None

    @classmethod
    def load(cls, db: str) -> Self:
        """The state of a log's shipper; a new one for a log that was never shipped. Raises OSError."""
        values = shipped.read(db)
        known = {name: values[name] for name in (known_field.name for known_field in fields(cls)) if name in values}
        known["fault"] = ShipFault(**known["fault"]) if known.get("fault") else None
        return cls(**known)

    def save(self, db: str) -> None:
        """Replace the file and sync it. Raises OSError."""
        atomic_write.write(os.path.realpath(paths.ship_state(db)), json.dumps(self.as_json(), indent=1).encode(), 0o600)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def for_new_log(self) -> ShipState:
        """The state for another log in the place of the shipped one: another chain, so another instance."""
        return replace(ShipState(), salt=self.salt)
