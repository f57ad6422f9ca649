"""Where events are shipped, and how much of each: [fleet] of the configuration, then the variables of OpenTelemetry.

The machine's owner may fix any value in the managed file. A shipper that starts by itself reads no variables for its target:
the environment of an agent can come from a project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Literal
from urllib.parse import unquote, urlsplit

from hooktui import config
from hooktui.core import paths

Level = Literal["metadata", "reasons", "full"]

_LOGS_PATH = "/v1/logs"
_PREFIX = "OTEL_EXPORTER_OTLP_"
# Settings and the variables for them, without their prefix: the one for logs takes precedence over the one for all signals.
_VARIABLES = {"ca": "CERTIFICATE", "cert": "CLIENT_CERTIFICATE", "key": "CLIENT_KEY"}
# Names and values of headers that HTTP allows.
_HEADER = re.compile(r"[!#$%&'*+.^_`|~\w-]+", re.ASCII)
_HEADER_VALUE = re.compile(r"(?:[!-~\xa0-\xff][ -~\t\xa0-\xff]*)?")


class NotConfiguredError(Exception):
    """Nothing can be shipped; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class FleetSettings:
    """A collector and what it gets.

    `endpoint` is the URL that records are posted to. `ca` is a file with certificates to trust in place of the usual ones;
    `cert` and `key` are the client's. `max_days`: older events are no longer shipped; `max_mb`: how far events that wait for
    shipping may exceed the log's size limit (0: no limit). `managed` names the values that the machine's owner fixed.
    `trusts_environment`: variables may name trusted certificates.
    """

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    level: Level = "metadata"
    ship: Literal["auto", "manual"] = "manual"
    hash_projects: bool = False
    ca: str = ""
    cert: str = ""
    key: str = ""
    max_days: int = config.FLEET_DAYS
    max_mb: int = config.FLEET_MB
    compresses: bool = True
    managed: frozenset[str] = frozenset()
    trusts_environment: bool = False

    @property
    def shown_endpoint(self) -> str:
        """The endpoint without a user's name and password."""
        return shown(self.endpoint)


def load(*, environment: bool = True) -> FleetSettings:
    """Load the settings; with `environment`, variables supply what the configuration omits. Raises NotConfiguredError."""
    configured = config.fleet_values()
    if configured.fault:
        raise NotConfiguredError(f"{paths.managed_file()}: {configured.fault}")
    if configured.own_fault:
        raise NotConfiguredError(f"{configured.own_fault}: nothing is shipped")
    own = {name.name for name in fields(FleetSettings)}
    values = {name: value for name, value in configured.values.items() if name in own}
    if environment:
        values = {**_from_environment(owns_endpoint="endpoint" in values), **values}
    if "endpoint" not in values:
        raise NotConfiguredError(f"no collector is configured: set `endpoint` in [fleet] of {paths.short(paths.config_file())}")
    values["endpoint"] = _logs_url(values["endpoint"])
    _check_headers(values.get("headers", {}))
    return FleetSettings(**values, managed=configured.managed, trusts_environment=environment)


def _logs_url(endpoint: str) -> str:
    """The URL for logs, given it or a collector's base URL. Raises NotConfiguredError."""
    try:
        parts = urlsplit(endpoint)
        valid = bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:  # the URL is not quoted: it may hold a password
        raise NotConfiguredError("`endpoint` in [fleet] is not a valid URL")
    path = parts.path if parts.path.rstrip("/").endswith(_LOGS_PATH) else parts.path.rstrip("/") + _LOGS_PATH
    return parts._replace(path=path, fragment="").geturl()


def _check_headers(headers: Mapping[str, str]) -> None:
    """Raise NotConfiguredError for a header that HTTP does not allow."""
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise NotConfiguredError(f"`headers` in [fleet]: {name} has characters that HTTP does not allow")


def shown(url: str) -> str:
    """A URL without a user's name, a password and its query, which may hold a token."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()


def _from_environment(*, owns_endpoint: bool) -> dict[str, object]:
    """The settings that variables give. Headers belong to the collector they were written for (`owns_endpoint`: ours)."""
    values: dict[str, object] = {name: _variable(variable) for name, variable in _VARIABLES.items() if _variable(variable)}
    if not owns_endpoint and (endpoint := _variable("ENDPOINT")):
        values |= {"endpoint": endpoint, "headers": _pairs(_variable("HEADERS"))}
    if _variable("COMPRESSION").lower() == "none":
        values["compresses"] = False
    return values


def _variable(name: str) -> str:
    return os.environ.get(f"{_PREFIX}LOGS_{name}") or os.environ.get(_PREFIX + name) or ""


def resource_attributes() -> dict[str, str]:
    """The attributes in OTEL_RESOURCE_ATTRIBUTES."""
    return _pairs(os.environ.get("OTEL_RESOURCE_ATTRIBUTES", ""))


def _pairs(text: str) -> dict[str, str]:
    """Read `a=1,b=2`, percent-encoded, as the OpenTelemetry specification writes it."""
    pairs = (part.partition("=") for part in text.split(",") if "=" in part)
    return {unquote(name.strip()): unquote(value.strip()) for name, _, value in pairs}


@contextmanager
def without_variables() -> Iterator[None]:
    """Hide the exporter's variables: the SDK would add their headers to any collector's."""
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(_PREFIX)}
    try:
        yield
    finally:
        os.environ.update(hidden)
