"""Send records to a collector: encoded by the OpenTelemetry SDK, one request at a time.

Imported only once the extra `fleet` is known to be installed.
"""

from __future__ import annotations

import gzip
import json
import signal
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import BadStatusLine, RemoteDisconnected

from google.protobuf.message import DecodeError
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from requests import PreparedRequest, Response, Session, exceptions
from requests.utils import get_auth_from_url
from urllib3.exceptions import InvalidHeader
from urllib3.util.retry import Retry

from hooktui import __version__
from hooktui.fleet import fleet_records
from hooktui.fleet.fleet_records import SCOPE, FleetRecord
from hooktui.fleet.fleet_settings import FleetSettings
from hooktui.fleet.ship_faults import SendError, of_status
from hooktui.fleet.shipper import Receipt

_TIMEOUT_S = 10.0  # without a byte
_LONGEST_S = 60.0  # for a request with its answer: a byte now and then would keep the shipper for ever
_MOST_ANSWER = 64 * 1024  # bytes of an answer that are read


class OtlpSender:
    """A connection to a collector."""

    def __init__(self, settings: FleetSettings) -> None:
        self._url = settings.endpoint
        self._compresses = settings.compresses
        self._scope = InstrumentationScope(SCOPE, __version__)
        self._session = Session()
        own = {"Content-Type": "application/x-protobuf", "User-Agent": f"hooktui/{__version__}"}
        encoding = {"Content-Encoding": "gzip"} if settings.compresses else {}
        self._session.headers.update({**settings.headers, **own, **encoding})
        self._session.cert = (settings.cert, settings.key) if settings.key else settings.cert or None
        user = get_auth_from_url(settings.endpoint)
        self._session.auth = user if any(user) else _unchanged
        # Of the session these would yield to variables, such as REQUESTS_CA_BUNDLE.
        self._verify = settings.ca or True
        self._proxies = {"http": settings.proxy, "https": settings.proxy} if settings.proxy else None

    def send(self, records: Sequence[FleetRecord], instance: str) -> Receipt:
        """Send records of an instance in one request. Raises SendError unless the collector took them."""
        resource = Resource(fleet_records.resource(instance))
        content = encode_logs([self._readable(record, resource) for record in records]).SerializeToString()
        try:
            with _deadline(_LONGEST_S), self._post(gzip.compress(content) if self._compresses else content) as response:
                return _receipt(response)
        except (exceptions.RequestException, OSError, ValueError) as error:
            raise _unsent(error) from error

    def close(self) -> None:
        self._session.close()

    def _post(self, content: bytes) -> Response:
        return self._session.post(
            self._url,
            data=content,
            timeout=_TIMEOUT_S,
            verify=self._verify,
            proxies=self._proxies,
            allow_redirects=False,
            stream=True,
        )

    def _readable(self, record: FleetRecord, resource: Resource) -> ReadableLogRecord:
        log_record = LogRecord(
            timestamp=record.time_ns,
            observed_timestamp=record.time_ns,
            severity_text=record.severity,
            severity_number=SeverityNumber[record.severity],
            body=record.body,
            attributes=dict(record.attributes),
            event_name=record.name,
        )
        return ReadableLogRecord(log_record=log_record, resource=resource, instrumentation_scope=self._scope)


def _unchanged(request: PreparedRequest) -> PreparedRequest:
    """Keep a .netrc from replacing the Authorization header."""
    return request


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


def _receipt(response: Response) -> Receipt:
    """What the collector says about a request. Raises SendError unless it took it."""
    if not 200 <= response.status_code < 300:
        raise of_status(response.status_code, response.reason or "", _asked_s(response.headers.get("retry-after", "")))
    content = b""  # at most the beginning: an answer may be endless, or much larger than what was sent of it
    for part in response.iter_content(1024):
        content += part
        if len(content) > _MOST_ANSWER:
            break
    kind = response.headers.get("content-type", "")
    try:
        if "html" in kind:
            raise ValueError(kind)
        if "json" in kind:
            partial = json.loads(content or b"{}").get("partialSuccess") or {}
            return Receipt(int(partial.get("rejectedLogRecords") or 0), str(partial.get("errorMessage") or ""))
        answer = ExportLogsServiceResponse.FromString(content)
        answer.DiscardUnknownFields()  # text often reads as such
        if content and not answer.ByteSize():
            raise ValueError(content[:80])
        return Receipt(answer.partial_success.rejected_log_records, answer.partial_success.error_message)
    except (DecodeError, ValueError, TypeError, AttributeError) as error:  # of a login page, or a captive portal
        raise SendError("not-a-collector", "the answer at this address is not that of a collector") from error


def _asked_s(text: str) -> float:
    """The pause of a Retry-After header in seconds; 0 without one."""
    try:
        return float(Retry().parse_retry_after(text))
    except (InvalidHeader, ValueError):
        return 0.0


def _unsent(error: Exception) -> SendError:
    """The fault of a request without an answer, told by the errors that led to it."""
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
    if isinstance(error, exceptions.ContentDecodingError) or any(map(_is_no_http, causes)):
        return SendError("not-a-collector", "the program at this address does not speak HTTP")
    if isinstance(error, exceptions.ConnectionError | exceptions.ChunkedEncodingError):
        return SendError("no-route", f"the collector is unreachable: {reason}")
    if isinstance(error, ValueError):  # which quotes secrets: of a URL, or of a header
        return SendError("configuration", "no request can be made of `endpoint`, `headers` and the proxy's address")
    return SendError("configuration", str(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and those during whose handling it was raised, the first of them last."""
    while error is not None:
        yield error
        error = error.__context__


def _is_no_http(error: BaseException) -> bool:
    return isinstance(error, BadStatusLine) and not isinstance(error, RemoteDisconnected)
