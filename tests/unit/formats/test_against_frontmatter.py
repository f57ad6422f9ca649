"""Other tools read HOOK.md files with python-frontmatter: a well-formed file must mean the same to them and to hooktui.

hooktui has its own reader, which gives every value a position and limits the size of untrusted files.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import frontmatter as other
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from hooktui.formats.agenthooks import frontmatter, hook_directories

SAMPLES = {
    "seed 001": """---
name: block-dangerous
description: Blocks dangerous shell commands
trigger: before_tool
matcher:
  tool: Shell
  pattern: rm -rf /|mkfs|>:/dev/sda
timeout: 5000
async: false
priority: 999
---

# Block
""",
    "comments and blank lines": """---
# a guard
name: guard # yes

description: 'a # b'
trigger: pre-tool-call
---
Body.
""",
    "quotes": """---
name: "gu\\u0061rd"
description: 'it''s: here'
trigger: "pre-tool-call"
matcher: {tool: 'Write|Edit', "pattern": '\\.py$'}
---
""",
    "blocks": """---
name: guard
description: >-
  folded
  words

  and more
trigger: stop
metadata:
  text: |
    ---
    x
---
""",
    "a value over several lines": """---
name: guard
description: one
  two
   three
trigger: 'pre-
  tool-call'
---
""",
    "a fence inside a value": """---
name: guard
description: a --- b
metadata: {rule: '---', more: --- }
---
Body
---
more
""",
    "anchors": """---
name: &n guard
description: *n
metadata:
  a: &list [1, 2]
  b: *list
  c: {d: *list}
---
""",
    "lists": """---
name: guard
metadata:
  tags:
  - a
  -   - b
      - c
  - {d: [e, ~]}
---
""",
    "YAML 1.1 scalars": """---
a: yes
b: Off
c: ~
d:
e: 0o17
f: 017
g: 1_000
h: 0x1F
i: 1:30
j: 1.5e+3
k: .5
l: '5'
---
""",
    "tags": """---
name: !!str 5
priority: !!int '7'
metadata: !!map {a: !!float 1, b: !!seq [x]}
---
""",
    "words of the world": """---
name: 守卫
description: Wächter 🛡️ — “gut”
trigger: pre-tool-call
---
Конец
""",
    "white space around": "\n \n---  \nname: guard\n---\t\n\n  Body.  \n\n",
    "nothing inside": "---\n---\nBody.\n",
    "only comments inside": "---\n# nothing yet\n---\n",
}

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4), max_leaves=20
)
_FIELDS = st.fixed_dictionaries(
    {"name": _TEXT, "description": _TEXT, "trigger": _TEXT},
    optional={"matcher": _VALUES, "timeout": st.integers(), "async": st.booleans(), "metadata": _VALUES, "spare_key": _VALUES},
)
_STYLES = st.fixed_dictionaries(
    {
        "allow_unicode": st.booleans(),
        "default_flow_style": st.sampled_from([None, True, False]),
        "default_style": st.sampled_from([None, "'", '"', "|", ">"]),
        "width": st.sampled_from([20, 80, 10_000]),
        "indent": st.sampled_from([2, 4]),
    }
)


def ours(text: str) -> tuple[Any, str]:
    """Metadata and body, as we read them."""
    head, faults = frontmatter.read(text)
    assert head is not None
    assert faults == ()
    return head.root.value, text[head.fence[1] :].replace("\r\n", "\n").strip()


def same(text: str) -> None:
    metadata, body = other.parse(text)
    assert ours(text) == (metadata, body)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_sample_means_the_same_to_other_tools(name: str, line_end: str) -> None:
    same(SAMPLES[name].replace("\n", line_end))


@given(fields=_FIELDS, style=_STYLES, line_end=st.sampled_from(["\n", "\r\n"]))
def test_other_tools_read_the_written_yaml_alike(fields: dict[str, Any], style: dict[str, Any], line_end: str) -> None:
    written = yaml.safe_dump(fields, sort_keys=False, **style).removesuffix("\n")  # line endings of YAML, not of fences
    same(f"---\n{written}\n---\n\nBody.\n".replace("\n", line_end))


@given(fields=_FIELDS)
def test_frontmatter_written_by_python_frontmatter_reads_back(fields: dict[str, Any]) -> None:
    written = other.dumps(other.Post("Body.", **fields))
    assume(other.parse(written)[0] == fields)  # its writer loses a no-break space at the end
    assert ours(written) == (fields, "Body.")


def test_a_hook_has_the_metadata_that_other_tools_see() -> None:
    text = "---\nname: guard\ndescription: d\ntrigger: stop\nmetadata: {owner: me, tags: [a, 2], on: {deep: yes}}\n---\n"
    (hook,) = hook_directories.parse(text, "/hooks/guard/HOOK.md", "user").hooks
    seen, _ = other.parse(text.replace("on:", "'on':"))
    assert hook.metadata == seen["metadata"]


@pytest.mark.parametrize(
    ("written", "read", "theirs"),
    [
        ("on: 1", {"on": 1}, {True: 1}),  # python-frontmatter's Post then cannot be made
        ("7: 1", {"7": 1}, {7: 1}),
        ("since: 2026-01-21", {"since": "2026-01-21"}, {"since": dt.date(2026, 1, 21)}),
        ("much: .inf", {"much": ".inf"}, {"much": float("inf")}),
    ],
)
def test_values_that_json_cannot_represent_stay_text(written: str, read: object, theirs: object) -> None:
    text = f"---\n{written}\n---\n"
    assert ours(text)[0] == read
    assert other.parse(text)[0] == theirs
