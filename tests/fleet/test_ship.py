"""`hooktui ship` against a receiver: what arrives, what does not, and what it says when nothing arrives."""

from __future__ import annotations

import json
import ssl
import time
from datetime import datetime
from pathlib import Path

import pytest
import trustme

from hooktui.fleet import otlp_sender
from tests.command_world import CommandWorld
from tests.fleet.receiver import Answer, Receiver
from tests.fleet.ship_world import NOWHERE, configure, log, receiver, ship, status
from tests.log_world import LogWorld, run

__all__ = ["log", "receiver"]

CONTAINER = ("unshare", "--map-root-user", "--pid", "--fork", "--kill-child")
PROMPTS = ("CANARY of a person", "canary of a person", "CANARY-prompt", "canary.sh", "canary\nIs $ARGUMENTS ok?")
SECRET = "ghp_" + "A1b2C3d4" * 4 + "E5f6"


def test_events_arrive_in_order_compressed_and_with_the_configured_headers(
    world: CommandWorld, log: LogWorld, receiver: Receiver
) -> None:
    configure(world, receiver.url)
    with open(world.home / ".config/hooktui/config.toml", "a") as file:
        file.write("headers = { Authorization = 'Bearer x' }\n")
    (world.home / ".netrc").write_text("machine 127.0.0.1 login other password other\n")
    log.add_all([log.made(tool="Bash") for _ in range(250)])
    assert ship(world) == "250 records sent.\n"
    assert ship(world) == "Nothing new to send.\n"
    assert [record.seq for record in receiver.of()] == list(range(1, 251))
    assert len({record.key for record in receiver.of()}) == 250
    assert [head.seq for head in receiver.of("hooktui.head")] == [250, 250]
    assert {request.headers["authorization"] for request in receiver.requests} == {"Bearer x"}
    assert {request.headers["content-encoding"] for request in receiver.requests} == {"gzip"}


def test_variables_stand_in_for_what_the_configuration_leaves_out(
    world: CommandWorld, log: LogWorld, receiver: Receiver
) -> None:
    log.add(at=time.time() - 1)
    ship(
        world,
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url,
        OTEL_EXPORTER_OTLP_LOGS_HEADERS="authorization=Bearer%20x,team=a",
        OTEL_RESOURCE_ATTRIBUTES="team=pay%2Cments,user=me",
    )
    (request, *_) = receiver.requests
    assert (request.headers["authorization"], request.headers["team"]) == ("Bearer x", "a")
    (record,) = receiver.of()
    assert (record.resource["team"], record.resource["user"]) == ("pay,ments", "me")


def test_a_dry_run_prints_what_is_sent_and_sends_nothing(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, receiver.url, level="reasons")
    log.add(tool="Bash", decision="deny", reason="no", runs=[run("guard", decision="deny", reason="no")])
    (printed,) = world.run("ship", "--dry-run", "--json").stdout.splitlines()
    assert receiver.requests == []
    ship(world)
    (sent,) = receiver.of()
    assert json.loads(printed) == {
        "resource": dict(sent.resource),
        "name": sent.name,
        "time_ns": sent.time_ns,
        "severity": sent.severity,
        "attributes": dict(sent.attributes),
        "body": sent.body,
    }


def test_at_level_metadata_nothing_that_anybody_wrote_is_on_the_wire(world: CommandWorld, receiver: Receiver) -> None:
    configure(world, receiver.url)
    script = f"#!/bin/sh\ncat >&2; echo CANARY-stderr {SECRET} >&2; exit 2\n"
    world.hook("guard", script, matcher={"tool": "Shell"})
    world.hook("talker", """#!/bin/sh\necho '{"reason": "CANARY-reason", "additional_context": "CANARY-context"}'\n""")
    event = {"session_id": "s1", "work_dir": str(world.project), "prompt": "CANARY-prompt"}
    tool = {"event_type": "pre-tool-call", "tool_name": "Shell", "tool_input": {"command": f"CANARY-input {SECRET}"}}
    world.run("run", stdin={**event, **tool}, code=2)
    world.run("run", stdin={**event, "event_type": "pre-agent-turn"}, code=None)
    ship(world)
    assert len(receiver.of()) == 2
    assert b"guard\tok\tdeny" in receiver.wire
    assert b"CANARY" not in receiver.wire
    assert SECRET.encode() not in receiver.wire


