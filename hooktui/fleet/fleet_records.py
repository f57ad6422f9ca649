"""What is sent: one OpenTelemetry log record for each record of the hash chain, and the chain's head (docs/fleet.md).

All attributes are strings, for the schema of ClickHouse's collectors has no other type. The key of a dispatch is the machine's
instance with the dispatch's id; of several records with one key, the highest sequence counts.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Collection, Mapping
from typing import Any, Literal, NamedTuple

from hooktui import __version__, config
from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.core.report import LoggedReport, RunReport
from hooktui.fleet import fleet_settings
from hooktui.fleet.fleet_settings import FleetSettings
from hooktui.fleet.shipping_levels import ProjectHashes, mapped, naming, reduced, reduced_run

Severity = Literal["INFO", "WARN", "ERROR"]
DISPATCH, NOTE, HEAD = "hooktui.dispatch", "hooktui.note", "hooktui.head"
SCOPE = "hooktui"
_MOST_BYTES = 3 * 1024 * 1024  # of one record: collectors refuse more than 4 MiB by default
_CUT = 1024  # characters that remain of each text in a record that is too large
_MOST_TEXTS = 4096  # of skipped hooks that are kept
_MANY = 100  # hooks that remain in a record that is still too large
_CALL_IDS = ("tool_use_id", "tool_call_id", "toolCallId", "call_id")  # fields of payloads
_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)


class Link(NamedTuple):
    """A record of the hash chain: its sequence and hash."""

    seq: int
    hash: str


class LoggedDispatch(NamedTuple):
    """A dispatch as it is in the log: its report and its worst state.

    `prompts` are the ids of its hooks whose label is the beginning of a prompt.
    """

    id: int
    report: LoggedReport
    state: str
    prompts: Collection[str] = ()


class FleetRecord(NamedTuple):
    """A log record of OpenTelemetry; `time_ns` since 1970. `trimmed`: texts were cut because it was too large.

    `lost`: the number of records that it stands for.
    """

    name: str
    seq: int
    time_ns: int
    severity: Severity
    attributes: Mapping[str, str]
    body: str
    trimmed: bool = False
    lost: int = 0

    @property
    def size(self) -> int:
        """About its size in bytes when it is sent, before compression."""
        attributes = sum(len(name) + len(value) + 8 for name, value in self.attributes.items())
        return _bytes(self.body) + attributes + 64

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("name", "time_ns", "severity", "attributes", "body")}


class RecordMaker:
    """Makes records by the settings. `salt` is the machine's secret that hashes the names of projects."""

    def __init__(self, settings: FleetSettings, salt: str) -> None:
        self._level = settings.level
        self._hashes = settings.hash_projects
        self._salt = salt.encode()
        self._texts: dict[int, tuple[RunReport, str]] = {}

    def dispatch(self, logged: LoggedDispatch, link: Link) -> FleetRecord:
        """The record of a dispatch, trimmed if it would be too large for a collector."""
        body = _encodable(self._body(logged))
        attributes = {name: _encodable(value) for name, value in self._attributes(logged, link).items() if value}
        if self._hashes:
            hashes = ProjectHashes(logged.report, self._salt)
            body = hashes.hide_paths(body)
            attributes = {name: hashes.hide_paths(value) for name, value in attributes.items()}
            if self._level != "metadata":
                body = hashes.hide_names_in(body)
                if reason := attributes.get("hooktui.reason"):
                    attributes["hooktui.reason"] = hashes.hide_names(reason)
        record = FleetRecord(DISPATCH, link.seq, _nanoseconds(logged.id), _severity(logged), attributes, body)
        return trimmed(record, _MOST_BYTES) if _bytes(body) > _MOST_BYTES else record

    def _body(self, logged: LoggedDispatch) -> str:
        """A report as JSON at the level. Skipped hooks come back in every event, so their text is kept."""
        texts = []
        for run in logged.report["hooks"]:
            known, text = self._texts.get(id(run), (None, ""))
            if known is not run:
                text = _json(reduced_run(run, self._level, logged.prompts))
            if run["state"] == "skipped" and len(self._texts) < _MOST_TEXTS:
                self._texts[id(run)] = run, text
            texts.append(text)
        return f'{_json(reduced(logged.report, self._level))[:-1]},"hooks":[{",".join(texts)}]}}'

    def _attributes(self, logged: LoggedDispatch, link: Link) -> dict[str, str | None]:
        report = logged.report
        payload = report["payload"] if isinstance(report["payload"], dict) else {}
        call = next((payload[name] for name in _CALL_IDS if name in payload), "")
        ran = [run for run in report["hooks"] if run["state"] != "skipped"]
        rule = next((run for run in report["hooks"] if run["decision"] == report["decision"] != "none"), None)  # that decided

        def label(run: RunReport) -> str:
            return naming(run, self._level, logged.prompts)["label"]

        return {
            **_chained(DISPATCH, link),
            "hooktui.id": report["id"],
            "hooktui.project": report["project"],
            "hooktui.event": report["event"],
            "hooktui.decision": report["decision"],
            "hooktui.effect": report["effect"],
            "hooktui.state": logged.state,
            "hooktui.reason": report["reason"] if self._level != "metadata" else None,
            "hooktui.duration_ms": None if report["duration_ms"] is None else str(report["duration_ms"]),
            "hooktui.origin": report["origin"],
            "hooktui.level": self._level,
            "hooktui.runs": "\n".join(f"{' '.join(label(run).split())}\t{run['state']}\t{run['decision']}" for run in ran),
            "gen_ai.operation.name": "execute_hook",
            "gen_ai.conversation.id": report["session_id"],
            "session.id": report["session_id"],
            "gen_ai.agent.name": report["host"],
            "gen_ai.tool.name": report["tool_name"],
            "gen_ai.tool.call.id": call if isinstance(call, str) and _ID.fullmatch(call) else None,
            "security_rule.name": label(rule) if rule else None,
            "security_rule.version": rule["version"] if rule else None,
        }


