"""What can go wrong, as exceptions whose message says what to do."""

from __future__ import annotations

from ._lookalike import (
    ArtifactError,
    ConfigError,
    InputError,
    LookalikeError,
    OutputError,
)


class LookalikeWarning(UserWarning):
    """Something was not compared or could not be read; the message says how much."""


__all__ = [
    "ArtifactError",
    "ConfigError",
    "InputError",
    "LookalikeError",
    "LookalikeWarning",
    "OutputError",
]
