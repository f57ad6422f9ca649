"""The user's configuration (architecture.md, "Where state lives"). Never read from a project.

`tomllib` is imported only here, and the fast path takes the settings from the compiled index instead.
"""

from __future__ import annotations

import os
import tomllib
from typing import Any

from hooktui import paths
from hooktui.settings import Settings


class ConfigError(ValueError):
    """The configuration cannot be used; the message names the file and what to mend."""


_CHOICES = {"on_hook_failure": ("allow", "deny"), "on_error": ("allow", "deny")}


def load(path: str | None = None) -> Settings:
    """The settings of the user's file, the defaults without one. Raises ConfigError."""
    path = path or paths.config_file()
    if os.path.exists(path) and not os.path.isfile(path):
        raise ConfigError(f"{paths.short(path)}: no ordinary file")  # a FIFO would keep every agent waiting
    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{paths.short(path)}: {error}") from error
    return _settings(table, path)


def load_or_defaults() -> tuple[Settings, str | None]:
    """The user's settings, or the defaults and what is wrong: a broken configuration must not keep a guard from running."""
    try:
        return load(), None
    except ConfigError as error:
        return Settings(), str(error)


def _settings(table: dict[str, Any], path: str) -> Settings:
    run, log, hooks, prompt = (_section(table, name, path) for name in ("run", "log", "hooks", "prompt"))
    values: dict[str, Any] = {}
    for name, choices in _CHOICES.items():
        if name in run:
            _expect(run[name] in choices, path, f"[run] {name}", f"must be one of {', '.join(choices)}")
            values[name] = run[name]
    if "gate_limit" in run:
        limit = run["gate_limit"]
        _expect(type(limit) is int and limit >= 0, path, "[run] gate_limit", "must be a whole number from 0")
        values["gate_limit"] = limit
    if "formats" in run:
        values["formats"] = _texts(run["formats"], path, "[run] formats")
    if "path" in log:
        _expect(isinstance(log["path"], str), path, "[log] path", "must be a text")
        values["log_path"] = os.path.abspath(os.path.expanduser(log["path"]))
    if "redact" in log:
        values["redact"] = _texts(log["redact"], path, "[log] redact")
    if "enable" in hooks:
        values["enable"] = _texts(hooks["enable"], path, "[hooks] enable")
    if prompt:
        values["prompt"] = _endpoint(prompt, path)
    return Settings(**values)


def _endpoint(prompt: dict[str, Any], path: str) -> dict[str, Any]:
    """Where prompt hooks ask: base_url and model are needed, key_env and [prompt.models] not."""
    for name in ("base_url", "model", "key_env"):
        needed = name != "key_env"
        holds = isinstance(prompt.get(name), str) or not (needed or name in prompt)
        _expect(holds, path, f"[prompt] {name}", "must be a text")
    models = _section(prompt, "models", path)
    _expect(all(isinstance(name, str) for name in models.values()), path, "[prompt.models]", "must hold texts")
    return {"base_url": prompt["base_url"], "model": prompt["model"], "key_env": prompt.get("key_env"), "models": models}


def _section(table: dict[str, Any], name: str, path: str) -> dict[str, Any]:
    section = table.get(name, {})
    _expect(isinstance(section, dict), path, f"[{name}]", "must be a table")
    return dict(section)


def _texts(value: object, path: str, name: str) -> tuple[str, ...]:
    _expect(isinstance(value, list) and all(isinstance(item, str) for item in value), path, name, "must be a list of texts")
    assert isinstance(value, list)
    return tuple(value)


def _expect(holds: bool, path: str, name: str, rule: str) -> None:
    if not holds:
        raise ConfigError(f"{paths.short(path)}: {name} {rule}")
