"""JSON texts of payloads and reader states, redacted: each field with its value once, however many payloads repeat it."""

from __future__ import annotations

import _json
from functools import lru_cache
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
    keys = [[(name, value if type(value) is str else id(value)) for name, value in payload.items()] for payload in payloads]
    fields = {
        key: pair
        for payload, row in zip(payloads, keys, strict=True)
        for key, pair in zip(row, payload.items(), strict=True)
    }  # fmt: skip
    texts = dict(zip(fields, _redacted(list(fields.values()), secrets), strict=True))
    return [
        entry.shortened_json(f"{{{', '.join([texts[key] for key in row])}}}")
        if not _names_values(tuple(payload))
        else entry.stored_json(payload, secrets) or "{}"
        for payload, row in zip(payloads, keys, strict=True)
    ]


def state_text(state: JsonObject, secrets: Sequence[str]) -> str:
    """The state of a reader, as JSON; its texts are redacted and long ones cut."""
    events = _redacted([("", event) for event in state["open"]], secrets)
    others = _redacted([(name, value) for name, value in state.items() if name != "open"], secrets)
    opened = ", ".join(text.partition(": ")[2] for text in events)
    return f'{{{", ".join(others)}, "open": [{opened}]}}'


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


@lru_cache(maxsize=200)
def _names_values(names: tuple[str, ...]) -> bool:
    """Whether a field may name what another one holds: `{"name": "api_key", "value": …}`."""
    return any(name.lower() == "value" for name in names)
