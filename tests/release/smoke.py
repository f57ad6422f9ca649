"""Smoke test of an installed hooktui. Needs pytest, and neither the checkout nor any other development dependency.

`make release-check` runs a copy of this file in fresh environments, on every supported Python.
"""

from __future__ import annotations

import _blake2
import _json
import _operator
import _signal
import _sqlite3
import _sre
import _thread
import ast
import asyncio
import importlib.metadata
import json
import marshal
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import hooktui

PACKAGE = Path(hooktui.__file__).parent
COMMAND = Path(sys.executable).with_name("hooktui")
DEADLINE_S = 60.0
SCREENS = ("live", "sessions", "diagnostics", "hooks")
# Every private name of CPython that the product uses; each has a test below.
PRIVATE = {
    "_blake2": {"blake2b"},
    "_imp": {"source_hash"},
    "_json": {"encode_basestring", "encode_basestring_ascii", "make_encoder", "make_scanner"},
    "_locale": {"CODESET", "Error", "LC_CTYPE", "nl_langinfo", "setlocale"},
    "_signal": {
        "ITIMER_PROF", "SIGCHLD", "SIGHUP", "SIGINT", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTERM", "SIGUSR1",
        "SIGUSR2", "SIGXFSZ", "SIG_DFL", "SIG_IGN", "SIG_SETMASK", "default_int_handler", "getsignal",
        "pthread_sigmask", "raise_signal", "set_wakeup_fd", "setitimer", "signal", "valid_signals",
    },
    "_sre": {"CODESIZE", "MAGIC", "compile"},
    "_sqlite3": {"Connection", "Error", "InterfaceError", "ProgrammingError", "connect"},
    "_thread": {"RLock"},
    "re._compiler": {"_code", "error"},
    "re._constants": {"AT", "BRANCH", "LITERAL", "SUBPATTERN"},
    "re._parser": {"parse"},
}  # fmt: skip
GUARD = """---
name: guard
description: Deny force pushes
trigger: pre-tool-call
matcher: {tool: Shell, pattern: "push.*--force"}
---
"""

WITHOUT_JSON = """
import sys
from hooktui.core import fast_json
text = '{"a": [1, 2.5, null, true, "e"]}'
assert fast_json.dumps(fast_json.loads(text)) == text
assert "json" not in sys.modules
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project below an empty home, whose user has one hook: it denies force pushes."""
    for name in [name for name in os.environ if name.startswith(("XDG_", "HOOKTUI_"))]:
        monkeypatch.delenv(name)
    home, project = tmp_path / "home", tmp_path / "project"
    scripts = home / ".config/agents/hooks/guard/scripts"
    scripts.mkdir(parents=True)
    project.mkdir()
    (scripts.parent / "HOOK.md").write_text(GUARD)
    (scripts / "run").write_text("#!/bin/sh\necho 'not by force' >&2\nexit 2\n")
    (scripts / "run").chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    return project


