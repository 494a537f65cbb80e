"""From keyword arguments to the one flat configuration that every way of running shares."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Union

from .errors import ConfigError

PathLike = Union[str, "os.PathLike[str]"]
ConfigLike = Union[Mapping[str, Any], PathLike, None]

#: Names the number of threads for calls that do not.
THREADS_VARIABLE = "LOOKALIKE_THREADS"


def resolve(config: ConfigLike, options: Mapping[str, Any]) -> str:
    """The configuration as JSON: a file or mapping first, then the arguments that are not None.

    >>> resolve({"method": "simhash"}, {"threshold": 0.9, "max_comparisons": 10, "keep": None})
    '{"method": "simhash", "threshold": 0.9, "max-comparisons": 10}'
    """
    table: dict[str, Any] = {}
    if config is not None:
        table.update(_from_file(config) if isinstance(config, (str, os.PathLike)) else config)
        table = {key.replace("_", "-"): value for key, value in table.items()}
    for key, value in options.items():
        if value is not None:
            table[key.replace("_", "-")] = value
    if "threads" not in table and (threads := os.environ.get(THREADS_VARIABLE)):
        if not threads.isdigit():
            raise ConfigError(f"{THREADS_VARIABLE} = `{threads}`: expected a number of threads")
        table["threads"] = int(threads)
    plain = {key: _plain(value) for key, value in table.items()}
    try:
        return json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"the configuration has a value that is no plain value: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    # A number of NumPy is a number.
    return value.item() if hasattr(value, "item") and not isinstance(value, (str, bytes)) else value


def _from_file(path: PathLike) -> dict[str, Any]:
    from ._lookalike import read_config

    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise ConfigError(f"cannot read {os.fspath(path)}: {error.strerror}") from None
    parsed: dict[str, Any] = json.loads(read_config(text))
    # Files that stand beside the configuration are looked for there.
    for key in ("stats", "model", "boilerplate"):
        if isinstance(name := parsed.get(key), str):
            beside = os.path.join(os.path.dirname(os.fspath(path)), name)
            parsed[key] = beside if os.path.isfile(beside) else name
    return parsed
