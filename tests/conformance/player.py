"""Plays a case: files in a throw-away home and project, then real `hooktui` commands, one after another.

The cases are written as in `cases/`, in the words that the maintainers' own collection of cases uses, so that a case can be
moved from one to the other.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from hooktui.catalog import catalog
from hooktui.runner import trust
from tests import fork_server
from tests.command_world import DEADLINE_S
from tests.conformance.subset import differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    Case = Mapping[str, Any]
    Run = Callable[[list[str], bytes, Mapping[str, str], Path], subprocess.CompletedProcess[bytes]]

DEFAULT_ARGS = ["run", "--json"]
_EVENT_KEYS = ("hook_event_name", "hookEventName", "toolName")  # payloads of other hosts have no work_dir


class Stage:
    """The directories of one case. `run` may be played by another runner than a new process."""

    def __init__(self, root: Path, run: Run | None = None) -> None:
        self._run = run
        self.home, self.project = root / "home", root / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.names = {"{project}": str(self.project), "{home}": str(self.home)}
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "TERM": "dumb", "LANG": "C.UTF-8"}

    def play(self, case: Case) -> list[str]:
        """A result that differs from the expectation."""
        self.write(case.get("files") or {})
        self.environment |= self._filled(case.get("env") or {})
        if case.get("trust", True) and any(not name.startswith("~/") for name in case.get("files") or {}):
            self._approve()
        steps = case.get("steps") or [case]
        return [f"step {number}: {problem}" for number, step in enumerate(steps, 1) for problem in self._step({**case, **step})]

    def write(self, files: Mapping[str, Any]) -> None:
        """Create the files of a case; `~/` is the home, other paths are relative to the project."""
        for name, spec in files.items():
            path = self.place(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            built = _built(self._filled(spec))
            _make(path, built if isinstance(built, dict) else {"text": built})

    def place(self, name: str) -> Path:
        """The path behind a name in a case."""
        return self.home / name[2:] if name.startswith("~/") else self.project / name

    def _approve(self) -> None:
        """Approve as `hooktui trust` does, but in this process: two more commands for most cases would double the time."""
        with patch.dict(os.environ, self.environment, clear=True):
            found = catalog.load(str(self.project))
            theirs = [hook for hook in found.hooks if trust.needs_approval(hook)]
            trust.approve(found.project, {hook.identity: trust.digest(hook) for hook in theirs})

    def _step(self, step: Case) -> Iterator[str]:
        self.write(step.get("change") or {})
        expect = self._filled(step.get("expect") or {})
        started = time.monotonic()
        done = self._call(self._filled(step.get("args", DEFAULT_ARGS)), self._stdin(step.get("stdin", b"")))
        if time.monotonic() - started > expect.get("within_s", DEADLINE_S):
            yield f"took longer than {expect['within_s']} s"
        for check, wanted in expect.items():
            yield from _CHECKS[check](self, wanted, done)

    def _call(self, arguments: list[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        words = [str(argument) for argument in arguments]
        if self._run and words[:1] == ["run"]:
            return self._run(words[1:], stdin, self.environment, self.project)
        return fork_server.run(words, stdin, self.environment, self.project, DEADLINE_S)

    def _stdin(self, spec: Any) -> bytes:
        built = _built(self._filled(spec))
        if isinstance(built, dict):
            built = {"cwd": str(self.project), **built}
            if not any(key in built for key in _EVENT_KEYS):
                built.setdefault("work_dir", str(self.project))
            built = json.dumps(built)
        return built.encode() if isinstance(built, str) else bytes(built)

    def _filled(self, value: Any) -> Any:
        """The value with {project} and {home} replaced in all its texts."""
        if isinstance(value, str):
            for name, path in self.names.items():
                value = value.replace(name, path)
        elif isinstance(value, list):
            return [self._filled(item) for item in value]
        elif isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        return value


def _built(value: Any) -> Any:
    """The value with `$text` … `$times` repeated and `$join` joined: long texts, and secrets that must not be in the file."""
    if isinstance(value, list):
        return [_built(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$join" in value:
        return "".join(map(str, _built(value["$join"])))
    if "$text" in value:
        return str(value["$text"]) * int(value.get("$times", 1))
    return {key: _built(item) for key, item in value.items()}


def _make(path: Path, spec: Mapping[str, Any]) -> None:
    if "link" in spec:
        path.symlink_to(spec["link"])
        return
    if spec.get("fifo"):
        os.mkfifo(path)
    elif spec.get("dir"):
        path.mkdir(exist_ok=True)
    elif "hex" in spec:
        path.write_bytes(bytes.fromhex(spec["hex"]))
    else:
        path.write_bytes(spec.get("text", "").encode() * spec.get("times", 1))
    if "mode" in spec:
        path.chmod(int(str(spec["mode"]), 8))


Done = subprocess.CompletedProcess[bytes]


def _exit(_stage: Stage, wanted: Any, done: Done) -> Iterator[str]:
    codes = wanted if isinstance(wanted, list) else [wanted]
    if done.returncode not in codes:
        yield f"exit {done.returncode}, wanted {wanted}; stderr: {done.stderr.decode(errors='replace')[-300:]}"


def _json(_stage: Stage, wanted: Any, done: Done) -> Iterator[str]:
    try:
        came = json.loads(done.stdout)
    except ValueError:
        yield f"stdout is no JSON: {done.stdout[:200]!r}; stderr: {done.stderr.decode(errors='replace')[-300:]}"
        return
    yield from differences(wanted, came)


def _stream(name: str, rule: str, passes: Callable[[str, str], bool]) -> Callable[[Stage, Any, Done], Iterator[str]]:
    """A check of one output: every text of a list, or the one, must pass."""

    def check(_stage: Stage, wanted: Any, done: Done) -> Iterator[str]:
        came = getattr(done, name).decode(errors="replace")
        for text in wanted if isinstance(wanted, list) else [wanted]:
            if not passes(_built(text), came):
                yield f"{name} {rule} {text!r}: {came[:300]!r}"

    return check


def _exists(expected: bool) -> Callable[[Stage, Any, Done], Iterator[str]]:
    def check(stage: Stage, wanted: Any, _done: Done) -> Iterator[str]:
        for name in wanted if isinstance(wanted, list) else [wanted]:
            if stage.place(name).exists() != expected:
                yield f"{name} {'is missing' if expected else 'exists'}"

    return check


def _tree_lacks(stage: Stage, wanted: Any, _done: Done) -> Iterator[str]:
    for name, pieces in wanted.items():
        files = [path for path in stage.place(name).rglob("*") if path.is_file()]
        if not files:
            yield f"{name} holds no file at all"
        for path in files:
            content = path.read_bytes()
            yield from (f"{path} has {piece!r}" for piece in _built(pieces) if piece.encode() in content)


_CHECKS: Mapping[str, Callable[[Stage, Any, Done], Iterator[str]]] = {
    "exit": _exit,
    "exit_in": _exit,
    "json": _json,
    "file_exists": _exists(True),
    "file_absent": _exists(False),
    "tree_lacks": _tree_lacks,
    "within_s": lambda _stage, _wanted, _done: iter(()),  # seen where the time is measured
} | {
    f"{name}{suffix}": _stream(name, rule, passes)
    for name in ("stdout", "stderr")
    for suffix, rule, passes in (
        ("", "is not", lambda wanted, came: wanted == came),
        ("_has", "lacks", lambda wanted, came: wanted in came),
        ("_lacks", "has", lambda wanted, came: wanted not in came),
        ("_re", "does not fit", lambda wanted, came: re.search(wanted, came) is not None),
    )
}