def test_at_level_metadata_no_command_url_or_prompt_of_an_unnamed_hook_is_on_the_wire(
    world: CommandWorld, receiver: Receiver
) -> None:
    configure(world, receiver.url)
    handlers = [
        {"type": "command", "command": "echo CANARY-word"},
        {"type": "command", "command": "curl https://me:CANARY-password@127.0.0.1:9/x"},
        {"type": "command", "command": "TOKEN=CANARY-variable python3 -c 'print(\"CANARY-code\")'"},
        {"type": "http", "url": "http://127.0.0.1:9/CANARY-path", "headers": {"Authorization": "CANARY-header"}},
        *({"type": kind, "prompt": prompt} for kind in ("prompt", "agent") for prompt in PROMPTS),
        {"type": "prompt", "name": "CANARY-name", "prompt": "x"},
    ]
    settings = world.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": handlers}]}}))
    event = {"session_id": "s1", "cwd": str(world.project), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    world.run("run", "--host", "claude", "--format", "claude", stdin=event, code=None)
    world.run("exec", "--", "echo", "CANARY-unlisted", stdin=event, code=None)
    ship(world)
    labels = {hook["label"].split()[0] for record in receiver.of() for hook in json.loads(record.body)["hooks"]}
    assert labels == {"echo", "curl", "python3", "127.0.0.1", "hook"}
    assert b"canary" not in receiver.wire.lower()


@pytest.mark.parametrize(
    ("answer", "kind", "says"),
    [
        (Answer(401), "unauthorized", "refuses the credentials (401"),
        (Answer(429, {"retry-after": "900"}), "throttled", "asks to slow down (429"),
        (Answer(503), "unavailable", "the collector is unavailable (503"),
        (Answer(404), "not-a-collector", "no OTLP/HTTP collector answers"),
        (Answer(302, {"location": "http://127.0.0.1:9/login"}), "not-a-collector", "no OTLP/HTTP collector answers"),
        (Answer(200, content_type="text/html"), "not-a-collector", "is not that of a collector"),
        (Answer(content=b"\x9f" * 40), "not-a-collector", "is not that of a collector"),
        (Answer(content=b"[1]", content_type="application/json"), "not-a-collector", "is not that of a collector"),
    ],
)
def test_a_refusal_is_told_apart_and_loses_nothing(
    world: CommandWorld, log: LogWorld, receiver: Receiver, answer: Answer, kind: str, says: str
) -> None:
    configure(world, receiver.url)
    log.add_all([log.made() for _ in range(3)])
    receiver.answers = [answer]
    assert says in ship(world, code=1)
    now = status(world)
    assert (now["fault"]["kind"], now["behind"], now["fault"]["attempts"]) == (kind, 3, 1)
    assert says in world.run("ship", "--status").stdout
    assert len(receiver.requests) == 1, "the SDK retried by itself"
    ship(world)
    assert {record.seq for record in receiver.of()} == {1, 2, 3}
    assert status(world)["fault"] is None


def test_an_answer_that_never_ends_costs_neither_time_nor_memory(
    world: CommandWorld, log: LogWorld, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(world, receiver.url)
    log.add()
    receiver.answers = [Answer(endless=b"x" * 100_000)]
    assert "is not that of a collector" in ship(world, code=1)
    monkeypatch.setattr(otlp_sender, "_LONGEST_S", 0.5)
    log.add()
    receiver.answers = [Answer(endless=b"x")]  # a byte each tenth of a second
    assert "did not answer in time" in ship(world, code=1)
    assert status(world)["fault"]["kind"] == "timeout"


def test_a_collector_that_asks_for_a_pause_gets_it(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, receiver.url)
    log.add()
    receiver.answers = [Answer(429, {"retry-after": "900"})]
    ship(world, code=1)
    fault = status(world)["fault"]
    since, retry_at = (datetime.fromisoformat(fault[name]) for name in ("since", "retry_at"))
    assert 900 <= (retry_at - since).total_seconds() <= 1000


def test_partial_success_is_counted_and_not_sent_again(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, receiver.url)
    log.add_all([log.made() for _ in range(5)])
    receiver.answers = [Answer(rejected=2, message="attribute too long")]
    ship(world)
    now = status(world)
    assert (now["rejected"], now["rejection"], now["behind"]) == (2, "attribute too long", 0)
    assert "2 records rejected by the collector: attribute too long" in world.run("ship", "--status").stdout


def test_a_collector_that_rejects_everything_is_a_failure(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, receiver.url)
    log.add_all([log.made() for _ in range(3)])
    receiver.answers = [Answer(rejected=3, message="no quota")]
    assert "3 records rejected by the collector: no quota" in ship(world, code=1)
    assert ship(world) == "Nothing new to send.\n"


def test_a_batch_that_is_too_large_is_halved_and_a_record_cut(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, receiver.url, level="full")
    log.add_all([log.made(payload={"text": "x" * 20_000}) for _ in range(8)])
    log.add(payload={"text": "y" * 100_000})
    receiver.largest = 60_000
    ship(world)
    assert [record.seq for record in receiver.of()] == list(range(1, 10))
    assert [record.attributes.get("hooktui.trimmed") for record in receiver.of()] == [None] * 8 + ["true"]
    assert status(world)["trimmed"] == 1


def test_nobody_listening_is_no_route(world: CommandWorld, log: LogWorld) -> None:
    configure(world, NOWHERE)
    log.add()
    assert "the collector is unreachable: Connection refused" in ship(world, code=1)
    assert status(world)["fault"]["kind"] == "no-route"


def test_a_proxy_is_used_and_its_failure_told(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, "http://collector.invalid:4318")
    log.add()
    assert "the proxy does not reach the collector" in ship(world, code=1, HTTP_PROXY=NOWHERE)
    assert status(world)["fault"]["kind"] == "proxy"
    ship(world, HTTP_PROXY=receiver.url)
    assert [record.seq for record in receiver.of()] == [1]


def test_a_configured_proxy_is_used_whatever_variables_say(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, "http://collector.invalid:4318", proxy=receiver.url)
    log.add()
    ship(world, HTTP_PROXY=NOWHERE)
    assert [record.seq for record in receiver.of()] == [1]


def test_headers_that_http_does_not_allow_are_refused_without_their_secret(
    world: CommandWorld, log: LogWorld, receiver: Receiver
) -> None:
    log.add()
    for value in ("Bearer secret…", "Bearer secret\\n"):
        configure(world, receiver.url)
        with open(world.home / ".config/hooktui/config.toml", "a") as file:
            file.write(f'headers = {{ Authorization = "{value}" }}\n')
        said = ship(world, code=1)
        assert "`headers`" in said
        assert "secret" not in said


class Authority:
    """A certificate authority of its own, with a server's and a client's certificate in files."""

    def __init__(self, directory: Path) -> None:
        authority = trustme.CA()
        self.ca, self.cert, self.key = (str(directory / name) for name in ("ca.pem", "cert.pem", "key.pem"))
        authority.cert_pem.write_to_path(self.ca)
        client = authority.issue_cert("client@example.com")
        client.cert_chain_pems[0].write_to_path(self.cert)
        client.private_key_pem.write_to_path(self.key)
        self.server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(self.server)


def test_only_the_configured_authority_is_trusted(
    world: CommandWorld, log: LogWorld, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    authority, other = Authority(tmp_path), Authority(tmp_path_factory.mktemp("other"))
    log.add()
    with Receiver(authority.server) as receiver:
        configure(world, receiver.url)
        assert "certificate is not trusted" in ship(world, code=1)
        assert status(world)["fault"]["kind"] == "certificate"
        configure(world, receiver.url, ca=other.ca)
        assert "certificate is not trusted" in ship(world, code=1, REQUESTS_CA_BUNDLE=authority.ca)
        configure(world, receiver.url, ca=authority.ca)
        ship(world, REQUESTS_CA_BUNDLE=other.ca)
        assert [record.seq for record in receiver.of()] == [1]


def test_a_collector_may_ask_for_the_clients_certificate(world: CommandWorld, log: LogWorld, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    authority.server.verify_mode = ssl.CERT_REQUIRED
    authority.server.maximum_version = ssl.TLSVersion.TLSv1_2  # in 1.3 the client may miss the alert
    authority.server.load_verify_locations(authority.ca)
    log.add()
    with Receiver(authority.server) as receiver:
        configure(world, receiver.url, ca=authority.ca)
        assert "refuses the client's certificate" in ship(world, code=1)
        assert status(world)["fault"]["kind"] == "client-certificate"
        configure(world, receiver.url, ca=authority.ca, cert=authority.cert, key=authority.key)
        ship(world)
        assert [record.seq for record in receiver.of()] == [1]


def test_a_certificate_file_that_is_missing_is_a_fault_of_the_configuration(world: CommandWorld, log: LogWorld) -> None:
    configure(world, "https://127.0.0.1:9", ca="/nowhere/ca.pem")
    log.add()
    assert "/nowhere/ca.pem" in ship(world, code=1)
    assert status(world)["fault"]["kind"] == "configuration"
