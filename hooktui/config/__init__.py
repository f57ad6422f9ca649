"""The configuration of the user and of the machine (docs/configuration.md). Never read from a project.

An invalid value is reported and replaced by its default; all other values count, so that a typo cannot disable a guard. Only
this module imports `tomllib`: the fast path takes the settings from the compiled plan.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hooktui.config import managed
from hooktui.config.suggest import closest
from hooktui.core import paths
from hooktui.core.settings import ModelEndpoint, Settings, host_names


class ConfigError(ValueError):
    """The configuration is invalid; the message names the file, the value and the expected value."""


class ConfigFault(NamedTuple):
    """An invalid value of a file, and its line (1-based), 0 if unknown."""

    message: str
    file: str
    line: int = 0

    def __str__(self) -> str:
        place = f":{self.line}" if self.line else ""
        return f"{paths.short(self.file)}{place}: {self.message}"


class FleetValues(NamedTuple):
    """The valid values of [fleet] by key, those that the machine's owner fixed included and named in `managed`.

    `fault` says why the managed file cannot be used; what it allows is unknown then. `own_fault` is one of the user's own
    [fleet] that nothing is shipped for: what should have stayed on the machine may be unknown then.
    """

    values: Mapping[str, Any]
    managed: frozenset[str] = frozenset()
    fault: str = ""
    own_fault: str = ""

    @property
    def ships(self) -> bool:
        """Whether events are shipped without being asked for."""
        return bool(not self.fault and not self.own_fault and self.values.get("endpoint") and self.values.get("ship") == "auto")


class ManagedValues(NamedTuple):
    """The valid values of the managed file by section and key. `fault` says what is wrong with the file."""

    values: Mapping[tuple[str, str], Any] = {}
    fault: str = ""

    @property
    def required(self) -> tuple[managed.RequiredHook, ...]:
        """The hooks that must be on the machine."""
        required: tuple[managed.RequiredHook, ...] = self.values.get(_REQUIRED, ())
        return required


def load() -> Settings:
    """The settings from the user's file, the defaults without one. Raises ConfigError for the first fault."""
    settings, faults = load_with_faults()
    if faults:
        raise ConfigError(str(faults[0]))
    return settings


def load_or_defaults() -> tuple[Settings, str | None]:
    """The user's settings, with defaults in place of invalid values, and a message about those."""
    settings, faults = load_with_faults()
    return settings, "; ".join(map(str, faults)) or None


def load_with_faults() -> tuple[Settings, list[ConfigFault]]:
    """The user's settings, with defaults in place of invalid values and under those of the administrator, and the faults."""
    valid, faults = _read(paths.config_file())
    if valid.pop(_REQUIRED, None):
        faults.append(ConfigFault("[[required]] counts in the managed file only", paths.config_file()))
    fixed = managed_values()
    fleet = _fleet_values(valid, faults, fixed)
    if fixed.fault:
        faults.append(ConfigFault(fixed.fault, paths.managed_file()))
    valid |= {key: value for key, value in fixed.values.items() if key not in (_REDACT, _REQUIRED)}
    valid[_REDACT] = tuple(dict.fromkeys((*fixed.values.get(_REDACT, ()), *valid.get(_REDACT, ()))))
    try:
        prompt = _endpoint(valid)
    except ConfigError as error:
        faults.append(ConfigFault(str(error), paths.config_file()))
        prompt = None
    fields = {_KEYS[section][name].field: value for (section, name), value in valid.items() if section not in _TABLES}
    return Settings(**fields, prompt=prompt, keys=_section(valid, "keys"), ships=fleet.ships), faults


def fleet_values() -> FleetValues:
    """The values of [fleet]: the user's, and over them those of the machine's owner."""
    return _fleet_values(*_read(paths.config_file()), managed_values())


def _fleet_values(own: Mapping[tuple[str, str], Any], faults: Iterable[ConfigFault], fixed: ManagedValues) -> FleetValues:
    """A fault of the user's stops no shipping of the administrator's; names of projects that it may have hidden are hidden."""
    own_fault = next((str(fault) for fault in faults if re.match(r"\[fleet\]|(?!\[)", fault.message)), "")
    values, fixed_values = _section(own, "fleet"), _section(fixed.values, "fleet")
    if own_fault and "endpoint" in fixed_values:
        values, own_fault = {"hash_projects": True, **values}, ""
    fault = f"{fixed.fault}: nothing is shipped" if fixed.fault else ""
    return FleetValues({**values, **fixed_values}, frozenset(fixed_values), fault, own_fault)


def _section(values: Mapping[tuple[str, str], Any], name: str) -> dict[str, Any]:
    return {key: value for (section, key), value in values.items() if section == name}


