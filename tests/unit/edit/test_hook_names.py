"""The dialog's warnings about a new hook's name are those that `check` gives afterwards."""

from __future__ import annotations

import pytest

from hooktui.catalog import catalog
from hooktui.edit import drafts
from tests.new_hooks import draft, make
from tests.unit.edit.world import World

_NAMES = (
    "guard",
    "no-git-2",
    "Bad Name",
    "UPPER",
    "a--b",
    "a_b",
    "-a",
    "größe",
    "非",
    "it's: #1",
    "a" * 64,
    "a" * 65,
    "a/b",
    " ",
)


@pytest.mark.parametrize("name", _NAMES)
def test_a_name_is_remarked_on_as_check_does_or_refused(world: World, name: str) -> None:
    wanted = draft(world.project, name, "pre-session")
    if wanted.faults:
        assert list(wanted.faults) == ["name"]
        return
    made = make(world.project, name, "pre-session")
    said = [one for one in catalog.load(world.project).diagnostics if one.code == "bad-name" and one.hook == made.id]
    assert wanted.remark(()) == "".join(f"{one.message}: {one.hint}" for one in said)


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("Bad Name", "bad-name"),
        ("UPPER Case", "upper-case"),
        ("blockForcePush", "block-force-push"),
        ("a_b--c", "a-b-c"),
        ("Größe prüfen", "grosse-prufen"),
        ("../up", "up"),
        ("x" * 70, "x" * 64),
        ("非", ""),
        ("no-git", ""),
    ],
)
def test_a_name_that_not_every_host_takes_is_corrected(name: str, better: str) -> None:
    assert drafts.corrected_name(name) == better


@pytest.mark.parametrize(
    ("scope", "says"),
    [("project", "guard replaces the user's hook of the same name (~/.config/agents/hooks/guard/HOOK.md)"), ("user", "")],
)
def test_remark_mentions_a_hook_of_the_same_name_in_another_scope(world: World, scope: str, says: str) -> None:
    make(world.project, "guard", "pre-session", "agenthooks", "user")
    hooks = [hook for hook in catalog.load(world.project).hooks if scope == "project"]
    assert draft(world.project, "guard", "pre-session", scope=scope).remark(hooks) == says
    assert draft(world.project, "guard", "pre-session", "claude").remark(hooks) == ""


def test_name_is_suggested_from_the_matcher() -> None:
    assert drafts.suggested_name("pre-tool-call", None, "git push --force", ()) == "no-git-push-force"
    assert drafts.suggested_name("pre-tool-call", None, r"\bDROP\s+TABLE\b", ()) == "no-drop-table"
    assert drafts.suggested_name("pre-tool-call", None, r"\bcurl\b(?!.*localhost)", ()) == "no-curl"
    assert drafts.suggested_name("post-tool-call", "Bash", None, ()) == "on-bash"
    assert drafts.suggested_name("PermissionRequest", None, None, ()) == "on-permission-request"
    assert drafts.suggested_name("pre-session", None, None, ("on-pre-session",)) == "on-pre-session-2"
