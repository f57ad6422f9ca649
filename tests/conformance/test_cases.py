"""Every rule of the formats and of the command line, as cases in YAML: `cases/`, and the maintainers' own if present."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command_world import HOOKTUI
from tests.conformance.player import DEFAULT_ARGS, Stage
from tests.warm_runner import WarmRunner, ended
from tests.yaml_cases import read_cases

HERE = Path(__file__).parent
SHARED = HERE.parents[2] / "shared" / "cases"  # next to the checkout, if present


def _cases() -> Iterator[Mapping[str, Any]]:
    for file in sorted(HERE.glob("cases/*.yaml")):
        for case in read_cases(file):
            yield {**case, "id": f"{file.stem}: {case['name']}"}


def _runs(case: Mapping[str, Any]) -> bool:
    """Whether `hooktui run` is part of a case."""
    return any({**case, **step}.get("args", DEFAULT_ARGS)[0] == "run" for step in case.get("steps") or [case])


CASES = tuple(_cases())
# The warm runner answers by the same code. `make fuzz` plays all cases in it.
_WARM_STEP = 1 if os.environ.get("HOOKTUI_TEST_ALL") else 10


def _name(case: Mapping[str, Any]) -> str:
    return str(case["id"])


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_case(case: Mapping[str, Any], tmp_path: Path) -> None:
    assert Stage(tmp_path.resolve()).play(case) == []


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmRunner]:
    """A warm runner that all cases share."""
    runner = WarmRunner(tmp_path_factory.mktemp("warm"))
    server = runner.start()
    yield runner
    server.terminate()
    assert ended(server) == 0


@pytest.mark.parametrize("case", [case for case in CASES if _runs(case)][::_WARM_STEP], ids=_name)
def test_case_in_the_warm_runner(case: Mapping[str, Any], tmp_path: Path, warm: WarmRunner) -> None:
    assert Stage(tmp_path.resolve(), warm.run).play(case) == []


def test_names_are_unique_and_sources_given() -> None:
    names = [case["name"] for case in CASES]
    assert sorted(set(names)) == sorted(names)
    assert [case["name"] for case in CASES if not case.get("source")] == []


@pytest.mark.skipif(not SHARED.is_dir(), reason="the maintainers' cases are not beside this checkout")
def test_the_maintainers_cases() -> None:
    files = map(str, sorted(SHARED.glob("*.yaml")))
    command = [sys.executable, str(SHARED / "run_cases.py"), *files, "-q", "--hooktui", " ".join(HOOKTUI)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
