"""Managed settings of Claude Code in a mount namespace: the machine's own `/etc` stays unchanged."""

from __future__ import annotations

import json
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
    mount = f'mount -t overlay overlay -o "lowerdir={layer}:/etc" /etc && exec "$@"'
    words = ("unshare", "--map-root-user", "--mount", "sh", "-c", mount, "sh")
    try:
        subprocess.run([*words, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"managed settings need a mount namespace: {error}")
    return words
