from __future__ import annotations

import os
from pathlib import Path

import pytest

from hooktui.config import desktop


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
def test_editor_command_includes_the_line_if_the_editor_supports_it(
    monkeypatch: pytest.MonkeyPatch, editor: str, command: list[str]
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor)
    assert desktop.editor_command("/a b", 7) == command


def test_visual_wins_over_editor_and_vi_is_the_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_copy_writes_to_the_system_clipboard(clipboard: Path) -> None:
    assert desktop.copy("a ä\n")
    assert clipboard.read_text() == "a ä\n"


def test_copy_leaves_the_clipboard_to_the_terminal_over_ssh_or_without_a_display(
    clipboard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "here there")
    assert not desktop.copy("x")
    monkeypatch.delenv("SSH_CONNECTION")
    monkeypatch.delenv("DISPLAY")
    assert not desktop.copy("x")
    assert not clipboard.exists()


def test_copy_reports_a_failing_clipboard_program(clipboard: Path) -> None:
    program = clipboard.parent / "bin" / "xclip"
    program.write_text("#!/bin/sh\nexit 1\n")
    assert not desktop.copy("x")
    os.unlink(program)
    assert not desktop.copy("x")
