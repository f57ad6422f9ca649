"""How far a log was shipped: a file beside it that is replaced and synced after each batch that the collector took."""

from __future__ import annotations

import json
import os
import secrets
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import blake2b
from typing import Any, Self

from hooktui.core import atomic_write, paths
from hooktui.log.store import shipped

MACHINE_ID = "/etc/machine-id"
_LARGEST = 1 << 53  # numbers beyond are damage


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
    the fleet, `began` is the sequence behind which it began; `machine` tells a copy on another machine. `salt` hashes names of
    projects and is never sent. `sent` counts records, `rejected` those that the collector refused for good, `trimmed` those
    whose texts were cut, `lost` links that were pruned or too old before they could be sent.
    """

    instance: str = field(default_factory=lambda: str(uuid.uuid4()))
    salt: str = field(default_factory=lambda: secrets.token_hex(16))
    machine: str = ""
    began: int = 0
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
        fault = values.get("fault")
        valid = _valid(cls(), values)
        with suppress(TypeError):  # a part is missing
            valid["fault"] = ShipFault(**_valid(_NO_FAULT, fault)) if isinstance(fault, dict) else None
        return cls(**valid)

    def save(self, db: str) -> None:
        """Replace the file and sync it. Raises OSError."""
        atomic_write.write(os.path.realpath(paths.ship_state(db)), json.dumps(self.as_json(), indent=1).encode(), 0o600)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def for_new_log(self) -> ShipState:
        """The state for another log in the place of the shipped one: another chain, so another instance."""
        return replace(ShipState(), salt=self.salt, machine=self.machine)

    def on_this_machine(self) -> ShipState:
        """The state for the machine that this process runs on: another instance if the log was copied to it.

        It goes on from the same position, for the first machine ships what was before.
        """
        machine = _machine(self.salt)
        if self.machine in ("", machine) or not machine:
            return replace(self, machine=machine)
        return replace(ShipState(), salt=self.salt, machine=machine, began=self.seq, seq=self.seq, hash=self.hash)


_NO_FAULT = ShipFault("", "", 0.0)


def _valid(default: ShipState | ShipFault, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that have the type of the default, by field: the file may be damaged, or of a later version."""
    known = {name.name: getattr(default, name.name) for name in fields(default)}
    typed = {name: value for name, value in values.items() if name in known and type(value) is type(known[name])}
    return {name: value for name, value in typed.items() if _is_valid(value) or value == known[name]}


def _is_valid(value: object) -> bool:
    return bool(value) if isinstance(value, str) else isinstance(value, int | float) and 0 <= value < _LARGEST


def _machine(salt: str) -> str:
    """A hash of the machine's id; "" where it has none."""
    try:
        with open(MACHINE_ID, "rb") as file:
            known = file.read(100).strip()
    except OSError:
        return ""
    return blake2b(known, key=salt.encode()[:64], digest_size=8).hexdigest() if known else ""