def note(link: Link, number: int, detail: Mapping[str, Any]) -> FleetRecord:
    """The record of a note in the chain, or of a link whose dispatch is gone; `number` is an id that tells its time."""
    return FleetRecord(NOTE, link.seq, _nanoseconds(number), "INFO", _chained(NOTE, link), _json(detail))


def gap(last: Link, first: int, number: int) -> FleetRecord:
    """The record that stands for links from a sequence on, which cannot be sent any more; `number` is an id of that time."""
    detail = {"kind": "lost", "first": first, "last": last.seq}
    return note(last, number, detail)._replace(severity="WARN", lost=last.seq - first + 1)


def head(link: Link, first: int, now_ns: int) -> FleetRecord:
    """The record of the chain's head: a reader that misses sequences from `first` to the head knows of the gap."""
    return FleetRecord(HEAD, link.seq, now_ns, "INFO", _chained(HEAD, link), _json({"first": first, "last": link.seq}))


def trimmed(record: FleetRecord, most_bytes: int) -> FleetRecord:
    """The record of a dispatch with its texts cut, and fewer hooks if that does not make its body small enough."""
    cut = {**mapped(json.loads(record.body), _cut), "trimmed": True}
    ran = [run for run in cut["hooks"] if run["state"] != "skipped"]
    steps: tuple[dict[str, Any], ...] = ({}, {"hooks": ran}, {"hooks": ran[:_MANY]}, {"hooks": [], "payload": None})
    for step in steps:
        cut |= step
        body = _encodable(_json(cut))
        if _bytes(body) <= most_bytes:
            break
    attributes = {name: value[:_CUT] for name, value in record.attributes.items()} | {"hooktui.trimmed": "true"}
    return record._replace(attributes=attributes, body=body, trimmed=True)


def resource(instance: str) -> dict[str, str]:
    """The attributes that all records share; `instance` is the machine's own UUID."""
    return {
        **fleet_settings.resource_attributes(),
        **config.fleet_values().values.get("attributes", {}),
        "service.name": "hooktui",
        "service.version": __version__,
        "service.instance.id": instance,
        "host.name": socket.gethostname(),
    }


def _chained(name: str, link: Link) -> dict[str, str]:
    values = {"event.name": name, "hooktui.seq": str(link.seq), "hooktui.hash": link.hash}
    return {name: value for name, value in values.items() if value}


def _severity(logged: LoggedDispatch) -> Severity:
    if logged.state in FAILURES:
        return "ERROR"
    return "WARN" if logged.report["decision"] in ("deny", "stop") else "INFO"


def _nanoseconds(number: int) -> int:
    """The time of an id in nanoseconds since 1970."""
    return round(ids.seconds(number) * 1e6) * 1000


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _encodable(text: str) -> str:
    """A text with question marks in place of lone surrogates, which JSON allows and UTF-8 does not."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[:_CUT]}…"
