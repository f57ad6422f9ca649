"""Where events are shipped: the user's [fleet], the managed file over it, the variables of OpenTelemetry below it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hooktui import config
from hooktui.config import managed as administrator
from hooktui.fleet import fleet_settings
from hooktui.fleet.fleet_settings import FleetSettings, NotConfiguredError
from tests.managed_machine import managed

__all__ = ["managed"]


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)


def configure(home: Path, text: str) -> None:
    (home / ".config/hooktui").mkdir(parents=True)
    (home / ".config/hooktui/config.toml").write_text(f"[fleet]\n{text}\n")


def test_nothing_is_shipped_until_a_collector_is_named(own_home: Path) -> None:
    configure(own_home, 'level = "full"\nship = "auto"')
    with pytest.raises(NotConfiguredError, match=r"set `endpoint` in \[fleet\] of ~/.config/hooktui/config.toml"):
        fleet_settings.load()
    assert not config.load().ships


def test_the_least_leaves_unless_more_is_configured(own_home: Path) -> None:
    configure(own_home, 'endpoint = "https://otel.example.com:4318/"')
    settings = fleet_settings.load()
    assert (settings.level, settings.ship, settings.endpoint) == ("metadata", "manual", "https://otel.example.com:4318/v1/logs")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('endpoint = "otel:4318"', "[fleet] endpoint must be an http or https URL"),
        ('level = "metdata"', "[fleet] level must be metadata, reasons or full"),
        ("headers = { a = 1 }", "[fleet] headers must be a table of strings"),
        ("hash_project = true", "[fleet] hash_project is unknown: did you mean hash_projects?"),
    ],
)
def test_a_wrong_value_is_told_and_its_default_applies(own_home: Path, text: str, message: str) -> None:
    configure(own_home, text)
    assert message in (config.load_or_defaults()[1] or "")
    assert config.fleet_values().values == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hash_project = true", r"config.toml:3: \[fleet\] hash_project is unknown"),
        ("hash_projects = ", "config.toml:3: Invalid value"),
    ],
)
def test_nothing_is_shipped_while_the_users_own_values_are_faulty(own_home: Path, text: str, says: str) -> None:
    """What they should have kept on the machine would leave."""
    configure(own_home, f"endpoint = 'http://collector'\n{text}\n[run]")
    with pytest.raises(NotConfiguredError, match=says):
        fleet_settings.load()
    assert not config.load_or_defaults()[0].ships


def test_a_fault_elsewhere_in_the_configuration_stops_no_shipping(own_home: Path) -> None:
    configure(own_home, "endpoint = 'http://collector'\n[run]\ngate_limit = -1")
    assert fleet_settings.load().endpoint == "http://collector/v1/logs"


def test_an_automatic_shipper_forgets_the_variables_of_its_agent(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ, "OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca.pem"})
    configure(own_home, 'endpoint = "https://otel.example.com"')
    assert fleet_settings.load().ca == "/ca.pem"
    fleet_settings.forget_environment()
    assert fleet_settings.load().ca == ""


def test_headers_from_variables_never_reach_a_configured_collector(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=secret")
    configure(own_home, 'endpoint = "https://other.example.com"')
    assert fleet_settings.load().headers == {}


def test_the_managed_file_fixes_values_over_those_of_the_user(own_home: Path, managed: Path) -> None:
    configure(own_home, 'endpoint = "https://mine.example.com"\nlevel = "full"\nhash_projects = true')
    managed.write_text('[fleet]\nlevel = "reasons"\nship = "auto"\n')
    settings = fleet_settings.load()
    assert (settings.level, settings.hash_projects) == ("reasons", True)
    assert settings.managed == {"level", "ship"}
    assert config.load().ships


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        ('[fleet]\nlevel = "mtadata"', 0o644, "level must be metadata, reasons or full"),
        ("[fleet", 0o644, "nothing is shipped"),
        ("[run]\nwarm = true", 0o644, "[run] warm cannot be managed"),
        ('[fleet]\nlevel = "full"', 0o666, "this file counts for nothing: others than root can write"),
    ],
)
def test_nothing_is_shipped_while_the_managed_file_is_faulty(
    own_home: Path, managed: Path, text: str, mode: int, why: str
) -> None:
    configure(own_home, 'endpoint = "https://mine.example.com"\nship = "auto"')
    managed.write_text(text)
    managed.chmod(mode)
    with pytest.raises(NotConfiguredError) as caught:
        fleet_settings.load()
    assert why in str(caught.value)
    settings, faults = config.load_with_faults()
    assert not settings.ships
    assert [fault.file for fault in faults] == [str(managed)]


@pytest.mark.parametrize("text", ["hash_projects = maybe", "level = 7", "endpoint ="])
def test_a_fault_of_the_user_stops_no_shipping_of_the_administrator(own_home: Path, managed: Path, text: str) -> None:
    """What the user may have wanted to hide is hidden."""
    configure(own_home, text)
    managed.write_text('[fleet]\nendpoint = "https://otel.example.com"\nship = "auto"\n')
    settings = fleet_settings.load()
    assert (settings.endpoint, settings.level, settings.hash_projects) == ("https://otel.example.com/v1/logs", "metadata", True)
    assert config.load_or_defaults()[0].ships


def test_a_managed_file_of_another_user_counts_for_nothing(
    own_home: Path, managed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(own_home, 'endpoint = "https://mine.example.com"')
    managed.write_text('[fleet]\nlevel = "full"')
    os.chown(managed, 4711, -1) if os.getuid() == 0 else monkeypatch.setattr(administrator, "MANAGED_BY", os.getuid() + 1)
    with pytest.raises(NotConfiguredError, match="nothing is shipped"):
        fleet_settings.load()


@pytest.mark.parametrize(
    ("endpoint", "posts_to"),
    [
        ("https://otel.example.com", "https://otel.example.com/v1/logs"),
        ("https://otel.example.com/otlp/?token=x#top", "https://otel.example.com/otlp/v1/logs?token=x"),
        ("https://otel.example.com/v1/logs?token=x", "https://otel.example.com/v1/logs?token=x"),
        ("http://[::1]:4318", "http://[::1]:4318/v1/logs"),
    ],
)
def test_the_path_for_logs_is_added_to_any_address(own_home: Path, endpoint: str, posts_to: str) -> None:
    configure(own_home, f'endpoint = "{endpoint}"')
    assert fleet_settings.load().endpoint == posts_to


@pytest.mark.parametrize("text", [
    'endpoint = "http://me:secret@[::1:99"', 'endpoint = "http://me:secret@host:99999"', 'endpoint = "http://me:secret@:80"',
])  # fmt: skip
def test_what_http_does_not_allow_is_refused_without_its_secret(own_home: Path, text: str) -> None:
    configure(own_home, text)
    with pytest.raises(NotConfiguredError, match="`endpoint` in") as caught:
        fleet_settings.load()
    assert "secret" not in str(caught.value)


def test_a_password_or_token_in_the_address_is_never_shown() -> None:
    url = "https://me:secret@otel.example.com:4318/v1/logs?token=secret"
    assert FleetSettings(url).shown_endpoint == "https://otel.example.com:4318/v1/logs"
