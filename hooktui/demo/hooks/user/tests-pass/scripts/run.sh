#!/bin/sh
echo '{"additional_context": "Remember to run the tests before you stop."}'