def managed_values() -> ManagedValues:
    """The values of the managed file; none if others than the administrator can change it."""
    path = paths.managed_file()
    if not os.path.lexists(path):
        return ManagedValues()
    if how := managed.changeable(path):
        return ManagedValues(fault=f"this file counts for nothing: {how}")
    values, faults = _read(path)
    wrong = [fault.message for fault in faults]
    wrong += [f"[{section}] {name} cannot be managed" for section, name in values if not _is_fixable(section, name)]
    fixed = {key: value for key, value in values.items() if _is_fixable(*key)}
    return ManagedValues(fixed, wrong[0] if wrong else "")


def required_hooks() -> tuple[managed.RequiredHook, ...]:
    """The hooks that `[[required]]` of the managed file names. Raises ConfigError if the file cannot be used."""
    values = managed_values()
    if values.fault:
        raise ConfigError(f"{paths.managed_file()}: {values.fault}")
    return values.required


def _is_fixable(section: str, name: str) -> bool:
    return section in ("fleet", "required") or name in managed.FIXABLE.get(section, ())


def _read(path: str) -> tuple[dict[tuple[str, str], Any], list[ConfigFault]]:
    valid: dict[tuple[str, str], Any] = {}
    faults = []
    try:
        if not (text := _text_of(path)):
            return {}, []
        import tomllib

        for section, name, value in _values(tomllib.loads(text)):
            try:
                valid[section, name] = _value(section, name, value)
            except ConfigError as error:
                faults.append(ConfigFault(str(error), path, _line_in(text, section, name)))
        faults += _drop_bad_patterns(valid, text, path)
    except (ConfigError, ValueError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        faults.append(ConfigFault(str(error), path, int(line[1]) if line else 0))
    return valid, faults


def line_of(section: str, name: str) -> int:
    """The line (1-based) of a value in the user's file, 1 if it is not found. Recognizes the usual ways to write a value."""
    try:
        return _line_in(_text_of(paths.config_file()), section, name) or 1
    except (ConfigError, ValueError):
        return 1


def _line_in(text: str, section: str, name: str) -> int:
    """The line of a value, or else of its section; 0 if neither is found."""
    current, section_line = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        heading = re.match(r"\s*\[([^\[\]]+)\]", line)
        current = heading[1].strip() if heading else current
        if current == section and re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=", line):
            return number
        if (heading and current == section) or (not current and re.match(rf"\s*{re.escape(section)}\s*=", line)):
            section_line = section_line or number
    return section_line


def _text_of(path: str) -> str:
    if os.path.exists(path) and not os.path.isfile(path):
        raise ConfigError("not a regular file")  # reading a FIFO would block every agent
    try:
        with open(path, "rb") as file:
            return file.read().decode()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise ConfigError(str(error)) from error


def _drop_bad_patterns(values: dict[tuple[str, str], Any], text: str, path: str) -> list[ConfigFault]:
    """Drop invalid regexes only: a typo in one must not let the secrets of all others into the log."""
    faults, valid = [], []
    for pattern in values.get(_REDACT, ()):
        try:
            valid.append(re.compile(pattern).pattern)
        except (re.error, OverflowError, RecursionError) as error:
            message = f"[log] redact: {pattern} is not a valid regex: {error}; the other patterns still apply"
            faults.append(ConfigFault(message, path, _line_of(pattern, text)))
    if faults:
        values[_REDACT] = tuple(valid)
    return faults


def _line_of(value: str, text: str) -> int:
    """The line of a string in a TOML file, 0 if it is not found. Recognizes the usual ways to write a string."""
    literals = (f"'{value}'", json.dumps(value, ensure_ascii=False))
    return next((number for number, line in enumerate(text.split("\n"), 1) if any(map(line.__contains__, literals))), 0)


def _values(table: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Each (section, name, value); the name is '' for a section that is not a table."""
    for section, content in table.items():
        if isinstance(content, dict):
            yield from ((section, name, value) for name, value in content.items())
        else:
            yield section, "", content


def _value(section: str, name: str, value: Any) -> Any:
    if section not in _KEYS:
        raise ConfigError(f"[{section}] is unknown{_suggestion(section, _KEYS)}")
    if not name and name not in _KEYS[section]:
        raise ConfigError(f"[{section}] must be a table")
    if section != "keys" and name not in _KEYS[section]:
        raise ConfigError(f"[{section}] {name} is unknown{_suggestion(name, _KEYS[section])}")
    key = _KEYS[section].get(name, _ACTION_KEY)
    try:
        return key.read(value)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"[{section}] {name} must be {key.rule}") from error


def _suggestion(word: str, known: Mapping[str, object]) -> str:
    near = closest(word, known)
    return f": did you mean {near}?" if near else f"; valid names are {', '.join(known)}"


def _endpoint(values: Mapping[tuple[str, str], Any]) -> ModelEndpoint | None:
    """The model that answers prompt hooks; needs both an address and a model."""
    given = _section(values, "prompt")
    if not given:
        return None
    for name in ("base_url", "model"):
        if name not in given:
            raise ConfigError(f"[prompt] {name} is missing")
    return ModelEndpoint(**given)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(map(_text, value))


def _key_names(value: Any) -> tuple[str, ...]:
    names = _texts([value] if isinstance(value, str) else value)
    if not all(names):
        raise ValueError
    return names


def _one_of(*choices: str) -> Callable[[Any], str]:
    return lambda value: choices[choices.index(value)]


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _period(value: Any) -> str:
    if not re.fullmatch(r"\d{1,9}[hdw]|all", _text(value), re.ASCII):
        raise ValueError
    return _text(value)


def _formats(value: Any) -> tuple[str, ...]:
    """AgentHooks and the given formats (contract.md, `--format`)."""
    return tuple(dict.fromkeys((*Settings().formats, *map(_one_of(*host_names()), _texts(value)))))


def _text_table(value: Any) -> dict[str, str]:
    return {name: _text(text) for name, text in dict(value).items()}


def _url(value: Any) -> str:
    if not re.fullmatch(r"https?://[^\s/]+\S*", _text(value)):
        raise ValueError
    return _text(value)


def _path(value: Any) -> str:
    return os.path.abspath(os.path.expanduser(_text(value)))


class _Key(NamedTuple):
    """A key: its field in Settings, the rule for its value, and the value's parser (raises TypeError or ValueError)."""

    field: str
    rule: str
    read: Callable[[Any], Any]


_REDACT, _REQUIRED = ("log", "redact"), ("required", "")
_ACTION_KEY = _Key("keys", 'a key, such as "ctrl+t", or a list of keys', _key_names)
_TABLES = ("prompt", "keys", "fleet", "required")  # sections that are read into one field
FLEET_DAYS, FLEET_MB = 30, 500  # defaults of [fleet] max_days and max_mb
_KEYS: Mapping[str, Mapping[str, _Key]] = {
    "run": {
        "formats": _Key("formats", f"a list with any of {', '.join(host_names())}", _formats),
        "on_hook_failure": _Key("on_hook_failure", "allow or deny", _one_of("allow", "deny")),
        "on_error": _Key("on_error", "allow or deny", _one_of("allow", "deny")),
        "gate_limit": _Key("gate_limit", "a whole number, 0 or more", _count),
        "warm": _Key("warm", "true or false", _truth),
        "env_keep": _Key("env_keep", "a list of names of variables", _texts),
    },
    "trust": {
        "require_covered": _Key("require_covered", "true or false", _truth),
        "allow_override": _Key("allow_override", "true or false", _truth),
    },
    "log": {
        "path": _Key("log_path", "a string", _path),
        "redact": _Key("redact", "a list of regular expressions", _texts),
        "keep_days": _Key("keep_days", "a whole number, 0 or more", _count),
        "keep_mb": _Key("keep_mb", "a whole number, 0 or more", _count),
    },
    "history": {
        "enabled": _Key("history_enabled", "true or false", _truth),
        "hosts": _Key("history_hosts", "a list of strings", _texts),
        "since": _Key("history_since", 'a time such as "30d", or "all"', _period),
        "exclude": _Key("history_exclude", "a list of directories", lambda value: tuple(map(_path, _texts(value)))),
    },
    "keys": {},
    "required": {
        "": _Key("required", "a list of tables with a name and a version of 32 hexadecimal digits", managed.read_required)
    },
    "hooks": {"enable": _Key("enable", "a list of strings", _texts)},
    "prompt": {
        "base_url": _Key("prompt", "a string", _text),
        "model": _Key("prompt", "a string", _text),
        "key_env": _Key("prompt", "a string", _text),
        "models": _Key("prompt", "a table of strings", _text_table),
    },
    "fleet": {
        "endpoint": _Key("ships", "an http or https URL", _url),
        "headers": _Key("ships", "a table of strings", _text_table),
        "level": _Key("ships", "metadata, reasons or full", _one_of("metadata", "reasons", "full")),
        "ship": _Key("ships", "auto or manual", _one_of("auto", "manual")),
        "attributes": _Key("ships", "a table of strings", _text_table),
        "hash_projects": _Key("ships", "true or false", _truth),
        "ca": _Key("ships", "a string", _path),
        "cert": _Key("ships", "a string", _path),
        "key": _Key("ships", "a string", _path),
        "proxy": _Key("ships", "an http or https URL", _url),
        "max_days": _Key("ships", "a whole number, 0 or more", _count),
        "max_mb": _Key("ships", "a whole number, 0 or more", _count),
        "url": _Key("ships", "a string", _text),
    },
}
