"""What can go wrong, as exceptions whose message says what to do."""

from __future__ import annotations

from ._lookalike import (
    ArtifactError,
    ConfigError,
    IndexClosedError,
    InputError,
    LookalikeError,
    OutputError,
    StoreError,
)


class LookalikeWarning(UserWarning):
    """Something was not compared or could not be read; the message says how much."""


__all__ = [
    "ArtifactError",
    "ConfigError",
    "IndexClosedError",
    "InputError",
    "LookalikeError",
    "LookalikeWarning",
    "OutputError",
    "StoreError",
]
