"""An input for the query language, with completion and errors while the user types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import query
from hooktui.log.read.query import FIELDS
from hooktui.screens.widgets.advice import notify_failure
from hooktui.screens.widgets.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    Values = Callable[[str, str], Awaitable[Sequence[str]]]
    from collections.abc import Sequence
    from typing import ClassVar

    from textual.binding import BindingType
    from textual.timer import Timer
    from textual.widget import Widget


_MOST = 12
# Suggestions for fields with open-ended values.
_USUAL: Mapping[str, tuple[str, ...]] = {
    "since": ("10m", "1h", "1d", "7d"),
    "until": ("1h", "1d", "7d"),
    "slower": ("100ms", "1s", "10s"),
}


class QueryWords(Suggester):
    """Completes the last term. `values` returns a field's values in the log that start with a text."""

    def __init__(self, values: Values) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._values = values

    async def get_suggestion(self, value: str) -> str | None:
        """The whole line with its last term completed; None if there is nothing to add."""
        before, blank, term = value.rpartition(" ")
        choices = await self.choices(value)
        completed = next((choice for choice in choices if choice != term and choice.startswith(term)), None)
        return f"{before}{blank}{completed}" if completed and term else None

    async def choices(self, value: str) -> Sequence[str]:
        """Completions of a line's last term, as whole terms; every field if no term has begun."""
        term = value.rpartition(" ")[2]
        minus = "-" if term.startswith("-") else ""
        field, colon, begun = term.removeprefix("-").partition(":")
        if not colon:
            return [f"{minus}{name}:" for name in FIELDS if name.startswith(field)]
        if field not in FIELDS:
            return ()
        known = [*await self._values(field, begun), *_beginning(begun, (*FIELDS[field].values, *_USUAL.get(field, ())))]
        plain = [name for name in dict.fromkeys(known) if not set(name) & set(' "*')]
        return [f"{minus}{field}:{name}" for name in plain][:_MOST]


def _beginning(text: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(text)]


_TYPING_S = 0.04  # without a keystroke before the query is applied
_SYNTAX = ' · - excludes, * matches any text, "quote phrases"'


class QueryLine(Filter):
    """Posts `Asked` with each valid query; its hint explains an invalid one."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "Complete", priority=True)]

    on_worker_state_changed = notify_failure

    class Asked(Message):
        """The user entered a valid query."""

        def __init__(self, line: QueryLine, words: str) -> None:
            super().__init__()
            self.line = line
            self.words = words

        @property
        def control(self) -> QueryLine:
            return self.line

    def __init__(self, target: Widget, placeholder: str, values: Values, *, id: str, lasting: bool = True) -> None:  # noqa: A002
        super().__init__(target, placeholder, id=id)
        self.lasting = lasting
        self.words = QueryWords(values)
        self.suggester = self.words
        self.hint = QueryHint()
        self._typing: Timer | None = None

    @on(Input.Changed)
    def _wait_for_typing(self) -> None:
        if self._typing:
            self._typing.stop()
        self._typing = self.set_timer(_TYPING_S, self._ask)

    def _ask(self) -> None:
        wrong = _fault(self.value)
        if not wrong:
            self.post_message(self.Asked(self, self.value))
        self._hint(self.value, wrong)

    @work(exclusive=True, exit_on_error=False, group="hint", description="Reading what the log has")
    async def _hint(self, value: str, wrong: str) -> None:
        """Show completions. An invalid last term is left out of the query; if nothing completes it, show its error."""
        choices = await self.words.choices(value)
        if wrong and not choices:
            self.hint.complain(wrong)
        else:
            self.hint.offer(choices, asked=bool(value))
        if wrong and not _fault(rest := value.rpartition(" ")[0]):
            self.post_message(self.Asked(self, rest))
        self.hint.styles.offset = (0, self.virtual_region.y + 1)
        self.hint.display = self.has_focus or self.hint.has_class("-wrong")

    def on_focus(self) -> None:
        self._ask()

    def on_blur(self) -> None:
        """Hide the completions; an error stays."""
        self.hint.display = self.hint.has_class("-wrong")

    def action_complete(self) -> None:
        self.action_end()
        self.action_cursor_right()


def _fault(words: str) -> str:
    """What is wrong with a query; "" if it is valid."""
    try:
        query.parse(words)
    except query.QueryError as error:
        return str(error)
    return ""


class QueryHint(Static):
    """A query's error or completions, on top of the rows."""

    def __init__(self) -> None:
        super().__init__(classes="query-hint", markup=False)
        self.display = False

    def complain(self, wrong: str) -> None:
        """Show an error."""
        self.set_class(True, "-wrong")
        self.update(f"✕ {wrong}")

    def offer(self, choices: Sequence[str], *, asked: bool) -> None:
        """Show completions of the last word; tab takes the first."""
        self.set_class(False, "-wrong")
        first, *others = [one_line(choice) for choice in choices] or [""]
        if asked and first:
            self.update(Content.assemble(("tab ", "$accent"), (first, "bold"), *(f"  {other}" for other in others)))
        else:
            self.update(" ".join((first, *others)) + _SYNTAX)
