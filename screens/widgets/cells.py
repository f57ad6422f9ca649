"""Columns of lists: fitted and styled cells, and the titles above them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.content import Content
from textual.events import Click
from textual.style import Style as ContentStyle
from textual.widget import Widget

# Styles by name: a theme variable, and whether it is bold. (Component classes would be restyled with every
# widget that has them.)
STYLES: Mapping[str, tuple[str, bool]] = {
    "": ("foreground", False),
    "muted": ("secondary", False),
    "strong": ("foreground", True),
    "accent": ("accent", False),
    "key": ("primary", False),
    "faint": ("faint", False),
    "none": ("secondary", False),
    "allow": ("success", False),
    "ask": ("accent", False),
    "context": ("secondary", False),
    "rewrite": ("accent", False),
    "deny": ("error", True),
    "stop": ("error", True),
    "denied": ("error", False),  # a count
    "warning": ("warning", False),
    "match": ("accent", True),
    "bar": ("primary", False),
    "track": ("border-blurred", False),
}


class Cell(NamedTuple):
    """A piece of a line; `style` is a key of STYLES, "" for plain."""

    text: str
    style: str = ""


class Column(NamedTuple):
    """A column of a list: its width in cells, whether it is flush right, and its title if that is not its name."""

    name: str
    width: int
    right: bool = False
    title: str | None = None

    @property
    def head(self) -> str:
        title = self.name if self.title is None else self.title
        return fit(title[:1].upper() + title[1:], self.width, right=self.right)


def text_style(name: str) -> str:
    """A style as Textual's markup writes it."""
    colour, bold = STYLES[name]
    return f"${colour} bold" if bold else f"${colour}"


def count_cell(number: int, style: str, glyph: str) -> Cell:
    """A number that stands out unless it is 0."""
    return Cell(f"{glyph} {number:,}", style) if number else Cell("–", "muted")


def styles(variables: Mapping[str, str]) -> dict[str, Style]:
    """STYLES in a theme's colours."""
    colours = {name: Style(color=_colour(variables[colour]), bold=bold or None) for name, (colour, bold) in STYLES.items()}
    return {**colours, "match": colours["match"] + Style(reverse=True)}


def background(variables: Mapping[str, str], name: str) -> Style:
    """A background colour from a theme variable."""
    return Style(bgcolor=_colour(variables[name]))


def _colour(value: str) -> RichColor:
    return Color.parse(value).rich_color


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Pad or cut a text to a width; a cut text ends in an ellipsis."""
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + "…" if width > 0 else ""
    blank = " " * (width - length)
    return blank + text if right else text + blank


def end_of(path: str, width: int) -> str:
    """A path, or an ellipsis and as much of its end as fits: the beginning is often that of all others."""
    if cell_len(path) <= width:
        return path
    return "…" + next((path[start:] for start in range(len(path)) if cell_len(path[start:]) < width), "")


def duration(milliseconds: float | None) -> str:
    """How long a hook or a tool took: `3.1 ms`, `240 ms`, `4.2 s`, `3.5 min`; `–` without a time, or where none is known."""
    if not milliseconds:
        return "–"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms" if milliseconds >= 9.95 else f"{milliseconds:.1f} ms"
    return f"{milliseconds / 1000:.1f} s" if milliseconds < 59_950 else f"{milliseconds / 60_000:,.1f} min"


class Heads(Widget):
    """The column titles above a list."""

    ALLOW_SELECT = False

    def __init__(self, columns: Callable[[int], Sequence[Column]], choose: Callable[[str], object] | None = None) -> None:
        """`choose` is called with the name of a clicked column."""
        super().__init__()
        self._columns = columns
        self._choose = choose
        self._marked = ""

    def mark(self, name: str) -> None:
        self._marked = name
        self.refresh()

    def render(self) -> Content:
        return Content(" ").join(self._head(column) for column in self._columns(self.size.width - 1))

    def _head(self, column: Column) -> Content:
        head = Content.styled(column.head, "$accent bold" if column.name == self._marked else "")
        return head.stylize(ContentStyle.from_meta({"column": column.name})) if self._choose else head

    def on_click(self, event: Click) -> None:
        name = event.style.meta.get("column")
        if name and self._choose:
            self._choose(name)
