"""Finding and removing near-duplicates."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import Any, TypeVar

from . import _lookalike
from ._config import ConfigLike, PathLike, resolve
from ._input import Columns, Input, keep_fields, open_input
from ._progress import Report, reporter
from ._result import DedupResult, FindResult
from .errors import InputError, LookalikeWarning

Data = TypeVar("Data")


def find(
    data: Any,
    *,
    text: str | None = None,
    id: str | None = None,
    method: str | None = None,
    threshold: float | None = None,
    keep: str | None = None,
    cluster: str | None = None,
    pairs: str | None = None,
    config: ConfigLike = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: bool | Report | None = None,
    **parameters: Any,
) -> FindResult:
    """Clusters of near-duplicates and the pairs they rest on; changes nothing.

    Args:
        data: a pandas or polars frame, an Arrow table, batch or stream, a data set of Hugging Face,
            a list of texts or dictionaries, an iterator of Arrow batches, or the path of files.
        text: the column of the text; ``text`` unless given.
        id: the column of the ids; ``id`` where there is one, else rows are numbered from 0.
        method: one of :func:`methods`; ``minhash`` unless given.
        threshold: from which score on a pair is a duplicate; the method's own unless given.
        keep: which document of a cluster is kept: ``first``, ``longest``, ``newest:date``, …
        cluster: ``star`` (every member is a confirmed duplicate of the keeper) or ``components``.
        pairs: ``clusters`` (those the clusters rest on) or ``all``.
        config: a configuration file, or a mapping with the same keys.
        threads: how many threads work; ``LOOKALIKE_THREADS``, else one for each core.
        memory: how much the join may hold before it goes to disk: bytes, or ``"2G"``.
        progress: ``True``, ``False``, a function of stage, done and total; shown where somebody is
            looking unless given.
        parameters: further keys of the configuration, with underscores: ``ngram=3``.

    Raises:
        ConfigError: a key or value that does not exist.
        InputError: data that cannot be read, such as a missing column or two equal ids.

    >>> import lookalike as la
    >>> rows = [{"id": "a", "text": "one two three four"}, {"id": "b", "text": "one two three four"}]
    >>> la.find(rows, ngram=1).pairs.to_pylist()
    [{'a': 'a', 'b': 'b', 'score': 1.0}]
    """
    settings = resolve(config, dict(
        parameters, method=method, threshold=threshold, keep=keep, cluster=cluster, pairs=pairs,
        threads=threads, memory=memory,
    ))
    source = open_source(data, text, id, settings)
    found = _lookalike.find(source.source, settings, reporter(progress))
    _warn(found)
    return FindResult(found)


def dedup(
    data: Data,
    *,
    text: str | None = None,
    id: str | None = None,
    method: str | None = None,
    threshold: float | None = None,
    keep: str | None = None,
    cluster: str | None = None,
    config: ConfigLike = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: bool | Report | None = None,
    out: PathLike | None = None,
    force: bool = False,
    **parameters: Any,
) -> DedupResult[Data]:
    """The data without its copies, and the copies with what they are copies of.

    The arguments are those of :func:`find`. ``result.kept`` and ``result.removed`` are of the kind
    that came in. Files given by path are written to the folder ``out`` in their own format.

    >>> import lookalike as la
    >>> rows = [{"text": "one two three four"}, {"text": "five six"}, {"text": "one two three four"}]
    >>> result = la.dedup(rows, ngram=1)
    >>> result.kept
    [{'text': 'one two three four'}, {'text': 'five six'}]
    >>> result.removed
    [{'text': 'one two three four', 'duplicate_of': 0, 'score': 1.0}]
    """
    settings = resolve(config, dict(
        parameters, method=method, threshold=threshold, keep=keep, cluster=cluster,
        threads=threads, memory=memory,
    ))
    settings = _lookalike.for_removal(settings)
    source = open_source(data, text, id, settings)
    if out is None and source.select is None:
        raise InputError("dedup of files writes files; give the folder with out=…")
    found = _lookalike.find(source.source, settings, reporter(progress))
    _warn(found)
    if out is not None:
        found.write_dedup(os.fspath(out), force)
    return DedupResult(found, source)


def against(
    new: Any,
    known: Any,
    *,
    text: str | None = None,
    id: str | None = None,
    method: str | None = None,
    threshold: float | None = None,
    pairs: str | None = None,
    among_new: bool = False,
    config: ConfigLike = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: bool | Report | None = None,
    **parameters: Any,
) -> FindResult:
    """Each new document with the known one it matches best; known ones are not compared.

    >>> import lookalike as la
    >>> la.against(["one two three four"], ["five six", "one two three four"], ngram=1).pairs.to_pylist()
    [{'a': 0, 'b': 1, 'score': 1.0}]
    """
    settings = resolve(config, dict(
        parameters, method=method, threshold=threshold, pairs=pairs, threads=threads, memory=memory,
    ))
    sources = [open_source(data, text, id, settings).source for data in (new, known)]
    found = _lookalike.against(sources[0], sources[1], among_new, settings, reporter(progress))
    _warn(found)
    return FindResult(found)


def statistics(
    data: Any,
    path: PathLike,
    *,
    text: str | None = None,
    method: str | None = None,
    config: ConfigLike = None,
    threads: int | None = None,
    progress: bool | Report | None = None,
    **parameters: Any,
) -> None:
    """Counts in how many documents each term stands and writes it to a file, for ``stats=…``."""
    settings = resolve(config, dict(parameters, method=method or "imatch", threads=threads))
    source = open_source(data, text, None, settings).source
    _lookalike.statistics(source, settings, os.fspath(path), reporter(progress))


def open_source(
    data: Any, text: str | None, id: str | None, settings: str, fields: Sequence[str] = ()
) -> Input:
    table: dict[str, Any] = json.loads(settings)
    text = text if text is not None else table.get("text-key")
    id = id if id is not None else table.get("id-key")
    return open_input(data, Columns(text, id, [*keep_fields(table), *fields]))


def _warn(found: _lookalike.Found) -> None:
    """Says what a run could not do; the place of the warning is the caller's line."""
    for message in found.warnings():
        warnings.warn(message, LookalikeWarning, stacklevel=3)
