"""Which hooks of a catalog still need the user's approval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.security.trust import UNAPPROVED

if TYPE_CHECKING:
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook, Trust


def state(catalog: Catalog, hook: Hook) -> Trust:
    """A hook's trust; one that the catalog does not know is untrusted."""
    return catalog.trust.get(hook.id, "untrusted")


def is_unapproved(trust: Trust) -> bool:
    """Whether a hook in this state does not run because it was not approved as it is."""
    return trust in UNAPPROVED


def needs_approval(catalog: Catalog, hook: Hook) -> bool:
    """Whether a hook of the catalog does not run because it was not approved as it is."""
    return catalog.trust.get(hook.id) in UNAPPROVED
