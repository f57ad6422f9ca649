"""The user's configuration: every key, and one clear sentence for every invalid value (docs/configuration.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hooktui import config
from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.core.settings import ModelEndpoint, Settings


def load(home: Path, text: str) -> Settings:
    file = home / ".config/hooktui/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return config.load()


def test_defaults_apply_without_a_file(own_home: Path) -> None:
    settings = config.load()
    assert settings == Settings()
    assert (settings.formats, settings.gate_limit, settings.on_hook_failure, settings.on_error) == (
        ("agenthooks",), 3, "allow", "deny",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ('[run]\nformats = ["agenthooks", "claude"]', "formats", ("agenthooks", "claude")),
        ('[run]\nformats = ["claude"]', "formats", ("agenthooks", "claude")),
        ("[run]\nformats = []", "formats", ("agenthooks",)),
        ('[run]\non_hook_failure = "deny"', "on_hook_failure", "deny"),
        ('[run]\non_error = "deny"', "on_error", "deny"),
        ("[run]\ngate_limit = 0", "gate_limit", 0),
        ('[log]\npath = "/x/log.db"', "log_path", "/x/log.db"),
        ('[log]\nredact = ["a+"]', "redact", ("a+",)),
        ("[log]\nkeep_days = 90", "keep_days", 90),
        ("[log]\nkeep_mb = 2000", "keep_mb", 2000),
        ('[hooks]\nenable = ["x"]', "enable", ("x",)),
        (
            '[prompt]\nbase_url = "http://h/v1"\nmodel = "m"\nkey_env = "K"\n[prompt.models]\nFast = "f"',
            "prompt",
            ModelEndpoint(base_url="http://h/v1", model="m", key_env="K", models={"Fast": "f"}),
        ),
        (
            '[prompt]\nbase_url = "http://h/v1"\nmodel = "m"',
            "prompt",
            ModelEndpoint(base_url="http://h/v1", model="m"),
        ),
    ],
)
def test_each_key(own_home: Path, text: str, field: str, value: Any) -> None:
    assert load(own_home, text) == Settings().replace(**{field: value})


def test_the_home_in_a_path_is_expanded(own_home: Path) -> None:
    assert load(own_home, '[log]\npath = "~/log.db"').log_path == str(own_home / "log.db")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[run]\nx = \n", "line 2"),
        ("run = 1", "[run] must be a table"),
        ("[run]\nformats = 'claude'", "[run] formats must be a list with any of "),
        ("[run]\nformats = [1]", "[run] formats must be a list with any of "),
        ("[run]\nformats = ['yaml']", "[run] formats must be a list with any of "),
        ("[run]\non_hook_failure = 'block'", "[run] on_hook_failure must be allow or deny"),
        ("[run]\non_hook_failure = ['deny']", "[run] on_hook_failure must be allow or deny"),
        ("[run]\non_error = true", "[run] on_error must be allow or deny"),
        ("[run]\ngate_limit = -1", "[run] gate_limit must be a whole number, 0 or more"),
        ("[run]\ngate_limit = true", "[run] gate_limit must be a whole number, 0 or more"),
        ("[run]\ngate_limit = 1.5", "[run] gate_limit must be a whole number, 0 or more"),
        ("[run]\ngate_limt = 1", "[run] gate_limt is unknown: did you mean gate_limit?"),
        ("[rn]\ngate_limit = 1", "[rn] is unknown: did you mean run?"),
        ("[log]\npath = 1", "[log] path must be a string"),
        ("[log]\nredact = 'a'", "[log] redact must be a list of regular expressions"),
        ("[log]\nredact = [1]", "[log] redact must be a list of regular expressions"),
        ("[hooks]\nenable = [[]]", "[hooks] enable must be a list of strings"),
        ("[prompt]\nmodel = 'm'", "[prompt] base_url is missing"),
        ("[prompt]\nbase_url = 'u'", "[prompt] model is missing"),
        ("[prompt]\nbase_url = 'u'\nmodel = 'm'\nkey_env = 1", "[prompt] key_env must be a string"),
        ("[prompt]\nbase_url = 'u'\nmodel = 'm'\nmodels = 1", "[prompt] models must be a table of strings"),
        ("[prompt]\nbase_url = 'u'\nmodel = 'm'\n[prompt.models]\na = 1", "[prompt] models must be a table of strings"),
    ],
)
def test_invalid_value_is_reported_in_one_sentence(own_home: Path, text: str, says: str) -> None:
    with pytest.raises(config.ConfigError) as caught:
        load(own_home, text)
    message = str(caught.value)
    assert re.match(r"~/\.config/hooktui/config\.toml(:\d)?: ", message)
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[run]\non_error = 'deny'\ngate_limit = -1", 3),
        ("[log]\nkeep_days = 1\n[keys]\nx = 'x'\ntry = [1]", 5),
        ("[log]\nkeep_days = 1\n\n[prompt.models]\na = 1\n[lgo]\nx = 1", 7),
        ("# none\nrun = 1", 2),
        ("[run]\n\non_error = \n", 3),
    ],
)
def test_invalid_value_is_reported_at_its_line(own_home: Path, text: str, line: int) -> None:
    with pytest.raises(config.ConfigError):
        load(own_home, text)
    assert line in [fault.line for fault in config.load_with_faults()[1]]


def test_invalid_value_leaves_other_values_in_force(own_home: Path) -> None:
    with pytest.raises(config.ConfigError):
        load(own_home, "[run]\ngate_limit = -1\non_hook_failure = 'deny'\n[log]\nredact = ['(']\n[prompt]\nmodel = 'm'")
    settings, trouble = config.load_or_defaults()
    assert settings == Settings(on_hook_failure="deny")
    assert trouble is not None
    assert [word in trouble for word in ("gate_limit", "redact", "base_url")] == [True, True, True]


def test_only_an_invalid_pattern_is_dropped_and_reported_at_its_line(own_home: Path) -> None:
    with pytest.raises(config.ConfigError):
        load(own_home, """[log]\nredact = [\n  'ACME-\\d+',\n  'key (',\n  "a\\\\d[",\n  'b',\n]\n""")
    settings, faults = config.load_with_faults()
    assert settings.redact == (r"ACME-\d+", "b")
    assert [(fault.line, fault.message.split(":")[1]) for fault in faults] == [
        (4, " key ( is not a valid regex"),
        (5, r" a\d[ is not a valid regex"),
    ]
    assert str(faults[0]).startswith("~/.config/hooktui/config.toml:4: ")
    found = catalog.load(str(own_home)).diagnostics
    assert [(one.code, one.file, one.line) for one in found] == [("bad-value", paths.config_file(), line) for line in (4, 5)]


def test_configuration_is_never_read_from_the_project(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for place in (".config/hooktui/config.toml", "hooktui.toml", ".hooktui/config.toml"):
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("[run]\ngate_limit = 9\n")
    assert config.load() == Settings()
    assert paths.config_file() == str(own_home / ".config/hooktui/config.toml")
