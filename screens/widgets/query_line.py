"""An input for the query language, with completion and errors while the user types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import query
from hooktui.log.read.terms import NOT_OF_A_FLEET
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.filter import Filter
from hooktui.screens.widgets.notifications import notify_failure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from textual.timer import Timer
    from textual.widget import Widget

    Values = Callable[[str, str], Awaitable[Sequence[str]]]

_TYPING_S = 0.04  # without a keystroke before the query is applied
_SYNTAX = '- excludes, * matches any text, "quote phrases"'


_MOST_CHOICES = 12
# Suggestions for fields with open-ended values.
_USUAL_VALUES: Mapping[str, tuple[str, ...]] = {
    "since": ("10m", "1h", "1d", "7d"),
    "until": ("1h", "1d", "7d"),
    "slower": ("100ms", "1s", "10s"),
}


class QueryCompleter(Suggester):
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
            return [f"{minus}{name}:" for name in query.FIELDS if name.startswith(field)]
        if field not in query.FIELDS:
            return ()
        usual = (*query.FIELDS[field].values, *_USUAL_VALUES.get(field, ()))
        values = dict.fromkeys((*await self._values(field, begun), *(name for name in usual if name.startswith(begun))))
        return [f"{minus}{field}:{name}" for name in values if not set(name) & set(' "*')][:_MOST_CHOICES]


class QueryLine(Filter):
    """Posts `Entered` with each valid query; its hint shows what is wrong with an invalid query."""

    BINDINGS = [Binding("tab", "complete", "Complete", priority=True)]

    on_worker_state_changed = notify_failure

    @dataclass
    class Entered(Message):
        """The user entered a valid query."""

        line: QueryLine
        words: str

        @property
        def control(self) -> QueryLine:
            return self.line

    def __init__(self, target: Widget, placeholder: str, *, id: str) -> None:  # noqa: A002
        super().__init__(target, placeholder, id=id)
        self.suggester = self.completer = QueryCompleter(self._values)
        self.hint = QueryHint()
        self._typing: Timer | None = None

    async def _values(self, field: str, beginning: str) -> Sequence[str]:
        reader = app_context(self).reader
        return await reader.values(field, beginning) if reader else ()

    @on(Input.Changed)
    def _apply_soon(self) -> None:
        if self._typing:
            self._typing.stop()
        self._typing = self.set_timer(_TYPING_S, self._apply)

    def _apply(self) -> None:
        error = self._error(self.value)
        if not error:
            self.post_message(self.Entered(self, self.value))
        self._hint(self.value, error)

    @work(exclusive=True, exit_on_error=False, group="hint", description="Reading values from the log")
    async def _hint(self, value: str, error: str) -> None:
        """Show completions, or the error if there are none. An invalid last term is left out of the query."""
        choices = await self.completer.choices(value)
        if error == NOT_OF_A_FLEET or (error and not (choices and self.has_focus)):
            self.hint.show_error(error)
        else:
            self.hint.show_completions(choices, can_complete=bool(value))
        if error and not self._error(rest := value.rpartition(" ")[0]):
            self.post_message(self.Entered(self, rest))
        self.hint.styles.offset = (0, self.virtual_region.y + 1)
        self.hint.display = self.has_focus or self.hint.has_class("-wrong")

    def _error(self, words: str) -> str:
        """Why a query is invalid; "" if it is valid."""
        try:
            wanted = query.parse(words)
        except query.QueryError as error:
            return str(error)
        return NOT_OF_A_FLEET if wanted.would and app_context(self).fleet else ""

    def on_focus(self) -> None:
        self._apply()

    def on_blur(self) -> None:
        """Hide the completions; an error stays, or comes if the last term was left unfinished."""
        if error := self._error(self.value):
            self.hint.show_error(error)
        self.hint.display = bool(error)

    def action_complete(self) -> None:
        self.action_end()
        self.action_cursor_right()


class QueryHint(Static):
    """A query's error or completions, on top of the rows."""

    def __init__(self) -> None:
        super().__init__(classes="query-hint", markup=False)
        self.display = False

    def show_error(self, error: str) -> None:
        self.set_class(True, "-wrong")
        self.update(f"✕ {error}")

    def show_completions(self, choices: Sequence[str], *, can_complete: bool) -> None:
        """Show completions of the last term; with `can_complete`, tab takes the first."""
        self.set_class(False, "-wrong")
        first, *others = [one_line(choice) for choice in choices] or [""]
        if can_complete and first:
            self.update(Content.assemble(("tab ", "$accent"), (first, "bold"), *(f"  {other}" for other in others)))
        else:
            self.update(" · ".join(filter(None, (" ".join((first, *others)), _SYNTAX))))
