"""`python -m hooktui`, with nothing imported from the current directory.

The exception is the package `hooktui` itself: Python looks for it there before any of its code runs. Agents therefore call
`hooktui` or `python -I -m hooktui`, which do not look there.
"""

from __future__ import annotations

import sys

if not sys.flags.safe_path and sys.path and sys.path[0] in ("", __import__("os").getcwd()):
    del sys.path[0]  # never import a project's json.py or sqlite3.py

from hooktui.cli.fast import main

main()
