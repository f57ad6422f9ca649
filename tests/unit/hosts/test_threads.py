"""Threads that ask for the hosts at the same time."""

from __future__ import annotations

import subprocess
import sys

ASK = """
import sys, threading
sys.setswitchinterval(1e-6)
from hooktui import hosts
gate = threading.Barrier(8)
def ask():
    gate.wait()
    hosts.names()
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(hosts.names()) - len(set(hosts.names())))
"""


def test_threads_that_ask_first_together_get_each_host_once() -> None:
    """A host listed twice had all of its hooks twice."""
    done = subprocess.run([sys.executable, "-I", "-c", ASK], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
