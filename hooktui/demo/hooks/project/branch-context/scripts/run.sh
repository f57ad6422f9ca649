#!/bin/sh
echo '{"additional_context": "Branch fix/discount. Prices are euros. Run: python3 -m unittest"}'
