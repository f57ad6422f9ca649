"""Start the process of a hook, in a session of its own."""

from __future__ import annotations

import _signal as signal  # `signal` would import `enum`
import errno
import os

from hooktui.runner import interruption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

# The system has run out of a resource, which is not the hook's fault.
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
# Reset before exec, which would keep the two that Python ignores.
_RESET = (signal.SIGPIPE, signal.SIGXFSZ, *interruption.ENDING)


def spawn(argv: tuple[str, ...], cwd: str, env: Mapping[str, str], pipes: tuple[int, int, int], failure: int) -> int:
    """Start a command in a session of its own and return its process. Raises OSError.

    `posix_spawn` copies no memory of this process, but starts the command where this process is: elsewhere it is forked,
    and writes an error to `failure`.
    """
    if not _is_here(cwd):
        return os.fork() or _become(argv, cwd, env, pipes, failure)
    streams = [(os.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(pipes)]
    missing: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0])
    for program in _programs(argv[0], env):
        try:
            return os.posix_spawn(program, argv, env, file_actions=streams, setsid=True, setsigdef=_RESET)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except ValueError as error:  # a null byte
            raise OSError(errno.EINVAL, str(error)) from error
        except OSError as error:
            if program == argv[0] or error.errno in EXHAUSTED:
                raise
            missing = error
    raise missing


def _is_here(directory: str) -> bool:
    try:
        return os.getcwd() == directory
    except OSError:  # ours was deleted
        return False


def _programs(name: str, env: Mapping[str, str]) -> Sequence[str]:
    """The files that may be the program of a command, by the `PATH` of its environment."""
    if os.sep in name:
        return (name,)
    return [os.path.join(directory, name) for directory in env.get("PATH", os.defpath).split(os.pathsep)]


def _become(argv: tuple[str, ...], cwd: str, env: Mapping[str, str], pipes: tuple[int, int, int], failure: int) -> NoReturn:
    """In the forked child: execute the command, or write the error to `failure`."""
    try:
        os.setsid()
        for target, fd in enumerate(pipes):
            os.dup2(fd, target)
        for number in _RESET:
            signal.signal(number, signal.SIG_DFL)
        os.chdir(cwd)
        os.execvpe(argv[0], argv, env)
    except OSError as error:
        os.write(failure, f"{error.strerror}: {error.filename or argv[0]}".encode(errors="replace"))
    except ValueError as error:  # a null byte
        os.write(failure, str(error).encode(errors="replace"))
    finally:
        os._exit(127)
