from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from hooktui.core import atomic_write
from hooktui.formats import documents, files
from hooktui.formats.agenthooks import hook_directories
from hooktui.formats.asked_once import asked_once
from tests.new_hooks import make


def test_saving_changes_only_the_edited_bytes_of_a_file_with_bom_and_mixed_line_endings(tmp_path: Path) -> None:
    file = tmp_path / "HOOK.md"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\nthree\r\nfour\r\n")
    document = documents.read(str(file))
    documents.save(document, document.text.replace("two", "2\n2b").replace("\nthree", "\nThree"))
    assert file.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\n2b\r\nThree\r\nfour\r\n"


def test_saving_without_a_change_writes_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "run"
    for content in (b"", b"no newline", b"a\r\nb\r\n", b"a\n\n", "ä\t€\n".encode()):
        file.write_bytes(content)
        document = documents.read(str(file))
        documents.save(document, document.text)
        assert file.read_bytes() == content


def test_saving_keeps_the_mode_and_follows_a_link(tmp_path: Path) -> None:
    script, link = tmp_path / "run.sh", tmp_path / "link.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o751)
    link.symlink_to(script)
    documents.save(documents.read(str(link)), "#!/bin/sh\nexit 0\n")
    assert link.is_symlink()
    assert script.read_text() == "#!/bin/sh\nexit 0\n"
    assert script.stat().st_mode & 0o777 == 0o751
    assert sorted(os.listdir(tmp_path)) == ["link.sh", "run.sh"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_saving_keeps_the_owner(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_text("old\n")
    os.chown(file, 1234, 4321)
    documents.save(documents.read(str(file)), "new\n")
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 4321)


def test_changed_file_is_overwritten_only_on_request(tmp_path: Path) -> None:
    file = tmp_path / "HOOK.md"
    file.write_text("mine\n")
    document = documents.read(str(file))
    file.write_text("theirs\n")
    with pytest.raises(documents.ChangedError, match=r"HOOK\.md was changed"):
        documents.save(document, "edited\n")
    assert file.read_text() == "theirs\n"
    documents.save(document, "edited\n", overwrite=True)
    assert file.read_text() == "edited\n"


def test_removed_file_is_recreated_only_on_request(tmp_path: Path) -> None:
    file = tmp_path / "HOOK.md"
    file.write_text("mine\n")
    document = documents.read(str(file))
    file.unlink()
    with pytest.raises(documents.ChangedError, match="was removed"):
        documents.save(document, "edited\n")
    documents.save(document, "edited\n", overwrite=True)
    assert file.read_text() == "edited\n"


def test_removed_file_is_recreated_with_its_directory_on_request(tmp_path: Path) -> None:
    file = tmp_path / "guard" / "HOOK.md"
    file.parent.mkdir()
    file.write_text("mine\n")
    document = documents.read(str(file))
    file.unlink()
    file.parent.rmdir()
    with pytest.raises(documents.ChangedError, match="was removed"):
        documents.save(document, "edited\n")
    documents.save(document, "edited\n", overwrite=True)
    assert file.read_text() == "edited\n"


def test_system_error_names_the_path_and_the_reason(tmp_path: Path) -> None:
    home = os.path.expanduser("~")
    assert atomic_write.error_message(OSError(30, "Read-only file system", f"{home}/a/HOOK.md", None, f"{home}/b")) == (
        "~/a/HOOK.md: Read-only file system."
    )
    with pytest.raises(OSError, match="hooktui-") as refused:
        atomic_write.write(str(tmp_path / "gone" / "HOOK.md"), b"")
    assert atomic_write.error_message(refused.value) == f"{tmp_path}/gone: No such file or directory."
    assert atomic_write.error_message(documents.ChangedError("HOOK.md was removed")) == "HOOK.md was removed"


def test_a_document_can_be_saved_again_and_again(tmp_path: Path) -> None:
    file = tmp_path / "HOOK.md"
    file.write_text("a\n")
    document = documents.read(str(file))
    for text in ("b\n", "c\n"):
        document = documents.save(document, text)
    assert file.read_text() == "c\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff\xfe", "not UTF-8: byte 0"),
        (b"x" * (documents.SIZE_LIMIT + 1), "too large"),
        (b"one\x0ctwo", r"line separator U\+000C"),
    ],
)
def test_files_that_editing_would_damage_are_not_opened(tmp_path: Path, content: bytes, problem: str) -> None:
    file = tmp_path / "HOOK.md"
    file.write_bytes(content)
    document = documents.read(str(file))
    assert document.text == ""
    assert re.search(problem, document.problem)


def test_reading_never_blocks_or_raises(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert documents.read(str(tmp_path / "pipe")).problem == "not a regular file"
    assert documents.read(str(tmp_path)).problem
    assert documents.read(str(tmp_path / "nowhere")).problem == "No such file or directory"


def test_files_of_a_hook_are_read_own_file_first(tmp_path: Path) -> None:
    (hook,) = hook_directories.read(make(str(tmp_path)).file, "project").hooks
    assert [document.name for document in documents.read_hook(hook)] == ["HOOK.md", "scripts/run.sh"]


def test_a_path_is_resolved_as_the_system_resolves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop/.claude").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    for name, target in {"link": "shop", "self": "self", "shop/up": "..", "nowhere": "gone", "shop/a.json": "../link"}.items():
        (tmp_path / name).symlink_to(target)
    names = ["link/.claude/x", "self/x", "shop/up/shop/.", "nowhere/x", "link//a.json", "link/../link/up", "shop/x/..", ""]
    with asked_once():
        for path in [*(f"{tmp_path}/{name}" for name in names), "up/link", "/", ""]:
            assert files.real(path) == os.path.realpath(path), path
