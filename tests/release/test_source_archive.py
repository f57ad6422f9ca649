"""A source archive, whose symbolic links have become plain files, builds the whole app."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.release.environment import Environment, call

ROOT = Path(__file__).parents[2]
PACKAGED = ("hooktui/", "screens/", "styles/")
LINKS = {"hooktui/screens", "hooktui/styles"}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The last commit as GitHub's zip holds it, unpacked as pip does: links are text files."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    directory = tmp_path_factory.mktemp("source")
    archive = directory / "source.zip"
    call("git", "archive", "--format=zip", f"--output={archive}", "HEAD", cwd=ROOT)
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(directory / "tree")
    return directory / "tree"


def packaged_names(source: Path) -> set[str]:
    """Where a wheel must hold each file of the source."""
    names = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()} - LINKS
    return {f"hooktui/{name.removeprefix('hooktui/')}" for name in names if name.startswith(PACKAGED)}


def test_a_wheel_from_an_archive_is_complete_and_opens_the_app(source: Path, tmp_path: Path) -> None:
    call(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path), cwd=source)
    (wheel,) = tmp_path.glob("*.whl")
    assert {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name} == packaged_names(source)

    environment = Environment(sys.executable, tmp_path / "environment")
    environment.install("--no-deps", "--no-index", str(wheel))
    environment.borrow_packages(sysconfig.get_path("purelib"))
    assert "passed" in environment.smoke_test(source / "tests/release/smoke.py")  # of the commit, like the package


def test_an_editable_install_without_links_fails_with_a_reason(source: Path, tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failure:
        call(
            sys.executable,
            "-c",
            "import sys; from hatchling.build import build_editable as b; b(sys.argv[1])",
            str(tmp_path),
            cwd=source,
        )
    assert "Run `make links` first, or install without --editable." in failure.value.output
