"""Fresh environments that hooktui is installed in and smoke-tested."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SMOKE = Path(__file__).with_name("smoke.py")
PYTEST_OPTIONS = ("-q", "-c", os.devnull, "-p", "no:cacheprovider")


class Environment:
    """A virtual environment of one Python. Everything raises CalledProcessError with the output of what failed."""

    def __init__(self, interpreter: str, directory: Path) -> None:
        self.directory = directory
        self.python = directory / "bin" / "python"
        call(interpreter, "-m", "venv", "--without-pip", "--clear", str(directory))

    def install(self, *arguments: str) -> None:
        """Install into it with the pip of this process."""
        call(sys.executable, "-m", "pip", "--quiet", "--python", str(self.python), "install", *arguments)

    def borrow_packages(self, directory: str) -> None:
        """Let it import the packages of another environment; its editable installs stay invisible."""
        (folder,) = self.directory.glob("lib/python*/site-packages")
        (folder / "borrowed.pth").write_text(f"{directory}\n", encoding="utf-8")

    def smoke_test(self, smoke: Path = SMOKE) -> str:
        """Run the smoke test from a copy, so that the checkout is not importable; pytest's last line."""
        copy = self.directory / "test_smoke.py"
        shutil.copy(smoke, copy)
        return call(str(self.python), "-I", "-m", "pytest", *PYTEST_OPTIONS, str(copy)).splitlines()[-1]


def call(*command: str, cwd: Path | None = None) -> str:
    """The stdout of a command."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COVERAGE_", "COV_"))}
    done = subprocess.run(
        command, cwd=cwd, env={**plain, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout + done.stderr)
    return done.stdout
