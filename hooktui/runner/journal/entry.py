"""Log entries: one dispatch, or the end of one async run, as the tables and the spool hold it.

Texts are redacted and capped here, and numbers have the types that SQLite gives back, so that digests of an entry and of its
rows agree.
"""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.core.records import Record
from hooktui.runner.redaction import CAP, LEFT_OUT, may_hold_secrets, redact, redacted_value, stored_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from hooktui.core.model import DecisionName, Dispatch, Effect, Hook, Origin, Run, Scope, Skip, State, Via

    Pair = tuple[str, Any]

# States from good to bad; a dispatch shows its worst.
STATES = ("", "would-run", "ok", "started", "invalid-output", "failed", "timeout", "interrupted")
_LABEL_LENGTH = 500  # characters of an event's, a tool's or a session's name
_JSON_LENGTH = 5 * CAP // 2  # characters of a payload: two long texts and the fields beside them
# Fields of a payload that differ between two events of one kind in a turn.
_DISTINCT = ("prompt_id", "agent_id", "notification_type", "message", "trigger", "source")
_IN_SESSION = (1 << 40) - 1  # the bits of an event's key that tell the events of a session apart
_RUN_EFFECTS = ("modified_input", "additional_context", "system_message", "log", "problems")


class SessionEntry(Record):
    """The session of a dispatch. All three fields together identify it."""

    name: str
    host: str
    project: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.name, self.host, self.project


class HookEntry(Record):
    """One version of a hook: a row of the table `hook`."""

    version: str
    key: str
    name: str
    format: str
    scope: Scope
    file: str
    line: int
    event: str
    text: str
    label: str | None = None


class RunEntry(Record):
    """One run: a row of the table `run`.

    `effects` is a JSON object as text, None for a hook without effects. `origin` is None if it is that of the dispatch.
    """

    id: int
    dispatch: int
    hook_version: str
    position: int
    state: State
    skip: Skip | None
    why: str
    decision: DecisionName
    via: Via | None
    reason: str | None
    exit_code: int | None
    signal: int | None
    started_ms: float
    duration_ms: float
    stdout: str
    stderr: str
    truncated: int
    effects: str | None
    origin: Origin | None = None

    @property
    def searched_texts(self) -> tuple[str | None, ...]:
        return self.stdout, self.stderr, self.reason


class DispatchEntry(Record):
    """One dispatch with its runs: a row of the table `dispatch`, and its `content`.

    `ran` lists the names of the hooks that ran, deciders first, one per line. `payload` and `effects` are JSON objects as
    text. `hooks` holds the versions of hooks that the log may not know yet; a run may also refer to a version that it does
    know. Dispatches of one event have one `event_key` (`merge_sources`). `skips` is the version of a list of further hooks,
    which the event skipped (`side_files`).
    """

    id: int
    session: SessionEntry
    event: str
    tool: str | None
    decision: DecisionName
    state: str
    ran: str
    reason: str | None
    duration_ms: float
    synthetic: int
    payload: str
    effects: str | None
    runs: tuple[RunEntry, ...]
    hooks: tuple[HookEntry, ...]
    origin: Origin = "run"
    effect: Effect = "none"
    event_key: int | None = None
    skips: str | None = None

    @property
    def searched_texts(self) -> tuple[str | None, ...]:
        """The texts that a search looks into, without the payload."""
        return self.reason, *(text for run in self.runs for text in run.searched_texts)


class EndEntry(Record):
    """The end of an async run that its dispatch did not wait for. `hooks` holds at most the version of its hook."""

    run: RunEntry
    hooks: tuple[HookEntry, ...]


LogEntry = DispatchEntry | EndEntry


def _deciders_first(dispatch: Dispatch, ran: Sequence[Run]) -> list[Run]:
    """The runs in order, those that made the dispatch's effect first."""
    if dispatch.effect == "rewrite":
        return sorted(ran, key=lambda run: run.outcome.modified_input is None)
    return sorted(ran, key=lambda run: run.outcome.decision != dispatch.decision)


