"""Where events are shipped, and how much of each: [fleet] of the configuration, then the variables of OpenTelemetry.

The machine's owner may fix any value in the managed file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal
from urllib.parse import urlsplit

from hooktui import config
from hooktui.core import paths
from hooktui.fleet import extra

Level = Literal["metadata", "reasons", "full"]

_LOGS_PATH = "/v1/logs"
# Settings and the variables for them, without their prefix: the one for logs takes precedence over the one for all signals.
_VARIABLES = {"ca": "CERTIFICATE", "cert": "CLIENT_CERTIFICATE", "key": "CLIENT_KEY"}
_OF_A_PERSON = re.compile("HOME|PATH|LD_LIBRARY_PATH|XDG_.*|HOOKTUI_.*")


class NotConfiguredError(Exception):
    """Nothing can be shipped; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class FleetSettings:
    """A collector and what it gets.

    `endpoint` is the URL that records are posted to. `ca` is a file with certificates to trust in place of the usual ones;
    `cert` and `key` are the client's. `max_days`: older events are no longer shipped; `max_mb`: how far events that wait for
    shipping may exceed the log's size limit (0: no limit). `managed` names the values that the machine's owner fixed.
    """

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    level: Level = "metadata"
    ship: Literal["auto", "manual"] = "manual"
    hash_projects: bool = False
    ca: str = ""
    cert: str = ""
    key: str = ""
    proxy: str = ""
    max_days: int = config.FLEET_DAYS
    max_mb: int = config.FLEET_MB
    compresses: bool = True
    managed: frozenset[str] = frozenset()

    @property
    def shown_endpoint(self) -> str:
        """The endpoint without a user's name, a password and its query, which may hold a token."""
        parts = urlsplit(self.endpoint)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()


def forget_environment() -> None:
    """Remove the variables of an agent, which a project can set: proxies, certificates, resources and collectors."""
    for name in list(os.environ):
        if not _OF_A_PERSON.fullmatch(name):
            del os.environ[name]


def load() -> FleetSettings:
    """Load the settings; variables supply what the configuration omits. Raises NotConfiguredError and MissingExtraError."""
    configured = config.fleet_values()
    if configured.fault:
        raise NotConfiguredError(f"{paths.managed_file()}: {configured.fault}")
    if configured.own_fault:
        raise NotConfiguredError(f"{configured.own_fault}: nothing is shipped")
    own = {name.name for name in fields(FleetSettings)}
    values = {name: value for name, value in configured.values.items() if name in own}
    values = {**_from_environment(owns_endpoint="endpoint" in values), **values}
    if "endpoint" not in values:
        raise NotConfiguredError(f"no collector is configured: set `endpoint` in [fleet] of {paths.short(paths.config_file())}")
    values["endpoint"] = _logs_url(values["endpoint"])
    return FleetSettings(**values, managed=configured.managed)


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


def _from_environment(*, owns_endpoint: bool) -> dict[str, object]:
    """The settings that variables give. Headers belong to the collector they were written for (`owns_endpoint`: ours)."""
    values: dict[str, object] = {name: _variable(variable) for name, variable in _VARIABLES.items() if _variable(variable)}
    if not owns_endpoint and (endpoint := _variable("ENDPOINT")):
        with extra.needed():
            from opentelemetry.util.re import parse_env_headers
        values |= {"endpoint": endpoint, "headers": parse_env_headers(_variable("HEADERS"), liberal=True)}
    if _variable("COMPRESSION").lower() == "none":
        values["compresses"] = False
    return values


def _variable(name: str) -> str:
    return os.environ.get(f"OTEL_EXPORTER_OTLP_LOGS_{name}") or os.environ.get(f"OTEL_EXPORTER_OTLP_{name}") or ""


def resource_attributes() -> dict[str, str]:
    """The attributes in OTEL_RESOURCE_ATTRIBUTES. Raises MissingExtraError."""
    if not os.environ.get("OTEL_RESOURCE_ATTRIBUTES"):
        return {}
    with extra.needed():
        from opentelemetry.sdk.resources import OTELResourceDetector
    return {name: str(value) for name, value in OTELResourceDetector().detect().attributes.items()}
