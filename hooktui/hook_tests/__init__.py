"""Tests of hooks: examples in `.agents/hook-tests/*.yaml`, run through the real dispatch in copies of the project."""

from __future__ import annotations

from hooktui.hook_tests.example import Example, Expected, FileProblem, Got, Result, Results, Suite, TestError
from hooktui.hook_tests.example_files import load
from hooktui.hook_tests.kept_examples import KeptExample, example_of, keep_example
from hooktui.hook_tests.suite_run import Options, run

__all__ = [
    "Example",
    "Expected",
    "FileProblem",
    "Got",
    "KeptExample",
    "Options",
    "Result",
    "Results",
    "Suite",
    "TestError",
    "example_of",
    "keep_example",
    "load",
    "run",
]
