"""The rows of the table `hook`: one for each version of a hook that was ever considered."""

from __future__ import annotations

from hooktui.core import fast_json
from hooktui.log.write import hash_chain
from hooktui.log.write.entry import HookEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Collection, Iterable, Mapping

    from hooktui.log.write.skip_lists import Versions

_INSERT = f"""
INSERT INTO hook ({", ".join(HookEntry._fields)}) VALUES ({", ".join(f":{name}" for name in HookEntry._fields)}) RETURNING id"""
_KNOWN = "SELECT version, id, hex(digest) FROM hook WHERE version IN (SELECT value FROM json_each(?))"


class UnknownVersion(LookupError):
    """A run refers to a version of a hook that neither its entry nor the log holds."""


def known_versions(connection: sqlite3.Connection, versions: Collection[str]) -> dict[str, tuple[int, str]]:
    """The versions of hooks that the log has, with their rows and digests. Raises sqlite3.Error."""
    rows = connection.execute(_KNOWN, (fast_json.dumps(list(versions)),))
    return {version: (row, digest) for version, row, digest in rows}


def add_versions(connection: sqlite3.Connection, hooks: Mapping[str, HookEntry], versions: Iterable[str]) -> Versions:
    """The row and digest of each version of a hook; new versions are added. Raises sqlite3.Error and UnknownVersion."""
    wanted = dict.fromkeys(versions)
    stored = known_versions(connection, wanted)
    for version in wanted.keys() - stored.keys():
        if version not in hooks:
            raise UnknownVersion(version)
        number = connection.execute(_INSERT, hooks[version].as_dict()).fetchone()[0]
        stored[version] = (number, hash_chain.seal_hook(connection, number).hex().upper())
    return stored
