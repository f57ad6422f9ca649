"""Put screenshots of an app into one SVG that plays them: what several frames share is drawn once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

_PART = re.compile(r'<rect [^>]*shape-rendering="crispEdges"/>|<text [^>]*clip-path="url\([^)]*\)">[^<]*</text>')
_ROW = re.compile(r' y="([\d.]+)"')
_STYLE = re.compile(r"^\s*\.terminal-\d+-(r\d+) \{ ([^}]*?) ?\}$", re.MULTILINE)
_LINE_HEIGHT = 24.4


def animated(screenshots: Sequence[str], seconds: Sequence[float]) -> str:
    """The SVG that shows each of an app's screenshots for so many seconds, again and again."""
    first = screenshots[0]
    begin, end = re.search(_PART, first), list(re.finditer(_PART, first))[-1]
    group = re.search(r'<g class="terminal-\d+-matrix">', first)  # it begins behind the backgrounds
    assert begin and group
    colours: dict[str, str] = {}
    frames = [_rows(screenshot, colours) for screenshot in screenshots]
    lines = sorted({line for frame in frames for line in frame})
    spans = dict.fromkeys(span for line in lines for span, _ in _spans(frames, line))
    names = {span: f"f{number}" for number, span in enumerate(spans)}
    drawn = "".join(
        f'<g class="{names[span]}">{text}</g>' if len(span) < len(frames) else text
        for line in lines
        for span, text in _spans(frames, line)
    )
    total, begun = sum(seconds), [sum(seconds[:number]) for number in range(len(seconds))]
    style = "".join(_keyframes(names[span], span, begun, total) for span in spans if len(span) < len(frames))
    style += "".join(f".{name}{{{rules}}}" for rules, name in colours.items())
    head = re.sub(r"^\s*\.terminal-\d+-r\d+ .*$\n?", "", first[: begin.start()], flags=re.MULTILINE)
    head = re.sub(r'<clipPath id="[^"]*-line-\d+">.*?</clipPath>\s*', "", head, flags=re.DOTALL)
    head = head.replace("</style>", f"rect{{shape-rendering:crispEdges}}{style}</style>", 1)
    return f"{head}{group[0]}{drawn}{first[end.end() :]}"


def _rows(screenshot: str, colours: dict[str, str]) -> Mapping[int, str]:
    """What is drawn in each line of a screenshot; `colours` gets the names of its styles, which all screenshots share."""
    styles = dict(_STYLE.findall(screenshot))
    rows: dict[int, str] = {}
    for part in _PART.findall(screenshot):
        at = _ROW.search(part)
        assert at
        row = int(float(at[1]) / _LINE_HEIGHT - (part.startswith("<text") and 0.5))
        rows[row] = rows.get(row, "") + _small(part, styles, colours)
    return rows


def _small(part: str, styles: Mapping[str, str], colours: dict[str, str]) -> str:
    part = re.sub(r' (shape-rendering|clip-path)="[^"]*"', "", part)
    name = re.search(r'class="terminal-\d+-(r\d+)"', part)
    if name:
        shared = colours.setdefault(styles[name[1]], f"c{len(colours)}")
        part = part.replace(name[0], f'class="{shared}"')
    return part


def _spans(frames: Sequence[Mapping[int, str]], row: int) -> Iterator[tuple[tuple[int, ...], str]]:
    """The frames in a row that have the same line, with that line."""
    for text, members in groupby(range(len(frames)), lambda number: frames[number].get(row, "")):
        if text:
            yield tuple(members), text


def _keyframes(name: str, span: tuple[int, ...], begun: Sequence[float], total: float) -> str:
    """Show a group only while its frames are on."""
    first, after = begun[span[0]] / total, (begun[span[-1] + 1] if span[-1] + 1 < len(begun) else total) / total
    points = [(0.0, int(span[0] == 0)), (first, 1), (after, 0)]
    steps = "".join(f"{at:.2%}{{opacity:{shown}}}" for at, shown in dict(points).items() if at < 1)
    still = int(span[-1] == len(begun) - 1)  # what does not play shows the last frame
    return f"@keyframes {name}{{{steps}}}.{name}{{opacity:{still};animation:{name} {total:g}s step-end infinite}}"
