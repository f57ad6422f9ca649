#!/bin/sh
# Whatever gets here has matched the pattern in HOOK.md.
echo "Dangerous command blocked: it could destroy data or run code that nobody has read. Say what you need instead." >&2
exit 2
