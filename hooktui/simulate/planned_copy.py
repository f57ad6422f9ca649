"""A hook and its planned copy, run on the same event without writing the copy to its place.

The copy's files go into a mirror of the project or home: a directory with links to everything else there, so that the copy's
command and its relative paths work as they would in place.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hooktui import formats
from hooktui.core import paths
from hooktui.edit.change_plan import is_made
from hooktui.edit.copy_plan import copy
from hooktui.edit.file_steps import CannotChange, FileTree, Write
from hooktui.engine import pipeline
from hooktui.engine.dispatch_report import report_json
from hooktui.formats import host_tools
from hooktui.security import trust
from hooktui.simulate.edited_hook import require_approval
from hooktui.simulate.payload_templates import CannotTry, event_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Event, Hook
    from hooktui.core.report import RunReport
    from hooktui.edit.change_plan import ChangePlan
    from hooktui.edit.copy_targets import Target


_MIRROR = "mirror"


class TrialPair:
    """An approved hook and its copy, ready to run. Nothing is recorded. Raises CannotTry if there can be no copy."""

    def __init__(self, catalog: Catalog, hook: Hook, target: Target, place: str) -> None:
        """`place` is an empty directory for the copy's files."""
        self._catalog = catalog
        self._hook = hook
        self._mirror = os.path.join(place, _MIRROR)
        try:
            plan = copy(hook, target)
            self._base = _write_mirror(plan, target, self._mirror)
        except (CannotChange, OSError) as error:
            raise CannotTry(f"the copy of {hook.name} cannot be prepared: {error}") from error
        self._copy = self._read_copy(plan)
        self.linger = hook.is_async

    def run(self, request: Mapping[str, Any]) -> dict[str, RunReport]:
        """Run both on an event's payload, each on its own host's version of it. Raises CannotTry."""
        require_approval(self._hook, trust.state(self._hook, trust.approvals(self._catalog.project)))
        event = event_of(self._hook, request["payload"], self._catalog.project)
        original = self._run(self._hook.replace(rivals=(), enabled=True), event, self._catalog.project, os.environ)
        env = {**os.environ, "HOME": self._mirror} if self._base == paths.home() else os.environ
        project = self._mirror if self._base == self._catalog.project else self._catalog.project
        return {"original": original, "copy": self._in_place(self._run(self._copy, event, project, env))}

    def _run(self, hook: Hook, event: Event, project: str, env: Mapping[str, str]) -> RunReport:
        setting = pipeline.setting_of(
            project,
            [hook],
            self._catalog.settings,
            denials_in_a_row=lambda: 0,
            on_async_end=lambda _run, _dispatch, _position: None,
        )
        setting = setting.replace(env=env, synthetic=True, trust=lambda _: "trusted")
        report = report_json(pipeline.decide(event_for(hook, event), [hook], setting))
        return report["hooks"][0]

    def _in_place(self, run: RunReport) -> RunReport:
        """The report with the mirror's paths replaced by the real ones."""
        mirror, base = (json.dumps(path)[1:-1] for path in (self._mirror, self._base))
        replaced: RunReport = json.loads(json.dumps(run).replace(mirror, base))
        return replaced

    def _read_copy(self, plan: ChangePlan) -> Hook:
        result = plan.result
        assert result is not None
        file = os.path.join(self._mirror, os.path.relpath(result.file, self._base))
        with open(file, encoding="utf-8-sig", newline="") as stream:
            hooks = formats.load(result.format).parse(stream.read(), file, result.scope).hooks
        copies = [hook for hook in hooks if is_made(hook, result.replace(file=file))]
        if not copies:
            raise CannotTry(f"the copy of {self._hook.name} cannot be read back from {paths.short(result.file)}")
        root = copies[-1].root if result.format == "agenthooks" else self._mirror
        return copies[-1].replace(name=self._hook.name, root=root, enabled=True)  # default reasons name the hook


def event_for(hook: Hook, event: Event) -> Event:
    """The event with the tool and its input named as the hook's own host names them."""
    twins = host_tools.twins(event.host, hook.format)
    if event.tool_name not in twins or event.host == hook.format:
        return event
    tool, tool_input = twins[event.tool_name], event.tool_input
    if isinstance(tool_input, dict):
        tool_input = host_tools.renamed_input(tool_input, event.host, hook.format)
    fields = {**event.fields, "tool_name": tool, "tool_input": tool_input}
    return event.replace(tool_name=tool, tool_input=tool_input, fields=fields)


def _write_mirror(plan: ChangePlan, target: Target, mirror: str) -> str:
    """Write the plan's files below the mirror; return the directory that it mirrors. Raises OSError."""
    files = {path: (content, mode, link) for path, content, mode, link in _files(plan)}
    bases = (target.project, paths.home(), os.path.dirname(os.path.dirname(target.file)))
    base = next(base for base in bases if all(path.startswith(base + os.sep) for path in files))
    _link(base, mirror, [os.path.relpath(path, base).split(os.sep) for path in files])
    for path, (content, mode, link) in files.items():
        file = os.path.join(mirror, os.path.relpath(path, base))
        if link is not None:
            os.symlink(link, file)
            continue
        with open(file, "wb") as stream:
            stream.write(content)
        os.chmod(file, mode)
    return base


def _files(plan: ChangePlan) -> Iterator[tuple[str, bytes, int, str | None]]:
    for step in plan.steps:
        if isinstance(step, Write):
            yield step.path, step.after or b"", step.mode or 0o644, None
        elif isinstance(step, FileTree):
            yield from ((os.path.join(step.path, file.name), file.content, file.mode, file.link) for file in step.files)


def _link(real: str, mirror: str, written: list[list[str]]) -> None:
    """Make a directory with links to everything in a real one, except for the paths that are to be written."""
    os.makedirs(mirror)
    inside: dict[str, list[list[str]]] = {}
    for first, *rest in written:
        inside.setdefault(first, []).extend([rest] if rest else [])
    if os.path.isdir(real):
        for entry in os.scandir(real):
            if entry.name not in inside:
                os.symlink(entry.path, os.path.join(mirror, entry.name))
    for name, below in inside.items():
        if below:
            _link(os.path.join(real, name), os.path.join(mirror, name), below)
