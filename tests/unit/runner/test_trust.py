"""Trust by content: an approval covers exactly the bytes that would run."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hooktui import formats
from hooktui.core.model import Hook, HookDirectory
from hooktui.runner import trust

PROJECT = "/home/dev/app"


@pytest.fixture
def hook(tmp_path: Path, own_home: Path) -> Hook:
    """A project's hook of three files."""
    return make(tmp_path / "guard")


def make(root: Path) -> Hook:
    (root / "scripts").mkdir(parents=True)
    (root / "HOOK.md").write_text("---\nname: guard\n---\n")
    (root / "scripts/run").write_text("#!/bin/sh\n. ./words\n")
    (root / "scripts/run").chmod(0o755)
    (root / "words").write_text("a\n")
    return Hook(
        id="agenthooks:project:guard", name="guard", event="pre-tool-call", event_as_written="pre-tool-call",
        format="agenthooks", scope="project", file=str(root / "HOOK.md"), line=1, root=str(root),
        source=HookDirectory(),
    )  # fmt: skip


def entry(text: str, root: Path, *covers: str, fmt: str = "vscode") -> Hook:
    """A hook that is an entry of a file, with the scripts it names."""
    return Hook(
        id=f"{fmt}:project:x", name="x", event="pre-tool-call", event_as_written="PreToolUse", format=fmt, scope="project",
        file=str(root / "x.json"), line=1, root=str(root), covers=covers, text=text,
        source=formats.detached_source(fmt),
    )  # fmt: skip


def approve(hook: Hook) -> None:
    trust.approve(PROJECT, {hook.identity: trust.digest(hook)})


def state(hook: Hook) -> str:
    return trust.state(hook, trust.approvals(PROJECT))


def root(hook: Hook) -> Path:
    return Path(hook.root)


def test_a_hook_is_untrusted_then_trusted_then_revoked(hook: Hook) -> None:
    assert state(hook) == "untrusted"
    approve(hook)
    assert state(hook) == "trusted"
    trust.revoke(PROJECT, {hook.identity})
    assert state(hook) == "untrusted"


def test_the_users_own_hooks_need_no_approval(hook: Hook) -> None:
    assert state(hook.replace(scope="user")) == "user"


def add_a_directory(hook: Hook) -> None:
    (root(hook) / "lib").mkdir()
    (root(hook) / "lib/x.py").write_text("")


def link_a_directory(hook: Hook) -> None:
    outside = root(hook).parent / "outside"
    outside.mkdir()
    (outside / "x.py").write_text("")
    (root(hook) / "lib").symlink_to(outside)


def move_a_byte_between_files(hook: Hook) -> None:
    (root(hook) / "words").write_text("")
    script = root(hook) / "scripts/run"
    script.write_text(script.read_text() + "a\n")


