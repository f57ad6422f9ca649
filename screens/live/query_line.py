"""A line for the query language: it says what is wrong while one types, and what the last word may become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import query
from hooktui.screens.live.query_words import QueryWords
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from textual.binding import BindingType
    from textual.timer import Timer
    from textual.widget import Widget

    from hooktui.screens.live.query_words import Values

_TYPING_S = 0.04  # without a keystroke before the query is applied
_SYNTAX = ' · - negates, * is any text, "some words"'


class QueryLine(Filter):
    """Posts `Asked` with each query that means something; while it means nothing, its hint says why."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "Complete", priority=True)]

    on_worker_state_changed = tell_failure

    class Asked(Message):
        """Another query than before, one that means something."""

        def __init__(self, line: QueryLine, words: str) -> None:
            super().__init__()
            self.line = line
            self.words = words

        @property
        def control(self) -> QueryLine:
            """The line that asks."""
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
        """What the line may become. A last term that means nothing is left out, and wrong if it can become nothing."""
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
        """What the line may hold is of use from now on."""
        self._ask()

    def on_blur(self) -> None:
        """What is wrong stays; what it may hold is of no use any more."""
        self.hint.display = self.hint.has_class("-wrong")

    def action_complete(self) -> None:
        """Take over what is suggested."""
        self.action_end()
        self.action_cursor_right()


def _fault(words: str) -> str:
    """What is wrong with a query; "" when it means something."""
    try:
        query.parse(words)
    except query.QueryError as error:
        return str(error)
    return ""


class QueryHint(Static):
    """What is wrong with a query, or what it may hold; lies over the rows, which stay where they are."""

    def __init__(self) -> None:
        super().__init__(classes="query-hint", markup=False)
        self.display = False

    def complain(self, wrong: str) -> None:
        """Say what is wrong."""
        self.set_class(True, "-wrong")
        self.update(f"✕ {wrong}")

    def offer(self, choices: Sequence[str], *, asked: bool) -> None:
        """Say what the last word may become: the first is what tab completes."""
        self.set_class(False, "-wrong")
        first, *others = [one_line(choice) for choice in choices] or [""]
        if asked and first:
            self.update(Content.assemble(("tab ", "$accent"), (first, "bold"), *(f"  {other}" for other in others)))
        else:
            self.update(" ".join((first, *others)) + _SYNTAX)
