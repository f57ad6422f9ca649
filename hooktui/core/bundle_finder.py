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
    # By name: file, its stamp, whether it is a package, the bundled modules it imports at its top level, code.
    Modules = dict[str, tuple[str, Stamp | None, bool, tuple[str, ...], bytes]]


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
        spec = self._spec(name) if name in self._modules else None
        if spec:
            self._load_needed(name)
        return spec

    def _spec(self, name: str) -> ModuleSpec | None:
        file, known, is_package, *_ = self._modules[name]
        if stamp(file) != known:
            self.is_stale = True
            return None
        spec = _ModuleSpec(name, self, origin=file, is_package=is_package)  # type: ignore[arg-type]
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(file)]
        return spec

    def _load_needed(self, name: str) -> None:
        for needed in self._modules[name][3]:
            if needed not in sys.modules:
                self._load(needed)

    def _load(self, name: str) -> None:
        """Load a module without importlib, which costs 100,000 instructions for each.

        A module that has changed, or whose package has, is left to importlib.
        """
        package, _, own_name = name.rpartition(".")
        if package not in sys.modules:
            self._load(package)
        spec = self._spec(name) if package in sys.modules else None
        if spec is None:
            return
        module = sys.modules[name] = _Module(name)
        module.__spec__, module.__file__ = spec, spec.origin
        if spec.submodule_search_locations:
            module.__path__ = spec.submodule_search_locations
        try:
            self._load_needed(name)
            self.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        setattr(sys.modules[package], own_name, module)

    def create_module(self, _spec: ModuleSpec) -> None:
        """Let Python create the module."""

    def exec_module(self, module: ModuleType) -> None:
        exec(loads(self._modules[module.__name__][4]), module.__dict__)


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


_ModuleSpec = type(sys.__spec__)  # `importlib.machinery` and `types` would import more
_Module = type(sys)
