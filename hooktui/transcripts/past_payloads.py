"""JSON texts of payloads and reader states, redacted: each field with its value once, however many payloads repeat it."""

from __future__ import annotations

import _json
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from hooktui.core import fast_json
from hooktui.log.write import entry
from hooktui.security import clean_words
from hooktui.security.redaction import CAP, may_hold_secrets, redacted_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.transcripts.reading import JsonObject

# Like fast_json.dumps, which makes an encoder for each value.
_encode = _json.make_encoder(None, fast_json.reject_value, encode_basestring, None, ": ", ", ", False, False, True)


def payload_texts(payloads: Sequence[JsonObject], secrets: Sequence[str]) -> list[str]:
    """Payloads as they are stored (`entry.stored_json`)."""
    places: dict[str, dict[str | int, int]] = {}  # of each field by its name, then by its value
    fields: list[tuple[str, Any]] = []
    rows = []
    for payload in payloads:
        row = []
        for name, value in payload.items():
            key = value if type(value) is str else id(value)
            known = places.setdefault(name, {})
            if key not in known:
                known[key] = len(fields)
                fields.append((name, value))
            row.append(known[key])
        rows.append(row)
    texts = _redacted(fields, secrets)
    stored = [f"{{{', '.join([texts[place] for place in row])}}}" for row in rows]
    if any(
        name.lower() == "value" for name in places
    ):  # another field may name what it holds: `{"name": "api_key", "value": …}`
        return [entry.stored_json(payload, secrets) or "{}" for payload in payloads]
    return list(map(entry.shortened_json, stored))


def state_text(state: JsonObject, secrets: Sequence[str]) -> str:
    """The state of a reader, as JSON; its texts are redacted and long ones cut."""
    names = [name for name in state if name != "open"]
    texts = _redacted([*((name, state[name]) for name in names), *(("", event) for event in state["open"])], secrets)
    opened = ", ".join(text.partition(": ")[2] for text in texts[len(names) :])
    return f'{{{", ".join(texts[: len(names)])}, "open": [{opened}]}}'


def _redacted(pairs: Sequence[tuple[str, Any]], secrets: Sequence[str]) -> list[str]:
    """Fields with their values as redacted JSON, each without braces."""
    texts = [f"{encode_basestring(name)}: {_text(value)}" for name, value in pairs]
    long = [place for place, text in enumerate(texts) if len(text) > CAP]
    for place in range(len(texts)) if secrets else {*long, *clean_words.suspects(texts)}:
        if secrets or len(texts[place]) > CAP or may_hold_secrets(texts[place]):
            name, value = pairs[place]
            texts[place] = _encoded(redacted_value({name: value}, secrets))[1:-1]
    return texts


def _text(value: object) -> str:
    return encode_basestring(value) if type(value) is str else _encoded(value)


def _encoded(value: object) -> str:
    return "".join(_encode(value, 0))
