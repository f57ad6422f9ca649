"""Record what a killed `hooktui exec` has written: `python -m hooktui.cli.killed_exec LOG FILE`, which the intake starts."""

from __future__ import annotations

import sys

from hooktui.catalog.hook_files import CatalogFiles
from hooktui.runner import execute

if __name__ == "__main__":
    log, file = sys.argv[1:]
    execute.record_kept(log, file, CatalogFiles)
