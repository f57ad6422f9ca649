#!/bin/sh
# Runs in the event's work_dir, the project.
if output=$(python3 -B -m unittest --quiet --failfast 2>&1); then
    exit 0
fi
echo "The tests fail. Fix this first:" >&2
printf '%s\n' "$output" | grep -E '^(FAIL|ERROR|AssertionError)' >&2
exit 2
