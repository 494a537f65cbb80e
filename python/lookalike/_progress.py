"""How far a run is, in a terminal or a notebook."""

from __future__ import annotations

import sys
import time
from typing import Callable, Protocol

#: Called with the stage, what is done of it and what there is to do.
Report = Callable[[str, int, int], None]


class Bar(Protocol):
    """Shows how far a run is."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


def reporter(progress: bool | Report | None) -> Report | None:
    """What to call with the progress: nothing, the caller's own function, or a line of ours.

    ``None`` shows a line where somebody is looking: in a terminal or a notebook.
    """
    if callable(progress):
        return progress
    if progress is None:
        progress = _in_notebook() or sys.stderr.isatty()
    return _Line() if progress else None


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    instance = shell.get_ipython()
    return instance is not None and type(instance).__name__ == "ZMQInteractiveShell"


class _Line:
    """One line on standard error that is written over; notebooks understand it as terminals do."""

    #: Seconds before anything is shown: short runs say nothing.
    _PATIENCE = 0.5

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self._start < self._PATIENCE:
            return
        share = f" {min(100, 100 * done // total):3d} %" if total else ""
        line = f"{stage}{share}" if stage else ""
        sys.stderr.write("\r" + line.ljust(self._width) + ("" if stage else "\r"))
        sys.stderr.flush()
        self._width = len(line)
