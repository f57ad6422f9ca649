from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hooktui.engine import desktop

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vim", ["vim", "+7", "/a b"]),
        ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+7", "/a b"]),
        ("hx", ["hx", "/a b:7"]),
        ("code --wait", ["code", "--wait", "--goto", "/a b:7"]),
        ("unknown", ["unknown", "/a b"]),
    ],
)
def test_the_editor_is_told_the_line_where_it_can_be(monkeypatch: pytest.MonkeyPatch, editor: str, command: list[str]) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor)
    assert desktop.editor_command("/a b", 7) == command


def test_visual_comes_before_editor_and_vi_is_the_last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "nano")
    monkeypatch.setenv("VISUAL", "emacs")
    assert desktop.editor_command("/f", 1)[0] == "emacs"
    monkeypatch.delenv("VISUAL")
    monkeypatch.setenv("EDITOR", "")
    assert desktop.editor_command("/f", 1) == ["vi", "+1", "/f"]


@pytest.fixture
def clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose only clipboard program is an xclip that writes to a file."""
    board, programs = tmp_path / "board", tmp_path / "bin"
    programs.mkdir()
    xclip = programs / "xclip"
    xclip.write_text(f"#!/bin/sh\n/bin/cat > '{board}'\n")
    xclip.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    return board


def test_text_goes_to_the_systems_clipboard(clipboard: Path) -> None:
    assert desktop.copy("a ä\n")
    assert clipboard.read_text() == "a ä\n"


def test_over_ssh_or_without_a_display_the_terminal_has_to_do_it(clipboard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "here there")
    assert not desktop.copy("x")
    monkeypatch.delenv("SSH_CONNECTION")
    monkeypatch.delenv("DISPLAY")
    assert not desktop.copy("x")
    assert not clipboard.exists()


def test_a_clipboard_program_that_fails_is_no_clipboard(clipboard: Path) -> None:
    program = clipboard.parent / "bin" / "xclip"
    program.write_text("#!/bin/sh\nexit 1\n")
    assert not desktop.copy("x")
    os.unlink(program)
    assert not desktop.copy("x")
