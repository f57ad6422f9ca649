"""Files of cases in YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

# PyYAML's safe loader in C, where it has one, takes a tenth of the time: every process of the tests reads all cases.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_cases(file: Path) -> list[dict[str, Any]]:
    """The cases of a file."""
    cases: list[dict[str, Any]] = yaml.load(file.read_text(), _Loader)
    return cases
