"""Lines of transcripts: real records of the sample trees with parts replaced, dropped and cut."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from hooktui.transcripts.transcript_spec import TranscriptSpec
from tests.fuzz import strategies
from tests.unit.transcripts.sample_trees import TREES, agent_of, below, install


def lines_of(agent: TranscriptSpec) -> st.SearchStrategy[list[bytes]]:
    """Lines of one transcript of an agent."""
    records = [line for sample in _samples(agent) for line in _lines(agent, sample)]
    readable = [record for record in map(_parsed, records) if record is not None]
    changed = st.builds(_changed, st.sampled_from(readable), st.lists(st.integers(0, 50), max_size=6), strategies.VALUES)
    written = changed.map(lambda record: json.dumps(record).encode())
    cut = st.tuples(st.sampled_from(records), st.integers(0, 500)).map(lambda pair: pair[0][: pair[1]])
    return st.lists(st.one_of(st.sampled_from(records), written, written, cut, strategies.BYTES), max_size=12)


def _samples(agent: TranscriptSpec) -> list[str]:
    return [name for name, tree in TREES.items() if agent_of(tree) is agent]


def _lines(agent: TranscriptSpec, sample: str) -> list[bytes]:
    with tempfile.TemporaryDirectory() as directory:
        install(sample, Path(directory))
        spec = below(agent, directory)
        return [line.rstrip(b"\n") for file in spec.found(spec) for portion in agent.portions(file) for line in portion.lines]


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _changed(record: Any, path: list[int], value: Any) -> Any:
    """A copy of a record with another value at a path, which names the children by number."""
    if not path or not isinstance(record, dict | list) or not record:
        return value
    keys = list(record) if isinstance(record, dict) else list(range(len(record)))
    key = keys[path[0] % len(keys)]
    copy = dict(record) if isinstance(record, dict) else list(record)
    copy[key] = _changed(record[key], path[1:], value)
    return copy
