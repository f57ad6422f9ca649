"""Import the modules of the fast path from the bundle: one file instead of fifty, and without `site`.

The launcher runs this module's code out of the bundle (connect/bundle.py), so it imports nothing of hooktui.
"""

from __future__ import annotations

import os
import sys
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    Stamp = tuple[int, int]
    Modules = dict[str, tuple[str, Stamp | None, bool, bytes]]  # by name: file, its stamp, whether a package, code


def install(modules: Modules) -> BundleFinder:
    """Import from these modules first, and from site-packages when everything else has failed."""
    finder = BundleFinder(modules)
    sys.meta_path.insert(0, finder)
    sys.meta_path.append(SiteFinder())
    return finder


def stamp(file: str) -> Stamp | None:
    """What changes when a source file does; None if it is missing."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class BundleFinder:
    """Finds bundled modules. One whose source has changed is left to the other finders, and the bundle is stale."""

    def __init__(self, modules: Modules) -> None:
        self.is_stale = False
        self._modules = modules

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name not in self._modules:
            return None
        file, known, is_package, _ = self._modules[name]
        if stamp(file) != known:
            self.is_stale = True
            return None
        spec = _ModuleSpec(name, self, origin=file, is_package=is_package)  # type: ignore[arg-type]
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(file)]
        return spec

    def create_module(self, _spec: ModuleSpec) -> None:
        """Let Python create the module."""

    def exec_module(self, module: ModuleType) -> None:
        exec(loads(self._modules[module.__name__][3]), module.__dict__)


class SiteFinder:
    """Adds site-packages to the search path when a module is found nowhere else, as on the slow path."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        sys.meta_path.remove(self)
        import site

        site.main()
        for finder in sys.meta_path:
            if spec := finder.find_spec(name, path, target):
                return spec
        return None


_ModuleSpec = type(sys.__spec__)  # `importlib.machinery` would import more
