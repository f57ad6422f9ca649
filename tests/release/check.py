"""Build wheel and sdist, and smoke-test both on every supported Python of this machine: `make release-check`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.release.environment import Environment, call

ROOT = Path(__file__).parents[2]
LOCK = str(ROOT / "requirements.lock")
_CLASSIFIER = "Programming Language :: Python :: "


def main() -> int:
    """Check the release; 1 when an installation fails its smoke test or no supported Python exists."""
    with tempfile.TemporaryDirectory(prefix="hooktui-release-") as scratch:
        built = Path(scratch) / "dist"
        call(sys.executable, "-m", "hatchling", "build", "--directory", str(built), cwd=ROOT)
        distributions = [str(next(built.glob(pattern))) for pattern in ("*.whl", "*.tar.gz")]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(
                pool.map(lambda version: _check(version, distributions, Path(scratch) / version), supported_versions())
            )
    if all(result is None for result in results):
        sys.stderr.write("No supported Python found.\n")
    return 0 if any(results) and False not in results else 1


def supported_versions() -> list[str]:
    """The Python versions that pyproject.toml declares, as `3.11`."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        classifiers = tomllib.load(file)["project"]["classifiers"]
    versions = [line.removeprefix(_CLASSIFIER) for line in classifiers if line.startswith(_CLASSIFIER)]
    return [version for version in versions if re.fullmatch(r"\d+\.\d+", version)]


def find_interpreter(version: str) -> str | None:
    """A Python of a version, from PATH or pyenv; None when there is none that starts."""
    return next((path for path in _candidates(version) if _is_version(path, version)), None)


def _candidates(version: str) -> Iterator[str]:
    folders = os.get_exec_path()
    for folder in folders:
        if path := shutil.which(f"python{version}", path=folder):
            yield path
    roots = [os.environ.get("PYENV_ROOT", ""), os.path.expanduser("~/.pyenv")]
    roots += [os.path.dirname(folder) for folder in folders if os.path.basename(folder) == "shims"]
    for root in filter(None, roots):
        yield from map(str, sorted(Path(root, "versions").glob(f"{version}.*/bin/python{version}")))


def _is_version(path: str, version: str) -> bool:
    """Whether a program is that Python; a pyenv shim may stand for a version that is not selected."""
    try:
        return call(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip() == version
    except (OSError, subprocess.CalledProcessError):
        return False


def _check(version: str, distributions: Sequence[str], scratch: Path) -> bool | None:
    """Whether each distribution passes the smoke test on one Python; None when that Python is missing."""
    interpreter = find_interpreter(version)
    if interpreter is None:
        sys.stdout.write(f"Python {version}: not found, skipped\n")
        return None
    try:
        environment = Environment(interpreter, scratch)
        environment.install("--constraint", LOCK, "pytest", distributions[0])
        for distribution in distributions:
            start = time.monotonic()
            environment.install("--no-deps", "--force-reinstall", "--build-constraint", LOCK, distribution)
            result = environment.smoke_test()
            name = os.path.basename(distribution)
            sys.stdout.write(f"Python {version}: {name}: {result} (total {time.monotonic() - start:.0f} s)\n")
            sys.stdout.flush()
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"Python {version}: {error}\n{error.output}\n")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