def of_dispatch(dispatch: Dispatch, secrets: Sequence[str], known: Collection[str] = ()) -> DispatchEntry:
    """The entry of a dispatch.

    `secrets` are the user's own patterns, added to the built-in ones; `known` are the versions of hooks that the log has.
    """
    event = dispatch.event
    origin: Origin | None = "observed" if dispatch.origin == "observed" else None
    ran = [run for run in dispatch.runs if run.state not in ("skipped", "would-run")]
    new_hooks = {run.hook.version: run.hook for run in dispatch.runs if run.hook.version not in known}
    effects = {
        "modified_input": dispatch.modified_input,
        "additional_context": dispatch.additional_context,
        "system_messages": dispatch.system_messages,
        "log": dispatch.logs,
        "warnings": dispatch.warnings,
    }
    return DispatchEntry(
        id=dispatch.id,
        session=SessionEntry(
            name=session_name(event.session_id, secrets),
            host=event.host,
            project=stored_name(dispatch.project, secrets),
        ),
        event=label(event.name, secrets),
        tool=event.tool_name and label(event.tool_name, secrets),
        decision=dispatch.decision,
        state=max((run.state for run in ran), key=STATES.index, default=""),
        ran="\n".join(stored_name(run.hook.label, secrets) for run in _deciders_first(dispatch, ran)),
        reason=dispatch.reason and stored_text(dispatch.reason, secrets),
        duration_ms=_real(dispatch.duration_ms),
        synthetic=int(dispatch.synthetic),
        payload=stored_json(event.payload, secrets) or "{}",
        effects=stored_json(_without_empty(effects), secrets),
        runs=tuple(
            of_run(run, dispatch.id, position, secrets, origin)
            for position, run in zip(dispatch.places, dispatch.runs, strict=True)
        ),
        hooks=tuple(of_hook(hook, secrets) for hook in new_hooks.values()),
        origin=dispatch.origin,
        effect=dispatch.effect,
        event_key=event_key(dispatch),
        skips=dispatch.mismatches.version if dispatch.mismatches else None,
    )


def event_key(dispatch: Dispatch) -> int | None:
    """A hash of what the records of one event have in common; None for a dispatch that is never joined with another.

    That is the session, the event and the tool call, which has an id or else a tool and input. Other events have their turn and
    what distinguishes two of them in it. `merge_sources` says when two records with one key are one event.
    """
    event = dispatch.event
    if dispatch.synthetic or dispatch.origin not in ("run", "observed") or not event.session_id:
        return None
    call = event.fields.get("tool_use_id") or event.payload.get("tool_use_id")
    about = [call] if call else [event.tool_name, event.tool_input, *map(event.payload.get, _DISTINCT)]
    return key_near(key_of_json(event.session_id), _json([event.session_id, event.name, about]))


def key_near(session: int, about: str) -> int:
    """A hash of a JSON text near that of its session, so that an import changes few pages of the index."""
    return (session & ~_IN_SESSION) | (key_of_json(about) & _IN_SESSION)


def key_of(about: Sequence[Any]) -> int:
    """A hash of JSON values, as a number that SQLite stores."""
    return key_of_json(_json(about))


