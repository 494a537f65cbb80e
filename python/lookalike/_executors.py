"""What runs inside Spark's executors: functions over streams of Arrow batches.

Each is made of a broadcast :class:`Shared` and gets the batches of one partition. Nothing here knows
of other partitions, so that a task that is repeated gives what it gave.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple

from . import _lookalike

#: The rows of a partition after its documents were prepared.
PREPARED = "node bigint, id string, keys array<bigint>, rejected string, unreadable string"

#: The rows that a partition of whole components gives: members of clusters, pairs, and its counts.
FOUND = (
    "kind string, id string, cluster string, size int, keeper boolean, a string, b string, "
    "score double, evidence string, facts string"
)

#: Bytes of a partition that are kept in memory; more go to a working file.
_HELD_BYTES = 64 << 20

#: Rows that are handed to Spark at a time.
_ROWS = 10_000

Batches = Iterable[Any]
OverBatches = Callable[[Batches], Iterator[Any]]


class Shared(NamedTuple):
    """What every task needs, sent to each executor once."""

    settings: str
    #: A method as :meth:`Method.state` gives it: its artefacts travel inside.
    method: Any
    #: Artefacts as they are on disk, by the key of the configuration that names them.
    artifacts: dict[str, bytes]
    #: Whether the method says what the two documents of a pair share.
    has_evidence: bool


def counting(settings: str) -> OverBatches:
    """Counts the terms of a partition."""

    def count(batches: Batches) -> Iterator[Any]:
        import pyarrow

        source = _spooled((batch for batch in batches if batch.num_rows), None)
        if source is not None:
            counts = _lookalike.count_terms(source, settings)
            yield pyarrow.RecordBatch.from_pydict({"counts": pyarrow.array([counts], pyarrow.binary())})

    return count


def preparing(broadcast: Any) -> OverBatches:
    """Prepares documents: each row its keys, or why it has none."""

    def prepare(batches: Batches) -> Iterator[Any]:
        import pyarrow

        method = _lookalike.Method.from_state(broadcast.value.method)
        copies = _lookalike.Copies()
        for batch in batches:
            source = _lookalike.Source.from_arrow([batch], "text", "id")
            made = pyarrow.table(_lookalike.document_keys(source, method, copies)).combine_chunks()
            columns = [
                batch.column("node"),
                batch.column("id").cast(pyarrow.string()),
                _chunk(made["keys"]).cast(pyarrow.list_(pyarrow.int64())),
                _chunk(made["rejected"]).cast(pyarrow.string()),
                _chunk(made["unreadable"]).cast(pyarrow.string()),
            ]
            names = ["node", "id", "keys", "rejected", "unreadable"]
            yield pyarrow.RecordBatch.from_arrays(columns, names)

    return prepare


def finding(broadcast: Any) -> OverBatches:
    """Runs the driver of one machine over whole components."""

    def run(batches: Batches) -> Iterator[Any]:
        stream = (batch for batch in batches if batch.num_rows)
        source = _spooled(stream, broadcast.value)
        if source is not None:
            with _settings(broadcast.value) as settings:
                yield from _found(_lookalike.find(source, settings, None), broadcast.value)

    return run


def matching(broadcast: Any, among_new: bool) -> OverBatches:
    """As :func:`finding`, for new documents, which come first, and known ones."""

    def run(batches: Batches) -> Iterator[Any]:
        sides = _Sides(batch for batch in batches if batch.num_rows)
        new = _spooled(sides.new(), broadcast.value)
        known = _spooled(sides.known(), broadcast.value)
        if new is not None and known is not None:
            with _settings(broadcast.value) as settings:
                yield from _found(_lookalike.against(new, known, among_new, settings, None), broadcast.value)

    return run


def _spooled(stream: Iterator[Any], shared: Shared | None) -> _lookalike.Source | None:
    """A partition in memory while it is small, else in a working file, so that its size does not matter."""
    held: list[Any] = []
    n_bytes = 0
    for batch in stream:
        held.append(batch)
        n_bytes += batch.nbytes
        if n_bytes > _HELD_BYTES:
            break
    else:
        return _lookalike.Source.from_arrow(held, "text", "id") if held else None
    fields = [] if shared is None else _lookalike.keep_fields(json.loads(shared.settings)["keep"])
    return _lookalike.Source.from_stream(itertools.chain(held, stream), "text", "id", fields)


class _Sides:
    """One stream of new and then known documents as two."""

    def __init__(self, batches: Iterator[Any]) -> None:
        self._batches = batches
        self._rest: Any = None

    def new(self) -> Iterator[Any]:
        for batch in self._batches:
            n_known = batch.column("is_known").true_count
            n_new = batch.num_rows - n_known
            if n_new:
                yield batch.slice(0, n_new)
            if n_known:
                self._rest = batch.slice(n_new)
                return

    def known(self) -> Iterator[Any]:
        if self._rest is not None:
            yield self._rest
        yield from self._batches


@contextlib.contextmanager
def _settings(shared: Shared) -> Generator[str, None, None]:
    """The configuration, its artefacts in files of this task."""
    table: dict[str, Any] = json.loads(shared.settings)
    with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
        for key, content in shared.artifacts.items():
            path = os.path.join(folder, key)
            with open(path, "wb") as file:
                file.write(content)
            table[key] = path
        yield json.dumps(table)


def _found(found: _lookalike.Found, shared: Shared) -> Iterator[Any]:
    import pyarrow

    schema = pyarrow.schema(
        [
            ("kind", pyarrow.string()),
            ("id", pyarrow.string()),
            ("cluster", pyarrow.string()),
            ("size", pyarrow.int32()),
            ("keeper", pyarrow.bool_()),
            ("a", pyarrow.string()),
            ("b", pyarrow.string()),
            ("score", pyarrow.float64()),
            ("evidence", pyarrow.string()),
            ("facts", pyarrow.string()),
        ]
    )

    def rows(kind: str, table: Any) -> Iterator[Any]:
        for batch in table.to_batches(max_chunksize=_ROWS):
            columns = [
                pyarrow.repeat(pyarrow.scalar(kind), batch.num_rows)
                if field.name == "kind"
                else batch.column(field.name).cast(field.type)
                if field.name in batch.schema.names
                else pyarrow.nulls(batch.num_rows, field.type)
                for field in schema
            ]
            if batch.num_rows:
                yield pyarrow.RecordBatch.from_arrays(columns, schema=schema)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from rows("cluster", pyarrow.table(found.clusters()))
        pairs = pyarrow.table(found.pairs())
        if shared.has_evidence:
            pairs = pairs.append_column("evidence", pyarrow.array(_evidence(found), pyarrow.string()))
        yield from rows("pair", pairs)
        facts = pyarrow.table({"facts": [json.dumps(found.summary())]})
        yield from rows("facts", facts)


def _evidence(found: _lookalike.Found) -> list[str]:
    """What the documents of each pair share, as it stands in its row of ``pairs.jsonl``."""
    with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
        found.write(folder, True)
        evidence: list[str] = []
        with open(os.path.join(folder, "pairs.jsonl"), encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                known = {"a", "b", "score", "a_side", "b_side"}
                shared = {key: value for key, value in row.items() if key not in known}
                evidence.append(json.dumps(shared, separators=(",", ":")))
        return evidence


def _chunk(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks else column.combine_chunks()
