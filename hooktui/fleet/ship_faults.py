"""What keeps a batch from a collector, each fault told apart, and how long to wait before the next attempt."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Literal

FaultKind = Literal[
    "unauthorized", "certificate", "client-certificate", "no-route", "proxy", "timeout", "throttled", "unavailable",
    "too-large", "bad-request", "not-a-collector", "configuration", "log",
]  # fmt: skip
_FIRST_S, _LONGEST_S = 1.0, 300.0  # between two attempts
_LONGEST_ASKED_S = 3600.0  # that a collector may ask for

# A line for the app's header.
HEADLINES: dict[str, str] = {
    "unauthorized": "fleet: not authorized",
    "certificate": "fleet: certificate not trusted",
    "client-certificate": "fleet: client certificate refused",
    "no-route": "fleet: collector unreachable",
    "proxy": "fleet: proxy fails",
    "timeout": "fleet: collector too slow",
    "throttled": "fleet: collector throttles",
    "unavailable": "fleet: collector unavailable",
    "too-large": "fleet: event too large",
    "bad-request": "fleet: event refused",
    "not-a-collector": "fleet: not a collector",
    "configuration": "fleet: misconfigured",
    "log": "fleet: log unreadable",
}
REMEDIES: dict[str, str] = {
    "unauthorized": "check `headers` in [fleet]",
    "certificate": "set `ca` in [fleet] to the file with the collector's certificate authority",
    "client-certificate": "set `cert` and `key` in [fleet] to a certificate that the collector accepts",
    "no-route": "check `endpoint` and `proxy` in [fleet], and the network",
    "proxy": "check `proxy` in [fleet], or HTTPS_PROXY, HTTP_PROXY and NO_PROXY",
    "too-large": "raise the size limit of the collector, or lower `level` in [fleet]",
    "not-a-collector": "check `endpoint` in [fleet]: it must be the OTLP/HTTP address of a collector",
    "configuration": "fix [fleet] in the configuration",
    "log": "see the other findings of `hooktui doctor`",
}


class SendError(Exception):
    """A batch was not taken; the message says why. `retry_after_s`: the collector asked for this pause."""

    def __init__(self, kind: FaultKind, message: str, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.kind: FaultKind = kind
        self.retry_after_s = retry_after_s

    @property
    def blames_records(self) -> bool:
        """Whether fewer or smaller records may be taken."""
        return self.kind in ("too-large", "bad-request")


def of_status(status: int, reason: str, retry_after_s: float = 0.0) -> SendError:
    """The fault that an HTTP status other than success tells."""
    answer = f"{status} {reason}".strip()
    if status in (401, 403):
        return SendError("unauthorized", f"the collector refuses the credentials ({answer})")
    if status == 407:
        return SendError("proxy", f"the proxy refuses the credentials ({answer})")
    if status == 413:
        return SendError("too-large", f"the collector refuses a record for its size ({answer})")
    if status == 429:
        return SendError("throttled", f"the collector asks to slow down ({answer})", retry_after_s)
    if status in (404, 405, 415, 501) or 300 <= status < 400:
        return SendError("not-a-collector", f"no OTLP/HTTP collector answers at this address ({answer})")
    if status >= 500 or status == 408:
        return SendError("unavailable", f"the collector is unavailable ({answer})", retry_after_s)
    return SendError("bad-request", f"the collector refuses a record ({answer})")


def pause_s(attempts: int, asked_s: float = 0.0, chance: Callable[[], float] = random.random) -> float:
    """The pause after so many failed attempts, in seconds; at least what the collector asked for, within an hour.

    Half of it is random, so that a company's machines do not all come back at the same moment.
    """
    longest = min(_FIRST_S * 2.0 ** min(attempts - 1, 20), _LONGEST_S)
    return max(longest * (0.5 + chance() / 2), min(asked_s, _LONGEST_ASKED_S) * (1 + chance() / 10))
