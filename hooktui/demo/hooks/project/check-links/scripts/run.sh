#!/bin/sh
sleep 2 # stands for a slow answer from the network
echo '{"decision": "allow"}'
