"""The launcher: a shell script outside hooktui's virtual environment, which the entries in hook files call.

It starts the Python that `connect` ran in. When that Python or its hooktui is gone, an observed command still runs, and a
call for hooktui itself notifies the user once per session, with a mark like those of `runner/skip_notices.py`. All connections
of a user share it, so that two hooktuis write equal commands. The client of the warm runner comes first when there is one
(`cli/warm_client.py`); it gets the command line of Python, to become it when no warm runner listens.
"""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress

from hooktui import hosts
from hooktui.connect import bundle
from hooktui.core import paths
from hooktui.scripts import hooktui_commands

MODE = 0o755
_ASSIGNED = "python="
_IMPORT_S = 10.0
# What handling an event imports, with the packages that it needs: from the bundle, a part of it may outlive the rest.
_NEEDED = ("hooktui.runner.run", "hooktui.runner.execute", "hooktui.catalog.catalog", "hooktui.formats.yaml_composer")
# Anything wrong with the bundle leads to the sources. Import errors count as "gone" only until `main` starts: after that a
# command may have run already.
_START = """\
import sys
launcher, *arguments = sys.argv[1:]
bundle, finder = launcher + ".bundle", None
try:
    with open(bundle, "rb") as file:
        content = file.read()
    head = f"{sys.version}\\0{sys.executable}\\0".encode()
    if content.startswith(head):
        from marshal import loads
        code, modules = loads(memoryview(content)[len(head):])
        names = {}
        exec(loads(code), names)
        finder = names["install"](modules)
except Exception:
    pass
if finder is None:
    import site
    site.main()
try:
    from hooktui.__main__ import main
except ImportError:
    import os
    os.execv(launcher, [launcher, "--gone", *arguments[2:]])
sys.argv[1:] = arguments
main(bundle, finder)"""
_SCRIPT = """\
#!/bin/sh
# Agent programs call this to reach hooktui. `hooktui connect` wrote it.
#   hook HOST [EVENT]                handle an event
#   hook HOST -- COMMAND [ARGUMENT]  run and observe a command of the host; it runs even when hooktui is gone
python={python}
start={start}
if [ "$1" = --gone ]; then
    shift
elif [ -x "$python" ]; then
    if [ "$2" = -- ]; then
        exec "$python" -I -S -c "$start" "$0" exec --host "$@"
    elif [ -d "$0.warm" ] && read -r boot < /proc/sys/kernel/random/boot_id && [ -x "$0.warm/$boot" ]; then
        exec "$0.warm/$boot" "$python" -I -S -c "$start" "$0" run --host "$@"
    fi
    exec "$python" -I -S -c "$start" "$0" run --host "$@"
fi
host=$1
shift
if [ "$1" = -- ]; then
    shift
    exec "$@"
fi
session=$(tr -d '\\n' | sed -n 's/.*"session_*[Ii]d" *: *"\\([A-Za-z0-9_-]*\\)".*/\\1/p')
case $XDG_STATE_HOME in /*) state=$XDG_STATE_HOME ;; *) state=$HOME/.local/state ;; esac
mark=$state/hooktui/sessions/notices/gone-$host-$session
case "$host $1" in
{silent}
esac
umask 077
if [ -n "$session" ] && mkdir -p "${{mark%/*}}" 2> /dev/null && ! (set -C; : > "$mark") 2> /dev/null && [ -e "$mark" ]; then
    exit 0
fi
case $host in
{answers}
esac
"""


def write() -> None:
    """Write the launcher for this Python, and its bundle. Raises OSError."""
    write_bundle(paths.launcher())
    paths.write_private(paths.launcher(), text().encode(errors="surrogateescape"), MODE)


def write_bundle(launcher: str, mode: int = 0o600) -> None:
    """Write the bundle of a launcher. Without it, an event takes longer."""
    with suppress(OSError):  # the next event of a user who may write there writes it
        bundle.write(launcher + bundle.SUFFIX)
        os.chmod(launcher + bundle.SUFFIX, mode)


def remove_bundle(launcher: str) -> None:
    """Delete the bundle of a launcher."""
    with suppress(OSError):
        os.unlink(launcher + bundle.SUFFIX)


def is_current() -> bool:
    """Whether the launcher calls this Python."""
    path = paths.launcher()
    return _read(path) == text() and os.access(path, os.X_OK)


def text() -> str:
    """The launcher's text for this Python."""
    start, answers = shlex.quote(_START), "\n".join(map(_answer, hosts.names()))
    silent = "\n".join(filter(None, map(_silence, hosts.names())))
    return _SCRIPT.format(python=shlex.quote(sys.executable), start=start, answers=answers, silent=silent)


def _silence(host: str) -> str:
    """The branch that answers every event, or keeps the message for those at which the host shows it; "" for no branch."""
    if answer := hosts.spec(host).gone_answer(_message(host)):
        return f"'{host} '*) printf '%s\\n' {shlex.quote(json.dumps(answer))}; exit 0 ;;"
    if shown := "|".join(f"'{host} {event}'" for event in _shown_at_exit_2(host)):
        return f"{shown}) ;;\n'{host} '*) exit 0 ;;"
    return ""


def _shown_at_exit_2(host: str) -> list[str]:
    spec = hosts.spec(host)
    return [event for event in spec.events if spec.shows_exit_2(event)]


def _answer(host: str) -> str:
    """The branch for a host when hooktui is gone: standard output or exit 2 if the host shows that to the person only."""
    message = _message(host)
    if _shown_at_exit_2(host):
        return f"{host}) printf '%s\\n' {shlex.quote(message)} >&2; exit 2 ;;"
    if hosts.spec(host).notices == "systemMessage":
        return f"{host}) printf '%s\\n' {shlex.quote(json.dumps({'systemMessage': message}))} ;;"
    return f"{host}) printf '%s\\n' {shlex.quote(message)} >&2 ;;"


def _message(host: str) -> str:
    message = f"hooktui is gone from {paths.short(sys.executable)}: HOOK.md hooks do not run, and nothing is recorded. "
    return message + f"{hosts.spec(host).title} still runs its own hooks. Install hooktui again, then run `hooktui doctor`."


def is_open_to_all(program: str) -> bool:
    """Whether every user may run a program, by the modes of its files and directories."""
    links = dict.fromkeys((program, os.path.realpath(program)))
    places = [*links, *(above for path in links for above in _above(path))]
    return all(os.stat(place).st_mode & stat.S_IXOTH for place in places)


def _above(path: str) -> Iterator[str]:
    """The directories above a path."""
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        yield path


def python(program: str) -> str:
    """The Python that a launcher starts, "" if it names none; in older entries the program is the Python."""
    if not hooktui_commands.is_launcher(program):
        return program
    line = next((line for line in _read(program).splitlines() if line.startswith(_ASSIGNED)), _ASSIGNED)
    return "".join(shlex.split(line.removeprefix(_ASSIGNED)))


def trouble(program: str) -> str:
    """Why a launcher, or a Python in an older entry, does not reach hooktui; "" if it does."""
    if not os.access(program, os.X_OK):
        return f"{paths.short(program)} cannot be run"
    interpreter = python(program)
    if not os.access(interpreter, os.X_OK):
        return f"{paths.short(interpreter)} cannot be run"
    return (
        ""
        if interpreter == sys.executable or _has_hooktui(interpreter)
        else f"{paths.short(interpreter)} lacks hooktui or one of its packages"
    )


def _has_hooktui(interpreter: str) -> bool:
    import subprocess

    command = (interpreter, "-I", "-c", f"import {', '.join(_NEEDED)}")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_IMPORT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""
