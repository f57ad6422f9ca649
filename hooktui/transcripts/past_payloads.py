"""JSON texts of payloads and reader states, redacted: each field with its value once, however many payloads repeat it."""

from __future__ import annotations

from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from hooktui.core import fast_json
from hooktui.log.write import entry
from hooktui.security.redaction import CAP, may_hold_secrets, redacted_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.transcripts.reading import JsonObject

_GROUP = 500  # characters of fields that are searched for signs of secrets at once


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
    """Fields with their values as redacted JSON, each without braces.

    Groups without a sign of a secret are not searched; ids are together, and seldom have any.
    """
    texts = [f"{encode_basestring(name)}: {_text(value)}" for name, value in pairs]
    for group in _groups(texts, sorted(range(len(pairs)), key=lambda place: pairs[place][0])):
        joined = ", ".join([texts[place] for place in group])
        if not secrets and len(joined) <= CAP and not may_hold_secrets(joined):
            continue
        for place in group:
            if secrets or len(texts[place]) > CAP or may_hold_secrets(texts[place]):
                name, value = pairs[place]
                texts[place] = fast_json.dumps(redacted_value({name: value}, secrets), ascii_only=False)[1:-1]
    return texts


def _text(value: object) -> str:
    return encode_basestring(value) if type(value) is str else fast_json.dumps(value, ascii_only=False)


def _groups(texts: Sequence[str], places: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts that are together about as long as a group."""
    group: list[int] = []
    size = 0
    for place in places:
        group.append(place)
        size += len(texts[place])
        if size >= _GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


@lru_cache(maxsize=200)
def _names_values(names: tuple[str, ...]) -> bool:
    """Whether a field may name what another one holds: `{"name": "api_key", "value": …}`."""
    return any(name.lower() == "value" for name in names)
