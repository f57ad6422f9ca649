"""What the administrator fixes in the managed file, over the configuration of the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from hooktui import config
from hooktui.config.managed import RequiredHook
from tests.managed_machine import managed

__all__ = ["managed"]

VERSION = "0123456789abcdef" * 2


def configure(home: Path, text: str) -> None:
    (home / ".config/hooktui").mkdir(parents=True)
    (home / ".config/hooktui/config.toml").write_text(text)


def test_failure_policy_is_fixed_and_patterns_are_added(own_home: Path, managed: Path) -> None:
    configure(own_home, '[run]\non_error = "allow"\ngate_limit = 1\n[log]\nredact = ["mine-\\\\d+"]')
    managed.write_text('[run]\non_error = "deny"\non_hook_failure = "deny"\n[log]\nredact = ["corp-\\\\d+"]')
    settings = config.load()
    assert (settings.on_error, settings.on_hook_failure, settings.gate_limit) == ("deny", "deny", 1)
    assert settings.redact == (r"corp-\d+", r"mine-\d+")


@pytest.mark.parametrize("broken", ["[log", '[log]\nredact = "all"', "\0"])
def test_broken_configuration_of_the_user_switches_nothing_off(own_home: Path, managed: Path, broken: str) -> None:
    configure(own_home, broken)
    managed.write_text('[run]\non_hook_failure = "deny"\n[log]\nredact = ["corp-\\\\d+"]')
    settings, trouble = config.load_or_defaults()
    assert (settings.redact, settings.on_hook_failure) == ((r"corp-\d+",), "deny")
    assert trouble


def test_patterns_hold_although_another_value_of_the_file_is_wrong(own_home: Path, managed: Path) -> None:
    managed.write_text('[fleet]\nlevel = "mtadata"\n[log]\nredact = ["corp-\\\\d+"]')
    settings, faults = config.load_with_faults()
    assert settings.redact == (r"corp-\d+",)
    assert [(fault.file, fault.message) for fault in faults] == [
        (str(managed), "[fleet] level must be metadata, reasons or full")
    ]


def test_required_hooks_have_a_name_and_a_version_or_any(own_home: Path, managed: Path) -> None:
    managed.write_text(f'[[required]]\nname = "guard"\nversion = "{VERSION}"\n[[required]]\nname = "audit"\n')
    assert config.required_hooks() == (RequiredHook("guard", VERSION), RequiredHook("audit"))


@pytest.mark.parametrize(
    "text",
    ["required = 1", "[required]\nname = 'a'", "[[required]]\nversion = 'a'", "[[required]]\nname = 'a'\nversion = 'ab'",
     "[[required]]\nname = 'a'\nwhen = 1"],
)  # fmt: skip
def test_a_wrong_required_hook_is_told(own_home: Path, managed: Path, text: str) -> None:
    managed.write_text(text)
    with pytest.raises(config.ConfigError, match="required"):
        config.required_hooks()


def test_users_require_nothing(own_home: Path, managed: Path) -> None:
    configure(own_home, "[[required]]\nname = 'a'")
    assert config.required_hooks() == ()
    assert "counts in the managed file only" in (config.load_or_defaults()[1] or "")
