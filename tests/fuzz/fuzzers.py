"""What reads text from outside: each fuzzer reads anything, or refuses it by the reader's own error.

A fuzzer is a Hypothesis property without parameters. `FUZZERS` names them all.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from hooktui import formats, hosts
from hooktui.cli import run
from hooktui.core import config
from hooktui.core.model import Event, Hook
from hooktui.engine import protocols
from hooktui.engine.process import Ended
from hooktui.formats.shell import scripts
from hooktui.formats.shell.main_program import main_program
from hooktui.formats.shell.names import names
from hooktui.log.read import query
from hooktui.security import redaction, trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WORDS = st.sampled_from(
    ["hooks", "PreToolUse", "pre-tool-call", "matcher", "command", "type", "timeout", "decision", "deny", "reason", "tool_name",
     "tool_input", "session_id", "event_type", "hook_event_name", "hookSpecificOutput", "permissionDecision", "name", "trigger",
     "version", "if", "spec", "since", "event", "project", "kind", "dispatch", "session", "runs", "hook", "id",
     "/project"]
)  # fmt: skip
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | _WORDS
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS | st.text(max_size=5), inner, max_size=5)
)
_OBJECTS = st.dictionaries(_WORDS | st.text(max_size=5), _VALUES, max_size=6)
_TEXTS = st.text() | _OBJECTS.map(json.dumps)
_BYTES = st.binary(max_size=200) | _TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))
_FRONTMATTER = _TEXTS.map(lambda text: f"---\n{text}\n---\n")


def _texts_of(*pieces: str) -> st.SearchStrategy[str]:
    """Texts of a language: its words in any order, with anything between them."""
    return st.lists(st.sampled_from(pieces) | st.text(max_size=4)).map("".join)


_QUERIES = _texts_of(
    ":", "-", '"', "*", " ", "since:", "event:", "decision:", "slower:", "effect:", "200ms", "2h", "deny", "\\"
)
_SCRIPTS = _texts_of(
    "sh ", "bash -c ", "python3 -m ", "./a.sh", "&&", "|", ";", "$(", ")", "`", "${", "}", "'", '"', "<<E\n", "\nE\n", "if ",
    " then ", " fi ", "{", "(", "cd ", "env A=b ", "#", "\\\n", "$HOME/"
)  # fmt: skip
_CONFIGURATIONS = _texts_of(
    "[run]\n",
    "[log]\n",
    "[keys]\n",
    "[trust]\n",
    "redact",
    "on_error",
    "quit",
    "=",
    "'(a'",
    "[",
    "]",
    "true",
    "3",
    '"x"',
    "\n",
    ".",
)


@contextmanager
def _home() -> Iterator[Path]:
    """A home of one example."""
    others = {name: "" for name in os.environ if name.startswith("XDG_")}
    with tempfile.TemporaryDirectory() as home, mock.patch.dict(os.environ, others | {"HOME": home}):
        yield Path(home)


def _hook_file(name: str) -> Callable[[], None]:
    @given(text=_TEXTS | _FRONTMATTER)
    def read(text: str) -> None:
        formats.load(name).parse(text, f"/project/{name}", "project")

    return read


def _event(name: str) -> Callable[[], None]:
    @given(payload=_OBJECTS)
    def read(payload: dict[str, Any]) -> None:
        try:
            event = hosts.read(name, payload, None, "2026-01-01T00:00:00Z")
        except hosts.UnreadableEvent as error:
            assert str(error)
        else:
            assert isinstance(event.name, str)
            assert isinstance(event.session_id, str)

    return read


def _output(name: str) -> Callable[[], None]:
    hook = Hook(
        id="x", name="x", event="pre-tool-call", event_as_written="pre-tool-call", format=name, scope="user", file="/x", line=1,
        source=formats.detached_source(name),
    )  # fmt: skip
    event = Event(
        name="pre-tool-call", as_written="PreToolUse", known=True, host=name, session_id="s", work_dir="/", timestamp="",
        tool_name="Bash", tool_input={},
    )  # fmt: skip

    @given(stdout=_BYTES, code=st.sampled_from([0, 1, 2, 127, -9]))
    def read(stdout: bytes, code: int) -> None:
        result = protocols.load(name).read(hook, event, Ended(exit_code=code, stdout=stdout, stderr=stdout))
        assert result.state in ("ok", "failed", "invalid-output")
        if result.state != "ok":
            assert result.outcome.decision in ("none", "deny")  # some hosts deny when a hook fails

    return read


@given(content=_BYTES)
def _stdin(content: bytes) -> None:
    limit = sys.getrecursionlimit()  # which reading raises
    try:
        assert isinstance(run.read_stdin(content), dict)
    except run.UnreadableStdin as error:
        assert str(error)
    finally:
        sys.setrecursionlimit(limit)


@given(text=_QUERIES)
def _query(text: str) -> None:
    try:
        query.parse(text)
    except query.QueryError as error:
        assert str(error)


@given(text=_SCRIPTS)
def _command(text: str) -> None:
    names(text)
    main_program(text)
    for script in scripts.in_command(text, "/project", {}):
        assert script.path


@given(text=_TEXTS | _SCRIPTS)
def _secrets(text: str) -> None:
    assert redaction.redact(redaction.redact(text)) == redaction.redact(text)


@given(content=_BYTES | _CONFIGURATIONS.map(str.encode))
def _configuration(content: bytes) -> None:
    with _home() as home:
        (home / ".config/hooktui").mkdir(parents=True)
        (home / ".config/hooktui/config.toml").write_bytes(content)
        _settings, faults = config.load_with_faults()
        assert all(map(str, faults))


@given(content=_BYTES)
def _trust_store(content: bytes) -> None:
    with _home():
        os.makedirs(os.path.dirname(trust.store_path()))
        Path(trust.store_path()).write_bytes(content)
        for approved in trust.approvals("/project").values():
            assert all(isinstance(digest, str) for digest in approved)


FUZZERS: dict[str, Callable[[], None]] = {
    **{f"hook-file-{name}": _hook_file(name) for name in hosts.names()},
    **{f"event-{name}": _event(name) for name in hosts.names()},
    **{f"output-{name}": _output(name) for name in hosts.names()},
    "stdin": _stdin,
    "query": _query,
    "command": _command,
    "secrets": _secrets,
    "configuration": _configuration,
    "trust-store": _trust_store,
}
