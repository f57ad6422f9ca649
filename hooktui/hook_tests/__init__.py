"""Tests of hooks: examples in `.agents/hook-tests/*.yaml`, run through the real dispatch in copies of the project.

`example_files.load` reads them, `suite_run.run` runs them, `kept_examples` makes one of a logged event, `reach` tells which
hooks they reach. Nothing is imported here, since each worker process would pay for it.
"""
