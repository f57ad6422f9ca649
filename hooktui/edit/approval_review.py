"""Review what a hook would run, and approve exactly that."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hooktui.security import approval, trust
from hooktui.security.approval import CoveredFile

if TYPE_CHECKING:
    from hooktui.core.model import Hook

__all__ = ["ApprovalReview", "CoveredFile", "approve", "review"]


class ApprovalReview(NamedTuple):
    """The files that a hook would run, and the digest of just those bytes."""

    digest: str
    files: tuple[CoveredFile, ...]


def review(hook: Hook, project: str) -> ApprovalReview:
    """Read what a hook would run; read again if a file changed meanwhile."""
    while True:
        digest = trust.digest(hook)
        files = approval.covered_files(project, hook)
        if digest == trust.digest(hook):
            return ApprovalReview(digest, files)


def approve(hook: Hook, project: str, reviewed: ApprovalReview) -> None:
    """Approve a hook as it was reviewed; if a file has changed since, the hook stays unapproved."""
    approval.approve(project, [(hook, reviewed.digest)])
