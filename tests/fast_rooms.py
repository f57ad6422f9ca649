"""The import contract of the rooms that start when an agent calls (docs/architecture.md, "Fast rooms"), for `lint-imports`."""

from __future__ import annotations

from typing import cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class FastRooms(Contract):
    """The rooms import their own modules, and of the standard library what is listed."""

    type_name = "fast_rooms"

    rooms = fields.SetField(subfield=fields.StringField())
    standard_library = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find the imports of anything else. Those for types alone are not in the graph."""
        rooms, standard_library = cast("set[str]", self.rooms), cast("set[str]", self.standard_library)
        own = {module for room in rooms for module in (room, *graph.find_descendants(room))}
        allowed = own | {"hooktui"} | standard_library
        others = [
            (module, imported)
            for module in sorted(own & graph.modules)
            for imported in sorted(graph.find_modules_directly_imported_by(module) - allowed)
        ]
        return ContractCheck(kept=not others, metadata={"others": others})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each import."""
        for module, imported in check.metadata["others"]:
            output.print_error(f"{module} must not import {imported}")
