"""The user's configuration (docs/configuration.md). Never read from a project.

A value that makes no sense is said and its default stands; all others count: a slip must not take a guard away. `tomllib` is
imported only here, and the fast path takes the settings from the compiled index instead.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui.core import paths
from hooktui.core.settings import Settings, host_names
from hooktui.core.suggest import closest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class ConfigError(ValueError):
    """The configuration has a fault; the message names the file, the value and what it must be."""


class Fault(NamedTuple):
    """What makes no sense, and the line (1-based) where it is written; 0 where that is not known."""

    message: str
    line: int = 0

    def __str__(self) -> str:
        place = f":{self.line}" if self.line else ""
        return f"{paths.short(paths.config_file())}{place}: {self.message}"


def load() -> Settings:
    """The settings of the user's file, the defaults without one. Raises ConfigError at the first fault."""
    settings, faults = examined()
    if faults:
        raise ConfigError(str(faults[0]))
    return settings


def load_or_defaults() -> tuple[Settings, str | None]:
    """The user's settings, with the default for each that has a fault, and the faults in words."""
    settings, faults = examined()
    return settings, "; ".join(map(str, faults)) or None


def examined() -> tuple[Settings, list[Fault]]:
    """The user's settings, with the default for each that has a fault, and the faults."""
    found: dict[tuple[str, str], Any] = {}
    faults = []
    try:
        text = _text_of(paths.config_file())
        for section, name, value in _values(tomllib.loads(text)):
            try:
                found[section, name] = _value(section, name, value)
            except ConfigError as error:
                faults.append(Fault(str(error), _line_in(text, section, name)))
        faults += _drop_bad_patterns(found, text)
        prompt = _endpoint(found)
    except (ConfigError, ValueError, RecursionError) as error:
        told = re.search(r"at line (\d+)", str(error))
        faults.append(Fault(str(error), int(told[1]) if told else 0))
        prompt = None
    fields = {_KEYS[section][name].field: value for (section, name), value in found.items() if section not in _TABLES}
    keys = {name: value for (section, name), value in found.items() if section == "keys"}
    return Settings(**fields, prompt=prompt, keys=keys), faults


def line_of(section: str, name: str) -> int:
    """The line (1-based) on which the user's file gives a value, in the usual ways to write one; 1 when it is not found."""
    try:
        return _line_in(_text_of(paths.config_file()), section, name) or 1
    except (ConfigError, ValueError):
        return 1


def _line_in(text: str, section: str, name: str) -> int:
    """The line of a value, else the one on which its section begins; 0 when neither is found."""
    here, begins = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        heading = re.match(r"\s*\[([^\[\]]+)\]", line)
        here = heading[1].strip() if heading else here
        if here == section and re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=", line):
            return number
        if (heading and here == section) or (not here and re.match(rf"\s*{re.escape(section)}\s*=", line)):
            begins = begins or number
    return begins


def _text_of(path: str) -> str:
    if os.path.exists(path) and not os.path.isfile(path):
        raise ConfigError("no ordinary file")  # a FIFO would keep every agent waiting
    try:
        with open(path, "rb") as file:
            return file.read().decode()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise ConfigError(str(error)) from error


def _drop_bad_patterns(found: dict[tuple[str, str], Any], text: str) -> list[Fault]:
    """Leave out what is no regular expression: one slip must not let all other secrets into the log."""
    faults, sound = [], []
    for pattern in found.get(_REDACT, ()):
        try:
            sound.append(re.compile(pattern).pattern)
        except (re.error, OverflowError, RecursionError) as error:
            message = f"[log] redact: {pattern} is no regular expression ({error}) and redacts nothing; the others do"
            faults.append(Fault(message, _line_of(pattern, text)))
    if faults:
        found[_REDACT] = tuple(sound)
    return faults


def _line_of(value: str, text: str) -> int:
    """The line on which a TOML file gives a text, in the usual ways to write one; 0 when it is not found."""
    written = (f"'{value}'", json.dumps(value, ensure_ascii=False))
    return next((number for number, line in enumerate(text.split("\n"), 1) if any(one in line for one in written)), 0)


def _values(table: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Each (section, name, value); a section that is no table has the name ''."""
    for section, content in table.items():
        if isinstance(content, dict):
            yield from ((section, name, value) for name, value in content.items())
        else:
            yield section, "", content


def _value(section: str, name: str, value: Any) -> Any:
    if section not in _KEYS:
        raise ConfigError(f"[{section}] is unknown{_meant(section, _KEYS)}")
    if not name:
        raise ConfigError(f"[{section}] must be a table")
    if section != "keys" and name not in _KEYS[section]:
        raise ConfigError(f"[{section}] {name} is unknown{_meant(name, _KEYS[section])}")
    key = _KEYS[section].get(name, _OF_AN_ACTION)
    try:
        return key.read(value)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"[{section}] {name} must be {key.rule}") from error


def _meant(word: str, known: Mapping[str, object]) -> str:
    near = closest(word, known)
    return f": did you mean {near}?" if near else f": there are {', '.join(known)}"


def _endpoint(found: Mapping[tuple[str, str], Any]) -> dict[str, Any] | None:
    """Where prompt hooks ask a model: both its address and the model are needed."""
    given = {name: value for (section, name), value in found.items() if section == "prompt"}
    if not given:
        return None
    for name in ("base_url", "model"):
        if name not in given:
            raise ConfigError(f"[prompt] {name} is missing")
    return {"key_env": None, "models": {}, **given}


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
    def read(value: Any) -> str:
        return choices[choices.index(value)]

    return read


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def _formats(value: Any) -> tuple[str, ...]:
    """AgentHooks and those given (contract.md, `--format`)."""
    return tuple(dict.fromkeys(("agenthooks", *map(_one_of(*host_names()), _texts(value)))))


def _path(value: Any) -> str:
    return os.path.abspath(os.path.expanduser(_text(value)))


def _table_of_texts(value: Any) -> dict[str, str]:
    return {name: _text(text) for name, text in dict(value).items()}


class _Key(NamedTuple):
    """A setting: its field, what its value must be, and how that is read (TypeError or ValueError when it is not so)."""

    field: str
    rule: str
    read: Callable[[Any], Any]


_REDACT = ("log", "redact")
_OF_AN_ACTION = _Key("keys", 'a key, as "ctrl+t", or a list of keys', _key_names)  # the screens know which actions there are
_TABLES = ("prompt", "keys")  # sections that are one field of the settings
_KEYS: Mapping[str, Mapping[str, _Key]] = {
    "run": {
        "formats": _Key("formats", f"a list of {', '.join(host_names())}", _formats),
        "on_hook_failure": _Key("on_hook_failure", "allow or deny", _one_of("allow", "deny")),
        "on_error": _Key("on_error", "allow or deny", _one_of("allow", "deny")),
        "gate_limit": _Key("gate_limit", "a whole number from 0", _count),
    },
    "log": {
        "path": _Key("log_path", "a text", _path),
        "redact": _Key("redact", "a list of regular expressions", _texts),
        "keep_days": _Key("keep_days", "a whole number from 0", _count),
        "keep_mb": _Key("keep_mb", "a whole number from 0", _count),
    },
    "keys": {},
    "hooks": {"enable": _Key("enable", "a list of texts", _texts)},
    "prompt": {
        "base_url": _Key("prompt", "a text", _text),
        "model": _Key("prompt", "a text", _text),
        "key_env": _Key("prompt", "a text", _text),
        "models": _Key("prompt", "a table of texts", _table_of_texts),
    },
}
