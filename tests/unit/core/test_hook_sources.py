"""The source of a hook, as the compiled index (marshal) and the stack's worker (JSON) carry it."""

from __future__ import annotations

import marshal

import pytest

from hooktui.core import fast_json
from hooktui.core.hook_sources import decode_source, encode_source
from hooktui.core.model import AzureEntry, Callback, HookDirectory, HookSource, JsonEntry

SOURCES = (
    HookDirectory(),
    Callback(),
    AzureEntry(path=(1, "spec", "hooks", "Stop", 0), agent="reviewer", script="#!/bin/bash\n", max_rejections=3),
    JsonEntry(path=("hooks", "PreToolUse", 0), condition="Bash(git *)", headers={"A": "b"}, allowed_variables=("TOKEN",)),
)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: type(source).__name__)
def test_a_source_survives_marshal_and_json(source: HookSource) -> None:
    plain = encode_source(source)
    assert decode_source(marshal.loads(marshal.dumps(plain))) == source
    assert decode_source(fast_json.loads(fast_json.dumps(plain))) == source


@pytest.mark.parametrize("plain", [["Other", {}], ["JsonEntry", {"unknown": 1}], ["JsonEntry"]])
def test_decoding_other_data_raises(plain: list[object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        decode_source(plain)
