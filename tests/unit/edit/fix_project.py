"""A project whose hooks have problems to fix."""

from __future__ import annotations

import stat
from pathlib import Path

from hooktui.catalog import catalog
from hooktui.catalog.catalog import Catalog
from hooktui.core import paths
from hooktui.core.model import Diagnostic
from hooktui.edit import apply_fixes
from hooktui.edit.apply_fixes import FixPlan
from hooktui.runner import trust


class Project:
    """The directory `project` of a home."""

    def __init__(self, home: str) -> None:
        self.path = Path(paths.canonical(home)) / "project"
        self.path.mkdir()

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(mode)
        return path

    def hook(
        self, name: str, front: str = "", *, script: str = "#!/bin/sh\nexit 0\n", entry: str = "run", mode: int = 0o755
    ) -> Path:
        """Write a HOOK.md hook, with `front` as its frontmatter; return its directory."""
        good = f"name: {name}\ndescription: A hook\ntrigger: pre-tool-call\n"
        file = self.write(f".agents/hooks/{name}/HOOK.md", f"---\n{front or good}---\n\nText.\n")
        self.write(f".agents/hooks/{name}/scripts/{entry}", script, mode)
        return file.parent

    def load(self) -> Catalog:
        return catalog.load(str(self.path))

    def approve(self) -> None:
        trust.approve(str(self.path), {hook.identity: trust.digest(hook) for hook in self.load().hooks})

    def plan(self) -> FixPlan:
        """Plan all safe fixes."""
        return apply_fixes.plan(self.load())

    def apply(self, plan: FixPlan) -> FixPlan:
        """Apply a plan; return the plan that undoes it."""
        return apply_fixes.apply(plan, self.load().hooks, str(self.path))

    def fix(self, problem: Diagnostic) -> FixPlan:
        """Fix one problem; return the plan that undoes it."""
        return self.apply(apply_fixes.plan_one(problem, self.load().hooks))

    def problems(self, *codes: str) -> list[Diagnostic]:
        return [problem for problem in self.load().diagnostics if problem.code in codes]

    def codes(self) -> list[str]:
        """The codes of all problems except a missing approval."""
        return [problem.code for problem in self.load().diagnostics if problem.code != "untrusted"]

    def bytes(self) -> dict[str, tuple[bytes, int]]:
        """The bytes and permissions of every file, by path."""
        files = [path for path in self.path.rglob("*") if path.is_file()]
        return {str(path): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files}
