"""The load of a fleet: a thousand open connections, each of which ships a machine's records once a second.

`python -m tests.fleet.load_generator PORT RECORDS_PER_S SECONDS` sends to a collector on loopback and prints a line of JSON.
A request leaves when it is due, whether those before it were answered or not.
"""

from __future__ import annotations

import asyncio
import json
import re
import struct
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import NamedTuple

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from hooktui.core import ids
from hooktui.fleet.fleet_records import FleetRecord, RecordMaker
from hooktui.fleet.fleet_settings import FleetSettings
from hooktui.fleet.otlp_sender import OtlpSender
from hooktui.fleet.outbox import Outbox
from tests.fleet.receiver import Receiver
from tests.fleet.simulated_machines import host_named
from tests.log_world import LogWorld, run

MACHINES = 1000
_FIRST_SEQ = 1_000_001  # all sequences have as many digits
_MACHINE = "m0000"
_TICK_S = 0.005
_ANSWERED_S = 60.0
_HEAD = "POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-protobuf\r\nContent-Length: {}\r\n\r\n"
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sent:
    """What a load came to, in records; `late_ms` is how far a request was behind its time at most."""

    sent: int
    taken: int
    refused: int
    late_ms: float
    cpu_s: float


class _Placeholder(NamedTuple):
    """The bytes of a record's id, time and sequence."""

    written: bytes
    stamp: bytes
    seq: bytes


class RequestTemplate:
    """A request as the shipper sends it; each one made of it has a machine, ids, times and sequences of its own."""

    def __init__(self, records: int) -> None:
        content, self._placeholders = _shipped(records)
        names = [_MACHINE.encode(), *(name for placeholder in self._placeholders for name in placeholder)]
        self._parts = re.split(b"(" + b"|".join(map(re.escape, names)) + b")", content)
        self._parts[0] = _HEAD.format(len(content)).encode() + self._parts[0]

    def request(self, machine: str, first_seq: int) -> bytes:
        """The request of a machine whose events happen now."""
        values = {_MACHINE.encode(): machine.encode()}
        numbers = ids.several(len(self._placeholders))
        for place, (number, (written, stamp, seq)) in enumerate(zip(numbers, self._placeholders, strict=True)):
            values[written] = ids.text(number).encode()
            values[stamp] = struct.pack("<Q", round(ids.seconds(number) * 1e6) * 1000)
            values[seq] = b"%d" % (first_seq + place)
        parts = self._parts.copy()
        parts[1::2] = [values[name] for name in parts[1::2]]
        return b"".join(parts)


def _shipped(count: int) -> tuple[bytes, list[_Placeholder]]:
    """The bytes that the shipper sends for some events of a machine, and where their ids, times and sequences are."""
    with tempfile.TemporaryDirectory() as directory, Receiver() as receiver, host_named(_MACHINE):
        records = _records(f"{directory}/log.db", count)
        sender = OtlpSender(FleetSettings(f"{receiver.url}/v1/logs", compresses=False))
        sender.send(records, f"instance-of-{_MACHINE}")
        sender.close()
        (request,) = receiver.requests
    return request.content, [
        _Placeholder(
            record.attributes["hooktui.id"].encode(),
            struct.pack("<Q", record.time_ns),
            record.attributes["hooktui.seq"].encode(),
        )
        for record in records
    ]


def _records(db: str, count: int) -> list[FleetRecord]:
    world = LogWorld(db)
    for _ in range(count):
        runs = [run("block-dangerous", duration_ms=3.1), run("audit", duration_ms=4.0), run("format-py", "skipped")]
        about = {"session": f"s-{_MACHINE}", "host": "claude", "project": f"/home/{_MACHINE}/app"}
        world.add(tool="Shell", runs=runs, payload={"tool_name": "Shell", "tool_input": {"command": "make test"}}, **about)
    outbox = Outbox(db)
    (batch,) = outbox.batches(0, RecordMaker(FleetSettings(""), ""))
    outbox.close()
    return [
        record._replace(attributes={**record.attributes, "hooktui.seq": str(9_000_000 + record.seq)})
        for record in batch.records
    ]


class _Connection(asyncio.Protocol):
    """A connection of a machine, which stays open. `answers` counts the answers of all by their status."""

    def __init__(self, answers: Counter[str]) -> None:
        self._answers = answers
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n") + 4) > 3:
            length = _LENGTH.search(self._buffer, 0, end)
            end_of_body = end + (int(length[1]) if length else 0)
            if len(self._buffer) < end_of_body:
                return
            status, body = self._buffer[9:12].decode(), self._buffer[end:end_of_body]
            rejected = ExportLogsServiceResponse.FromString(body).partial_success.rejected_log_records
            self._answers["rejected" if rejected else status] += 1
            self._buffer = self._buffer[end_of_body:]


async def generate(port: int, rate: int, seconds: int) -> Sent:
    """Send `rate` records a second to a collector, of all machines in turn."""
    each = rate // MACHINES
    template, answers, late_s = RequestTemplate(each), Counter[str](), 0.0
    loop = asyncio.get_running_loop()
    connections = [(await loop.create_connection(lambda: _Connection(answers), "127.0.0.1", port))[0] for _ in range(MACHINES)]
    cpu, began, total = time.process_time(), time.monotonic(), MACHINES * seconds
    for number in range(total):
        while (early_s := began + number / MACHINES - time.monotonic()) > 0:
            await asyncio.sleep(max(early_s, _TICK_S))
        late_s = max(late_s, -early_s)
        machine = number % MACHINES
        connections[machine].write(template.request(f"m{machine:04}", _FIRST_SEQ + number // MACHINES * each))
    deadline = time.monotonic() + _ANSWERED_S
    while answers.total() < total and time.monotonic() < deadline:
        await asyncio.sleep(_TICK_S)
    cpu = time.process_time() - cpu
    for connection in connections:
        connection.close()
    return Sent(total * each, answers["200"] * each, (total - answers["200"]) * each, late_s * 1000, cpu)


def main() -> None:
    print(json.dumps(asdict(asyncio.run(generate(*map(int, sys.argv[1:]))))))


if __name__ == "__main__":
    main()
