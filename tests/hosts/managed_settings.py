"""Managed settings of Claude Code in a mount namespace: the machine's own `/etc` stays unchanged."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest


def namespace(root: Path, settings: dict[str, Any]) -> tuple[str, ...]:
    """A prefix for a command, which then finds these settings in `/etc/claude-code`.

    Skips the test where mount namespaces are not permitted.
    """
    layer = root / "managed-layer"
    (layer / "claude-code").mkdir(parents=True)
    (layer / "claude-code/managed-settings.json").write_text(json.dumps(settings))
    return _mounting(f'mount -t overlay overlay -o "lowerdir={layer}:/etc" /etc')


def own_etc(root: Path, home: str | Path = "/root") -> tuple[Path, tuple[str, ...]]:
    """A copy of `/etc`, and a prefix for a command, which then reads and writes the copy as root, who lives in a `home`.

    Skips the test where mount namespaces are not permitted.
    """
    copy = root / "etc"
    subprocess.run(["cp", "-a", "/etc", copy], stderr=subprocess.DEVNULL, check=False)  # without what only root can read
    accounts = (copy / "passwd").read_text()
    (copy / "passwd").write_text(re.sub(r"(?m)^root:.*", f"root:x:0:0::{home}:/bin/sh", accounts))
    return copy, _mounting(f'mount --bind "{copy}" /etc')


def skip_without_root() -> None:
    """Skip a test of files that only root can change: to another user's namespace, the directories above belong to nobody."""
    if os.getuid() != 0:
        pytest.skip("managed hooks need files of root")


def _mounting(mount: str) -> tuple[str, ...]:
    words = ("unshare", "--map-root-user", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh")
    try:
        subprocess.run([*words, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"managed settings need a mount namespace: {error}")
    return words