def run(project: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the installed command in the project."""
    command = [str(COMMAND), *arguments]
    return subprocess.run(command, cwd=project, input=stdin, capture_output=True, text=True, timeout=DEADLINE_S, check=False)


def call(project: Path, command: str) -> str:
    """An event before a shell command, as an agent sends it."""
    event = {"event_type": "pre-tool-call", "session_id": "s1", "work_dir": str(project), "tool_name": "Shell"}
    return json.dumps({**event, "tool_input": {"command": command}})


def test_metadata_and_command_name_the_same_version(project: Path) -> None:
    assert run(project, "--version").stdout == f"hooktui {importlib.metadata.version('hooktui')}\n"


def test_run_denies_and_logs_a_matching_call(project: Path) -> None:
    denied = run(project, "run", stdin=call(project, "git push --force"))
    assert (denied.returncode, denied.stderr.strip()) == (2, "not by force")
    logged = run(project, "log", "--json")
    assert [json.loads(line)["decision"] for line in logged.stdout.splitlines()] == ["deny"], logged


def test_run_allows_a_call_that_no_hook_matches(project: Path) -> None:
    assert run(project, "run", stdin=call(project, "git push")).returncode == 0


def test_a_rule_of_the_gallery_is_installed(project: Path) -> None:
    assert run(project, "new", "--from", "block-secrets", "--scope", "user").returncode == 0
    denied = run(project, "run", stdin=call(project, "cat .env"))
    assert (denied.returncode, ".env may hold secrets" in denied.stderr) == (2, True)


def test_list_names_the_hook(project: Path) -> None:
    listed = run(project, "list")
    assert listed.returncode == 0, listed.stderr
    assert "guard" in listed.stdout


def test_check_finds_a_bad_pattern(project: Path) -> None:
    assert run(project, "check").returncode == 0
    hook = project / ".agents/hooks/broken"
    (hook / "scripts").mkdir(parents=True)
    (hook / "scripts/run").write_text("#!/bin/sh\n")
    (hook / "scripts/run").chmod(0o755)
    (hook / "HOOK.md").write_text(GUARD.replace("guard", "broken").replace("push.*--force", "("))
    checked = run(project, "check", "--format", "json")
    assert "bad-regex" in checked.stdout, checked
    assert checked.returncode == 1, checked


def test_the_app_shows_all_four_screens(project: Path) -> None:
    run(project, "run", stdin=call(project, "git push --force"))
    asyncio.run(visit_screens(project))


async def visit_screens(project: Path) -> None:
    """Open the app and each of its screens; an error in the app is raised here."""
    from hooktui.app import HooktuiApp

    app = HooktuiApp(str(project))
    async with app.run_test(size=(120, 40)) as pilot:
        for screen in SCREENS:
            app.switch_mode(screen)
            await pilot.pause()
            assert app.current_mode == screen
        end = time.monotonic() + DEADLINE_S
        while "guard" not in app.export_screenshot():
            assert time.monotonic() < end, "the Hooks screen never named the hook"
            await pilot.pause(0.05)


def test_every_private_name_in_use_is_listed_here() -> None:
    used: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for module, name in private_names(ast.parse(path.read_text(encoding="utf-8"))):
            used.setdefault(module, set()).add(name)
    assert used == PRIVATE


def private_names(tree: ast.AST) -> set[tuple[str, str]]:
    """Each private standard module that a syntax tree imports, with the names that it uses of it."""
    names: set[tuple[str, str]] = set()
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update({alias.asname or alias.name: alias.name for alias in node.names if is_private(alias.name)})
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in sys.stdlib_module_names:
            for alias in node.names:
                if is_private(node.module):
                    names.add((node.module, alias.name))
                elif is_private(alias.name):
                    modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            names.add((modules[node.value.id], node.attr))
    return names


def is_private(module: str) -> bool:
    """Whether a part of a dotted name begins with one underscore."""
    return any(part.startswith("_") and not part.startswith("__") for part in module.split("."))


@pytest.mark.parametrize("module", PRIVATE)
def test_the_interpreter_has_every_private_name(module: str) -> None:
    assert {name for name in PRIVATE[module] if not hasattr(import_module(module), name)} == set()


def test_blake2_hashes_as_hashlib_does() -> None:
    import hashlib

    assert _blake2.blake2b(b"link", digest_size=16).digest() == hashlib.blake2b(b"link", digest_size=16).digest()


def test_json_scanner_and_encoder_work_without_the_json_module() -> None:
    subprocess.run([sys.executable, "-I", "-c", WITHOUT_JSON], check=True, timeout=DEADLINE_S)


def test_json_encoder_takes_the_arguments_of_the_fast_path() -> None:
    def refuse(value: object) -> object:
        raise TypeError(type(value).__name__)

    encode: Callable[..., Any] = _json.make_encoder
    parts = encode({}, refuse, _json.encode_basestring, None, ": ", ", ", False, False, True)({"a": "é"}, 0)
    assert "".join(parts) == '{"a": "é"}'


def test_attrgetter_reads_several_attributes() -> None:
    assert _operator.attrgetter("imag", "real")(1 + 2j) == (2.0, 1.0)


def test_rlock_may_be_taken_twice_by_its_thread() -> None:
    lock = _thread.RLock()
    with lock, lock:
        pass


def test_signal_handlers_and_timers_work() -> None:
    before = _signal.getsignal(_signal.SIGUSR1)
    received: list[int] = []
    try:
        _signal.signal(_signal.SIGUSR1, lambda number, _: received.append(number))
        os.kill(os.getpid(), _signal.SIGUSR1)
        _signal.signal(_signal.SIGUSR1, _signal.SIG_IGN)
        os.kill(os.getpid(), _signal.SIGUSR1)
    finally:
        _signal.signal(_signal.SIGUSR1, before)
    assert received == [_signal.SIGUSR1]
    _signal.setitimer(_signal.ITIMER_PROF, 0.0)


@pytest.mark.skipif(sys.platform != "linux", reason="process descriptors exist on Linux only")
def test_a_process_descriptor_takes_a_signal() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        descriptor = os.pidfd_open(process.pid)
        _signal.pidfd_send_signal(descriptor, _signal.SIGKILL)
        os.close(descriptor)
        assert process.wait(DEADLINE_S) == -_signal.SIGKILL


def test_regexes_run_from_their_stored_code() -> None:
    from hooktui.catalog.plan_writer import regex_code

    for regex in (r"^git\s+push\b", r"(?i)\A(?:bash|(?P<shell>shell))\Z", r"(a|b)+?(?=c)[^\d_]{2,}"):
        stored = regex_code(regex)
        assert stored
        provided, known = _sre.compile(regex, *marshal.loads(marshal.dumps(stored))), re.compile(regex)
        assert provided == known
        assert (provided.groups, provided.groupindex, provided.flags) == (known.groups, known.groupindex, known.flags)


def test_sqlite_works_without_the_sqlite3_module(tmp_path: Path) -> None:
    connection = _sqlite3.connect(str(tmp_path / "log.db"), timeout=1.0, isolation_level=None, check_same_thread=False)
    assert isinstance(connection, _sqlite3.Connection)
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, detail = none, content = '')")
    with pytest.raises(_sqlite3.Error):
        connection.execute("SELECT nothing")
    assert issubclass(_sqlite3.ProgrammingError, _sqlite3.Error)
    assert issubclass(_sqlite3.InterfaceError, _sqlite3.Error)
    connection.close()


def test_the_regex_parser_yields_the_opcodes_that_are_read() -> None:
    codes = import_module("re._constants")
    tree = import_module("re._parser").parse(r"(?>a)(?=b)(?!c)(d|e\d)*?f++.[^g-h]\b")
    assert [code for code, _ in tree] == [
        codes.ATOMIC_GROUP, codes.ASSERT, codes.ASSERT_NOT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT, codes.ANY, codes.IN,
        codes.AT,
    ]  # fmt: skip