def key_of_json(text: str) -> int:
    """A hash of a JSON text, as a number that SQLite stores."""
    import _blake2  # the C module behind hashlib, which would import OpenSSL

    return int.from_bytes(_blake2.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little", signed=True)


def of_end(run: Run, dispatch_id: int, position: int, secrets: Sequence[str]) -> EndEntry:
    """The entry of an async run's end."""
    return EndEntry(run=of_run(run, dispatch_id, position, secrets), hooks=(of_hook(run.hook, secrets),))


def session_name(session_id: str, secrets: Sequence[str]) -> str:
    """A session's name in the log: its ID. An ID that is redacted or cut gets a hash that keeps it distinct."""
    clean = label(session_id, secrets)
    return clean if clean == session_id else _distinct(clean, session_id)


def stored_name(name: str, secrets: Sequence[str] = ()) -> str:
    """The log's name for a hook, a file or a project, also used to look it up there.

    A path is redacted part by part: a file stays below its directory.
    """
    if redact(name, secrets) == name:
        return name
    parts = [(part, redact(part, secrets)) for part in name.split("/")]
    stored = "/".join(part if clean == part else _distinct(clean, part) for part, clean in parts)
    whole = redact(stored, secrets)
    return stored if whole == stored else _distinct(whole, name)


def stored_json(value: Any, secrets: Sequence[str]) -> str | None:
    """A JSON value as text, None for an empty value. Its texts are redacted one by one and long ones are cut."""
    if not value:
        return None
    text = _json(value)
    if len(text) <= CAP and not secrets and not may_hold_secrets(text):
        return text
    return shortened_json(_json(redacted_value(value, secrets)))


def shortened_json(text: str) -> str:
    """A JSON text that the log can store: a long one is cut part by part."""
    return text if len(text) <= _JSON_LENGTH else _json(truncated(fast_json.loads(text), _JSON_LENGTH))


def _distinct(clean: str, name: str) -> str:
    """A redacted name with a short hash of the original, so that two names with one redaction stay distinct."""
    import hashlib  # 3 ms, and seldom needed

    return f"{clean} #{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"


def label(text: str, secrets: Sequence[str]) -> str:
    """A redacted name, cut to the length that a list can show."""
    return redact(text, secrets)[:_LABEL_LENGTH]


def of_run(run: Run, dispatch_id: int, position: int, secrets: Sequence[str], origin: Origin | None = None) -> RunEntry:
    """The entry of a run."""
    outcome = run.outcome
    return RunEntry(
        id=run.id,
        dispatch=dispatch_id,
        hook_version=run.hook.version,
        position=position,
        state=run.state,
        skip=run.skip,
        why=redact(run.why, secrets),
        decision=outcome.decision,
        via=outcome.via,
        reason=outcome.reason and stored_text(outcome.reason, secrets),
        exit_code=run.exit_code,
        signal=run.signal,
        started_ms=_real(run.started_ms),
        duration_ms=_real(run.duration_ms),
        stdout=run.stdout and stored_text(run.stdout, secrets),
        stderr=run.stderr and stored_text(run.stderr, secrets),
        truncated=int(run.truncated),
        effects=stored_json(_without_empty({name: getattr(outcome, name) for name in _RUN_EFFECTS}), secrets),
        origin=origin,
    )


def _real(number: float) -> float:
    """A number as SQLite gives it back: a float, and zero without a sign."""
    return number + 0.0


def of_hook(hook: Hook, secrets: Sequence[str]) -> HookEntry:
    """The entry of a version of a hook."""
    return HookEntry(
        version=hook.version,
        key=stored_name(hook.identity, secrets),
        name=stored_name(hook.name, secrets),
        format=hook.format,
        scope=hook.scope,
        file=stored_name(hook.file, secrets),
        line=hook.line,
        event=label(hook.event, secrets),
        text=redact(hook.full_text, secrets),
        label=stored_name(hook.label, secrets),
    )


def _without_empty(effects: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in effects.items() if value is not None and value != ()}


_MAX_DEPTH = 8  # levels that are truncated part by part; a deeper value is cut as text
_MIN_LENGTH = 64  # an item is not worth keeping in less
_GAP = f"\n… {LEFT_OUT}\n"


def truncated(value: Any, length: int, depth: int = _MAX_DEPTH) -> Any:
    """A JSON value cut to a length, part by part for `depth` levels. A value that fits is returned as it is."""
    text = _json(value)
    if len(text) <= length:
        return value
    if depth and isinstance(value, dict):
        return dict(_truncated_pairs(list(value.items()), length, depth))
    if depth and isinstance(value, list):
        return [item for _, item in _truncated_pairs([("", item) for item in value], length, depth)]
    return _cut(value if isinstance(value, str) else text, length)


def _truncated_pairs(pairs: Sequence[Pair], length: int, depth: int) -> list[Pair]:
    kept = _first_and_last(pairs, length // _MIN_LENGTH)
    sizes = [len(_json(pair)) for pair in kept]
    share = _share(sizes, length)
    return [pair if size <= share else _truncated_pair(pair, share, depth) for pair, size in zip(kept, sizes, strict=True)]


def _truncated_pair(pair: Pair, length: int, depth: int) -> Pair:
    key, item = pair
    key = _cut(key, length // 2)
    return key, truncated(item, length - len(_json(key)), depth - 1)


def _first_and_last(pairs: Sequence[Pair], most: int) -> Sequence[Pair]:
    """At most so many pairs, without those in the middle."""
    if len(pairs) <= most:
        return pairs
    half = most // 2
    left_out = len(pairs) - 2 * half
    return [*pairs[:half], ("…", f"… {left_out} items {LEFT_OUT}"), *pairs[len(pairs) - half :]]


def _share(sizes: Sequence[int], length: int) -> int:
    """The largest length that every part may have so that their sum fits; short parts leave their rest to the others."""
    for place, size in enumerate(sorted(sizes)):
        share = length // (len(sizes) - place)
        if size > share:
            return share
        length -= size
    return max(sizes, default=0)


def _cut(text: str, length: int) -> str:
    needed = len(_json(text))
    if needed <= length:
        return text
    half = max(length * len(text) // needed - len(_GAP), 0) // 2
    return text[:half] + _GAP + text[len(text) - half :]


def _json(value: Any) -> str:
    return fast_json.dumps(value, ascii_only=False)