CHANGES: dict[str, Callable[[Hook], object]] = {
    "one byte": lambda hook: (root(hook) / "words").write_text("b\n"),
    "the same length, another place": lambda hook: (root(hook) / "words").write_text("\na"),
    "the executable bit": lambda hook: (root(hook) / "words").chmod(0o755),
    "a file beside": lambda hook: (root(hook) / "sitecustomize.py").write_text(""),
    "a hidden file": lambda hook: (root(hook) / "scripts/.env").write_text(""),
    "a directory with a file": add_a_directory,
    "a link to a directory elsewhere": link_a_directory,
    "a link that leads nowhere": lambda hook: (root(hook) / "lib").symlink_to("/nowhere"),
    "a file gone": lambda hook: (root(hook) / "words").unlink(),
    "a file renamed": lambda hook: (root(hook) / "words").rename(root(hook) / "word"),
    "a byte moved between files": move_a_byte_between_files,
    "a FIFO": lambda hook: os.mkfifo(root(hook) / "pipe"),
    "everything gone": lambda hook: shutil.rmtree(hook.root),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_approval_ends_with(hook: Hook, change: Callable[[Hook], object]) -> None:
    approve(hook)
    change(hook)
    assert state(hook) == "changed"


def test_change_in_a_linked_file_ends_the_approval(hook: Hook) -> None:
    outside = root(hook).parent / "outside.sh"
    outside.write_text("a")
    (root(hook) / "lib.sh").symlink_to(outside)
    approve(hook)
    outside.write_text("b")
    assert state(hook) == "changed"


def test_other_mode_bits_and_times_keep_the_approval(hook: Hook) -> None:
    approve(hook)
    (root(hook) / "words").chmod(0o640)
    os.utime(root(hook) / "words", (0, 0))
    assert state(hook) == "trusted"


def test_the_same_tree_elsewhere_has_the_same_digest(hook: Hook) -> None:
    copy = make(root(hook).parent / "copy")
    assert trust.digest(copy) == trust.digest(hook)
    assert trust.digest(hook).startswith("sha256:")


def test_a_loop_of_links_is_followed_once(hook: Hook) -> None:
    (root(hook) / "again").symlink_to(".")
    (root(hook) / "scripts/up").symlink_to("..")
    approve(hook)
    assert state(hook) == "trusted"
    assert [name for name, _ in trust.covered(hook)] == ["HOOK.md", "again", "scripts/run", "scripts/up", "words"]


def test_a_link_to_a_directory_is_a_change(hook: Hook) -> None:
    approve(hook)
    (root(hook) / "more").symlink_to("scripts")
    assert state(hook) == "changed"


def test_names_in_other_encodings_are_covered(hook: Hook) -> None:
    with open(os.path.join(os.fsencode(hook.root), b"\xff"), "wb") as file:
        file.write(b"x")
    approve(hook)
    assert state(hook) == "trusted"


def test_file_name_cannot_imitate_content(tmp_path: Path, own_home: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for place in (one, two):
        place.mkdir()
    (one / "ab").write_text("c")
    (two / "a").write_text("bc")
    hooks = [entry("", place).replace(format="agenthooks", source=HookDirectory()) for place in (one, two)]
    assert trust.digest(hooks[0]) != trust.digest(hooks[1])


def test_an_entry_covers_its_text_and_the_scripts_it_names(tmp_path: Path, own_home: Path) -> None:
    (tmp_path / "a.sh").write_text("1")
    hook = entry('{"command": "./a.sh"}', tmp_path, "a.sh")
    approve(hook)
    assert state(hook) == "trusted"
    assert state(hook.replace(text='{"command": "./a.sh -f"}')) == "changed"
    (tmp_path / "b.sh").write_text("unrelated")
    assert state(hook) == "trusted"
    (tmp_path / "a.sh").write_text("2")
    assert state(hook) == "changed"


def test_script_added_after_approval_ends_it(tmp_path: Path, own_home: Path) -> None:
    hook = entry('{"command": "./a.sh"}', tmp_path, "a.sh")
    approve(hook)
    (tmp_path / "a.sh").write_text("1")
    assert state(hook) == "changed"


def test_combined_hash_ignores_the_order() -> None:
    digests = {"a": "sha256:1", "b": "sha256:2"}
    assert trust.combined(digests) == trust.combined(dict(reversed(digests.items())))
    assert trust.combined(digests) != trust.combined({"a": "sha256:2", "b": "sha256:1"})


def test_approval_affects_one_hook_of_one_project(hook: Hook) -> None:
    trust.approve(PROJECT, {"other": "sha256:1"})
    trust.approve("/elsewhere", {hook.id: "sha256:2"})
    approve(hook)
    trust.revoke(PROJECT, {"other"})
    assert trust.approvals(PROJECT) == {hook.id: {trust.digest(hook)}}
    assert trust.approvals("/elsewhere") == {hook.id: {"sha256:2"}}


def test_the_store_is_private_and_leaves_no_draft(hook: Hook) -> None:
    approve(hook)
    store = Path(trust.store_path())
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.parent.stat().st_mode) == 0o700
    assert {path.name for path in store.parent.iterdir()} == {"trust.json", "trust.json.lock"}


def test_unwritable_store_raises(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")
    with pytest.raises(OSError, match="proc"):
        approve(hook)
    assert state(hook) == "untrusted"
