#!/bin/sh
# The pattern in HOOK.md has matched.
echo "Dangerous command blocked: it destroys data or runs unreviewed code. Explain what you need instead." >&2
exit 2
