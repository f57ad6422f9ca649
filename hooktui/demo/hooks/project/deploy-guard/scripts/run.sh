#!/bin/sh
echo '{"decision": "ask", "reason": "This deploys to production. Is a release planned?"}'
