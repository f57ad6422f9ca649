"""Send records by the official OpenTelemetry SDK, one request at a time.

The SDK's exporter encodes, compresses and posts. What it would hide is decided in the session below it: it takes redirects for
success, does not read partial success, retries for some seconds by itself, and prefers REQUESTS_CA_BUNDLE and .netrc to what is
configured. Imported only once the extra `fleet` is known to be installed.
"""

from __future__ import annotations

import json
import logging
import signal
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote, urlsplit

import certifi
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from requests import PreparedRequest, Response, Session, exceptions

from hooktui import __version__
from hooktui.fleet import fleet_records, fleet_settings
from hooktui.fleet.fleet_records import SCOPE, FleetRecord
from hooktui.fleet.fleet_settings import FleetSettings
from hooktui.fleet.ship_faults import SendError, of_status
from hooktui.fleet.shipper import Receipt

_TIMEOUT_S = 10.0  # without a byte
_LONGEST_S = 60.0  # for a request with its answer: a byte now and then would keep the shipper for ever
_MOST_ANSWER = 64 * 1024  # bytes of an answer that are read
_NUMBERS = {"INFO": SeverityNumber.INFO, "WARN": SeverityNumber.WARN, "ERROR": SeverityNumber.ERROR}


class OtlpSender:
    """A connection to a collector."""

    def __init__(self, settings: FleetSettings) -> None:
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        logging.getLogger("opentelemetry").propagate = False
        self._scope = InstrumentationScope(SCOPE, __version__)
        self._session = _CollectorSession(settings)
        with fleet_settings.without_variables():
            self._exporter = OTLPLogExporter(
                endpoint=settings.endpoint,
                headers=dict(settings.headers),
                certificate_file=settings.ca or None,
                client_certificate_file=settings.cert or None,
                client_key_file=settings.key or None,
                timeout=_TIMEOUT_S,
                compression=Compression.Gzip if settings.compresses else Compression.NoCompression,
                session=self._session,
            )

    def send(self, records: Sequence[FleetRecord], instance: str) -> Receipt:
        """Send records of an instance in one request. Raises SendError unless the collector took them."""
        self._session.error = None
        resource = Resource(fleet_records.resource(instance))
        result = self._exporter.export([self._encoded(record, resource) for record in records])
        if self._session.error is not None:
            raise self._session.error
        if result is not LogRecordExportResult.SUCCESS:
            raise SendError("bad-request", "the SDK cannot send this batch")
        return self._session.receipt

    def close(self) -> None:
        self._exporter.shutdown()

    def _encoded(self, record: FleetRecord, resource: Resource) -> Any:
        log_record = LogRecord(
            timestamp=record.time_ns,
            observed_timestamp=record.time_ns,
            severity_text=record.severity,
            severity_number=_NUMBERS[record.severity],
            body=record.body,
            attributes=dict(record.attributes),
            event_name=record.name,
        )
        return ReadableLogRecord(log_record=log_record, resource=resource, instrumentation_scope=self._scope)


class _CollectorSession(Session):  # type: ignore[misc]  # Any where the extra is not installed
    """A session that notes the `receipt` of the last request, or the `error`, and raises that past the SDK's own retry."""

    def __init__(self, settings: FleetSettings) -> None:
        super().__init__()
        self.error: SendError | None = None
        self.receipt = Receipt()
        # True would let REQUESTS_CA_BUNDLE decide, which an agent's project may set.
        self._trusted: str | bool = settings.ca or settings.trusts_environment or certifi.where()
        user = urlsplit(settings.endpoint)
        # Any value keeps .netrc from replacing the Authorization header.
        self.auth = (unquote(user.username), unquote(user.password or "")) if user.username else _unchanged

    def request(self, method: str | bytes, url: str | bytes, *arguments: Any, **options: Any) -> Response:
        """Send a request. Raises SendError for every answer but success."""
        own = {"verify": self._trusted, "allow_redirects": False, "stream": True}
        try:
            with _deadline(_LONGEST_S):
                response = super().request(method, url, *arguments, **{**options, **own})
                with response:
                    self.receipt = _receipt(response)
        except SendError as error:
            self.error = error
            raise
        except (exceptions.RequestException, OSError, ValueError) as error:
            self.error = _unsent(error)
            raise self.error from error
        return response


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block after so many seconds. Other threads than the main one wait without a limit."""
    if threading.current_thread() is not threading.main_thread():  # signals are for the main thread
        yield
        return

    def expire(_number: int, _frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _unchanged(request: PreparedRequest) -> PreparedRequest:
    return request


def _receipt(response: Response) -> Receipt:
    """What the collector says about a request. Raises SendError unless it took it."""
    kind = response.headers.get("content-type", "")
    if not 200 <= response.status_code < 300:
        raise of_status(response.status_code, response.reason or "", _asked_s(response.headers.get("retry-after", "")))
    if "html" in kind:  # a login page or a captive portal
        raise SendError("not-a-collector", "a web page answers at this address, not a collector")
    content = _content(response)
    try:
        if "json" in kind:
            partial = json.loads(content or b"{}").get("partialSuccess") or {}
            return Receipt(int(partial.get("rejectedLogRecords") or 0), str(partial.get("errorMessage") or ""))
        partial = ExportLogsServiceResponse.FromString(content).partial_success
        return Receipt(partial.rejected_log_records, partial.error_message)
    except Exception:  # noqa: BLE001  # protobuf has errors of its own, and the status said success
        return Receipt()


def _content(response: Response) -> bytes:
    """The beginning of an answer, which may be endless, or much larger than what was sent of it."""
    content = b""
    for part in response.iter_content(1024):
        content += part
        if len(content) > _MOST_ANSWER:
            break
    return content


def _asked_s(text: str) -> float:
    """The pause of a Retry-After header in seconds; 0 without one."""
    try:
        return max(float(text), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return 0.0


def _unsent(error: Exception) -> SendError:
    causes = list(_causes(error))
    reason = next((cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror), str(causes[-1]))
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if isinstance(error, exceptions.ProxyError):
        return SendError("proxy", f"the proxy does not reach the collector: {reason}")
    if isinstance(tls, ssl.SSLCertVerificationError):
        return SendError("certificate", f"the collector's certificate is not trusted: {tls.verify_message}")
    if tls is not None and "ALERT" in (tls.reason or ""):
        return SendError("client-certificate", f"the collector refuses the client's certificate: {tls.reason}")
    if isinstance(tls, ssl.SSLEOFError):  # in TLS 1.3 the alert may not arrive in time
        return SendError("client-certificate", "the collector closed the TLS connection; it may ask for a client's certificate")
    if tls is not None:
        return SendError("certificate", f"no TLS connection to the collector: {tls.reason or tls}")
    if any(isinstance(cause, exceptions.Timeout | TimeoutError) for cause in causes):
        return SendError("timeout", "the collector did not answer in time")
    if isinstance(error, exceptions.ConnectionError):
        return SendError("no-route", f"the collector is unreachable: {reason}")
    if isinstance(error, ValueError):  # which quotes secrets: of a URL, or of a header
        return SendError("configuration", "no request can be made of `endpoint`, `headers` and the proxy's address")
    return SendError("configuration", str(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and those that it was raised from or during, or that it wraps."""
    seen = set[int]()
    waiting: list[BaseException] = [error]
    while waiting:
        cause = waiting.pop(0)
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        inner = [*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__]
        waiting += [one for one in inner if isinstance(one, BaseException)]
