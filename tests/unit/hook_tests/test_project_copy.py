"""A copy of a project is the project, its git answers alike, and using it changes nothing in the project."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.hook_tests import git_files
from hooktui.hook_tests.example import TestError
from hooktui.hook_tests.project_copy import ProjectCopy

pytestmark = pytest.mark.slow  # starts git

WHO = ("-c", "user.name=a", "-c", "user.email=a@example.com")
QUESTIONS = (
    ("status", "--porcelain", "--branch"),
    ("rev-parse", "HEAD", "--abbrev-ref", "HEAD"),
    ("branch", "--list"),
    ("log", "--format=%H %an %s", "--all"),
    ("diff", "--stat"),
    ("diff", "--cached", "--stat"),
    ("stash", "list"),
    ("config", "--get", "user.nickname"),
    ("ls-files", "--stage"),
)


def git(directory: Path | str, *arguments: str) -> str:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_CONFIG_GLOBAL": "/dev/null"}
    command = ["git", *WHO, *arguments]
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False).stdout


def tree(root: Path | str, *, times: bool = True, without: str = "") -> dict[str, tuple[object, ...]]:
    """Everything below a directory: kinds, modes, contents and targets; with `times` also when it was changed."""
    found: dict[str, tuple[object, ...]] = {}
    for directory, names, files in os.walk(root):
        for name in [*names, *files]:
            path = os.path.join(directory, name)
            inside = os.path.relpath(path, root)
            if without and inside.split(os.sep)[0] == without:
                continue
            status = os.lstat(path)
            content: object = None
            if stat.S_ISREG(status.st_mode):
                content = Path(path).read_bytes()
            elif stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            stamps = (status.st_mtime_ns, status.st_ctime_ns, status.st_ino) if times else (status.st_mtime_ns,)
            found[inside] = (status.st_mode, content, *stamps)
    return found


def copied(project: Path, place: Path) -> ProjectCopy:
    place.mkdir()
    copy = ProjectCopy(str(project), str(place), git_files.prepared(str(project), str(place)))
    copy.make(str(project))
    return copy


def repository(project: Path) -> None:
    """A repository with commits, changes, deletions, staged, untracked and ignored files, links and modes."""
    project.mkdir()
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "user.nickname", "me")
    (project / ".gitignore").write_text("*.log\nbuild/\n.claude/settings.local.json\n")
    for name in ("kept", "changed", "deleted", "run", "staged"):
        (project / name).write_text(f"{name}\n")
    (project / "run").chmod(0o755)
    (project / "link").symlink_to("kept")
    (project / "broken").symlink_to("/nowhere/at/all")
    git(project, "add", "--all")
    git(project, "commit", "-qm", "all")
    git(project, "branch", "other")
    (project / "changed").write_text("stash\n")
    git(project, "stash")
    (project / "changed").write_text("changed again\n")
    (project / "deleted").unlink()
    (project / "staged").write_text("staged again\n")
    git(project, "add", "staged")
    (project / "new").write_text("untracked\n")
    (project / "empty").mkdir()
    (project / "build").mkdir()
    (project / "build/output").write_text("ignored\n")
    (project / "a.log").write_text("ignored\n")
    (project / ".claude").mkdir()
    (project / ".claude/settings.local.json").write_text("{}\n")


def test_the_copy_is_the_working_tree_without_what_git_ignores(tmp_path: Path) -> None:
    project = tmp_path / "project"
    repository(project)
    copy = copied(project, tmp_path / "place")
    expected = tree(project, times=False, without=".git")
    for ignored in ("build", "build/output", "a.log"):
        del expected[ignored]
    assert tree(copy.root, times=False, without=".git") == expected
    assert ".claude/settings.local.json" in expected, "hosts read hooks from their local settings"


def test_git_answers_in_the_copy_as_in_the_project_and_leaves_the_project_alone(tmp_path: Path) -> None:
    project = tmp_path / "project"
    repository(project)
    before = tree(project)
    copy = copied(project, tmp_path / "place")
    for question in QUESTIONS:
        assert git(copy.root, *question) == git(project, *question), question
    assert git(copy.root, "rev-parse", "--show-toplevel").strip() == copy.root
    git(copy.root, "add", "--all")
    git(copy.root, "commit", "-qm", "in the copy")
    git(copy.root, "gc", "-q")
    assert git(copy.root, "log", "--format=%s", "-1") == "in the copy\n"
    copy.renew()
    for question in QUESTIONS:
        assert git(copy.root, *question) == git(project, *question), question
    assert tree(project) == before


def test_a_linked_worktree_has_its_own_branch_in_its_copy(tmp_path: Path) -> None:
    main, project = tmp_path / "main", tmp_path / "project"
    repository(main)
    git(main, "worktree", "add", "-q", "-b", "side", str(project))
    (project / "kept").write_text("side\n")
    before = tree(main)
    copy = copied(project, tmp_path / "place")
    for question in QUESTIONS[:2]:
        assert git(copy.root, *question) == git(project, *question)
    git(copy.root, "commit", "-qam", "in the copy")
    assert git(project, "log", "--format=%s", "-1") == "all\n"
    assert tree(main) == before


def test_a_checkout_inside_the_project_is_no_part_of_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    repository(project)
    git(project, "worktree", "add", "-q", "-b", "side", str(project / "trees/side"))
    copy = copied(project, tmp_path / "place")
    assert (Path(copy.root) / "trees").is_dir()
    assert not (Path(copy.root) / "trees/side").exists()


def test_a_project_without_git_is_copied_whole(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    (project / "sub/file").write_text("text")
    os.mkfifo(project / "pipe")
    assert tree(copied(project, tmp_path / "place").root, times=False) == tree(project, times=False)


def test_a_file_that_changes_during_the_tests_is_named(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "file").write_text("one")
    copy = copied(project, tmp_path / "place")
    (project / "file").write_text("another")
    (Path(copy.root) / "file").unlink()
    with pytest.raises(TestError, match="file has changed since the tests began"):
        copy.renew()


def test_the_root_of_the_file_system_is_not_copied(tmp_path: Path) -> None:
    with pytest.raises(TestError, match="in_place: true"):
        ProjectCopy("/", str(tmp_path), "").make("/")


def _write(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("written by a hook")


def _append(path: Path) -> None:
    if path.is_file():
        with path.open("a") as file:
            file.write("x")


def _replace_same_size(path: Path) -> None:
    if path.is_file() and not path.is_symlink():
        status = path.stat()
        path.write_bytes(b"?" * status.st_size)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def _to_directory(path: Path) -> None:
    _remove(path)
    (path / "inside").mkdir(parents=True)


def _to_link(path: Path) -> None:
    _remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/etc")


def _close(path: Path) -> None:
    if path.exists() and not path.is_symlink():
        path.chmod(0o000)


CHANGES: dict[str, Callable[[Path], None]] = {
    change.__name__: change for change in (_write, _append, _replace_same_size, _remove, _to_directory, _to_link, _close)
}
PLACES = (".", "file", "dir", "dir/inner", "dir/deep/file", "link", "run", "new", "dir/new/one")


@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from(PLACES)), max_size=6))
def test_a_renewed_copy_is_as_it_was_made_and_the_project_untouched(changes: list[tuple[str, str]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as root:
        project = Path(root, "project")
        (project / "dir/deep").mkdir(parents=True)
        for name in ("file", "dir/inner", "dir/deep/file", "run"):
            (project / name).write_text(name)
        (project / "run").chmod(0o555)
        (project / "link").symlink_to("dir")
        before = tree(project)
        copy = copied(project, Path(root, "place"))
        made = tree(copy.root, times=False)
        for change, place in changes:
            try:
                CHANGES[change](Path(copy.root, place))
            except (OSError, RecursionError):
                continue
        copy.renew()
        assert tree(copy.root, times=False) == made
        assert tree(project) == before
