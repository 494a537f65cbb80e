"""What people have in memory or on disk, as a corpus of the engine, and rows of it given back.

No library is imported that the caller has not imported already: a data frame is recognized by the
module of its class. Text is handed over as Arrow memory; where the data is Arrow already, nothing is copied.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable

from . import _lookalike
from ._table import Table
from .errors import ConfigError, InputError

Select = Callable[[list[int]], Any]
Added = dict[str, list[Any]]

#: Rows of a data set that are read at a time.
_BATCH_ROWS = 16_384


class Columns:
    """Which column means what."""

    def __init__(
        self, text: str | None, id: str | None, fields: Sequence[str] = (), *, everything: bool = False
    ) -> None:
        self.text = text if text is not None else "text"
        self.text_is_given = text is not None
        self.id = id
        self.fields = list(fields)
        self.everything = everything

    def wanted(self, present: Sequence[str]) -> list[str]:
        """The columns the engine looks at, out of those that are there."""
        texts = self.texts(present)
        if not texts:
            raise InputError(
                f"there is no column `{self.text}`; name the column of the text with text=…; "
                f"the columns are {', '.join(map(str, present))}"
            )
        if self.id is not None and self.id != "row" and self.id not in present:
            raise InputError(
                f"there is no column `{self.id}`; name the column of the ids with id=…; "
                f"the columns are {', '.join(map(str, present))}"
            )
        if self.everything:
            return list(present)
        special = [*texts, self.id or "id", "title", "subject", "url", *self.fields]
        return [name for name in dict.fromkeys(special) if name in present]

    def texts(self, present: Sequence[str]) -> list[str]:
        """The columns that hold the text: several for a key such as ``title,body`` or ``messages[].content``."""
        if self.text in present:
            return [self.text]
        return [name for name in _lookalike.text_fields(self.text) if name in present]

    def composed(self, rows: Iterable[Mapping[str, Any] | None]) -> list[Any]:
        """The text of each row where it stands in several places; ``...`` where a row has none."""

        def text(row: Mapping[str, Any]) -> Any:
            found = _lookalike.composed_text(self.text, json.dumps(row, default=_plain))
            return ... if found is None else found

        return [None if row is None else text(row) for row in rows]

    def beside(self, texts: Sequence[str], values: dict[str, Any]) -> dict[str, Any]:
        """The columns that mean something beside the text that they are a part of."""
        meant = ["title", "subject", "url", self.id or "id", *self.fields]
        return {name: column for name, column in values.items() if name not in texts or name in meant}

    def id_column(self, present: Sequence[str]) -> str | None:
        """The column of the ids; ``None`` where rows are numbered."""
        if self.id == "row" and "row" not in present:
            return None
        if self.id is not None:
            return self.id
        return "id" if "id" in present else None


def _plain(value: Any) -> Any:
    """What JSON has no word for: an array as a list, anything else as its text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


class Input:
    """Data as the engine reads it, and its rows as the caller knows them."""

    def __init__(
        self,
        source: _lookalike.Source,
        select: Select | None,
        extend: Callable[[Any, Added], Any],
        columns: Sequence[str] = (),
    ) -> None:
        self.source = source
        self.select = select
        self.extend = extend
        self.columns = list(columns)

    def free_name(self, name: str) -> str:
        """A name for a column of ours that is none of the caller's."""
        while name in self.columns:
            name = f"lookalike_{name}"
        return name


def open_input(data: Any, columns: Columns) -> Input:
    """The corpus of whatever was given.

    Raises:
        InputError: the data is of no kind that can be read, or lacks a column.
    """
    if isinstance(data, Input):
        return data
    if isinstance(data, str):
        _refuse_text(data)
    if isinstance(data, (str, os.PathLike)):
        return _paths([data], columns)
    if isinstance(data, (bytes, bytearray)):
        raise InputError("bytes are no documents; decode them, or give a list of texts")
    kind = _library(data)
    if kind == "datasets":
        return _dataset(data, columns)
    if kind == "polars":
        return _polars(data, columns)
    if kind == "pandas":
        return _pandas(data, columns)
    if kind == "pyarrow":
        return _pyarrow(data, columns)
    if isinstance(data, Mapping):
        raise InputError("a mapping is no list of documents; give a list of texts or of dictionaries")
    if hasattr(data, "__arrow_c_stream__"):
        return _stream([data], columns)
    if kind == "numpy":
        if data.ndim != 1:
            raise InputError(f"an array of {data.ndim} dimensions is no list of texts")
        return _list(data.tolist(), columns, lambda rows: data[rows])
    if isinstance(data, Sequence):
        return _list(data, columns, lambda rows: _same_kind(data, [data[row] for row in rows]))
    if isinstance(data, Iterable):
        return _batches(data, columns)
    raise InputError(
        f"{type(data).__name__} is no input; give a data frame, an Arrow table or stream, a data set, "
        "a list of texts or dictionaries, or the path of files"
    )


def _refuse_text(data: str) -> None:
    """Refuses a text where the path of files belongs."""
    is_pattern = any(sign in data for sign in "*?[") and len(data) <= 1000 and "\n" not in data
    if data == "-" or is_pattern:
        return
    try:
        is_there = os.path.lexists(data)
    except ValueError:
        is_there = False
    if not is_there:
        shown = data if len(data) <= 60 else data[:59] + "…"
        raise InputError(f"{shown!r} is no file or folder; give a text as a list of one: [text]")


def _library(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _same_kind(data: Any, rows: list[Any]) -> Any:
    return tuple(rows) if isinstance(data, tuple) else rows


def _no_extension(rows: Any, _: Added) -> Any:
    """Plain texts have no room for columns; the evidence is in ``Result.evidence``."""
    return rows


def _paths(paths: Sequence[Any], columns: Columns) -> Input:
    names = [os.fspath(path) for path in paths]
    source = _lookalike.Source.from_paths(names, columns.text, columns.id, columns.fields)
    return Input(source, None, _no_extension)


def _texts(data: Sequence[Any], select: Select) -> Input:
    return Input(_lookalike.Source.from_columns({"text": list(data)}, "text", None), select, _no_extension)


def _list(data: Sequence[Any], columns: Columns, select: Select) -> Input:
    first = next((row for row in data if row is not None), None)
    if isinstance(first, os.PathLike):
        return _paths(data, columns)
    if isinstance(first, Mapping):
        return _dictionaries(data, columns, select)
    if columns.id is not None:
        raise InputError("a list of texts has no column for id=…; give dictionaries or a table")
    return _texts(data, select)


def _dictionaries(data: Sequence[Any], columns: Columns, select: Select) -> Input:
    rows: list[Mapping[str, Any]] = [row if isinstance(row, Mapping) else {} for row in data]
    present = list(dict.fromkeys(key for row in rows for key in row))
    values = {name: [row.get(name) for row in rows] for name in columns.wanted(present)}
    # A row without the field is unreadable, as in a file; one that is missing, or whose text is, is kept.
    if columns.text in present:
        values[columns.text] = [None if row is None else fields.get(columns.text, ...) for row, fields in zip(data, rows)]
    else:
        texts = columns.texts(present)
        fields_of = ({name: row[name] for name in texts if name in row} for row in rows)
        found = columns.composed(None if given is None else fields for given, fields in zip(data, fields_of))
        values = columns.beside(texts, values) | {columns.text: found}
    source = _lookalike.Source.from_columns(values, columns.text, columns.id_column(present))

    def extend(selected: Any, added: Added) -> Any:
        evidence = zip(*added.values())
        extended = [
            {**row, **dict(zip(added, values))} for row, values in zip(selected, evidence)
        ]
        return _same_kind(selected, extended)

    return Input(source, select, extend, present)


def _arrow_source(tables: list[Any], columns: Columns, present: Sequence[str]) -> _lookalike.Source:
    return _lookalike.Source.from_arrow(tables, columns.text, columns.id_column(present))


def _pyarrow(data: Any, columns: Columns) -> Input:
    import pyarrow

    if isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)):
        source = _arrow_source([pyarrow.table({"text": data})], Columns("text", None), ["text"])
        return Input(source, lambda rows: _take(data, rows), _no_extension)
    if isinstance(data, pyarrow.RecordBatch):
        data = pyarrow.table(data)
    if not isinstance(data, pyarrow.Table):
        return _stream([data], columns)
    wanted = data.select(columns.wanted(data.column_names))
    source = _arrow_source([wanted], columns, data.column_names)

    def extend(selected: Any, added: Added) -> Any:
        for name, values in added.items():
            selected = selected.append_column(name, pyarrow.array(values))
        return selected

    return Input(source, lambda rows: _take(data, rows), extend, data.column_names)


def _take(data: Any, rows: list[int]) -> Any:
    import pyarrow

    try:
        return data.take(pyarrow.array(rows, pyarrow.int64()))
    except pyarrow.ArrowNotImplementedError:
        # There are types that can only be cut, such as views of strings.
        parts = [data.slice(run.start, len(run)) for run in _runs(rows)] or [data.slice(0, 0)]
        if isinstance(data, pyarrow.Table):
            return pyarrow.concat_tables(parts)
        chunks = [chunk for part in parts for chunk in getattr(part, "chunks", [part])]
        return pyarrow.chunked_array(chunks, data.type)


def _runs(rows: list[int]) -> list[range]:
    """Ascending numbers as ranges without a gap.

    >>> _runs([1, 2, 3, 7])
    [range(1, 4), range(7, 8)]
    """
    runs: list[range] = []
    for row in rows:
        if runs and runs[-1].stop == row:
            runs[-1] = range(runs[-1].start, row + 1)
        else:
            runs.append(range(row, row + 1))
    return runs


def _pandas(data: Any, columns: Columns) -> Input:
    import pandas

    if isinstance(data, pandas.Series):
        return _texts(_pandas_list(data), lambda rows: data.iloc[rows])
    if not isinstance(data, pandas.DataFrame):
        raise InputError(f"a pandas {type(data).__name__} is no table of documents")
    present = [str(name) for name in data.columns]
    if len(set(present)) != len(present):
        raise InputError("two columns of the data frame have one name; rename one of them")
    # By place: names of columns need not be texts.
    values = {name: _pandas_values(data.iloc[:, present.index(name)]) for name in columns.wanted(present)}
    if columns.text not in present:
        texts = columns.texts(present)
        parts = {name: _pandas_list(data.iloc[:, present.index(name)]) for name in texts}
        found = columns.composed(dict(zip(texts, row)) for row in zip(*parts.values()))
        values = columns.beside(texts, values) | {columns.text: found}
    source = _lookalike.Source.from_columns(values, columns.text, columns.id_column(present))

    def extend(selected: Any, added: Added) -> Any:
        return selected.assign(**added)

    return Input(source, lambda rows: data.iloc[rows], extend, present)


def _pandas_values(column: Any) -> Any:
    if hasattr(column, "__arrow_c_stream__") and str(column.dtype) != "object":
        return column
    return _pandas_list(column)


def _pandas_list(column: Any) -> list[Any]:
    # A column of objects may hold anything, and a missing text is not always None.
    missing = column.isna().tolist()
    return [None if is_missing else value for value, is_missing in zip(column.tolist(), missing)]


def _polars(data: Any, columns: Columns) -> Input:
    import polars

    if isinstance(data, polars.LazyFrame):
        data = data.collect()
    if isinstance(data, polars.Series):
        frame = data.alias("text").to_frame()
        source = _arrow_source([frame], Columns("text", None), ["text"])
        return Input(source, lambda rows: data.gather(rows), _no_extension)
    if not isinstance(data, polars.DataFrame):
        raise InputError(f"a polars {type(data).__name__} is no table of documents")
    wanted = data.select(columns.wanted(data.columns))
    source = _arrow_source([wanted], columns, data.columns)

    def extend(selected: Any, added: Added) -> Any:
        series = [polars.Series(name, values) for name, values in added.items()]
        return selected.with_columns(series)

    return Input(source, lambda rows: data[rows], extend, data.columns)


def _dataset(data: Any, columns: Columns) -> Input:
    if isinstance(getattr(data, "column_names", None), dict):
        raise InputError("a dictionary of splits is no data set; give one of its splits")
    if not hasattr(data, "__len__"):
        # A data set that streams: it is read once, a part at a time.
        return _stream(data.with_format("arrow").iter(batch_size=_BATCH_ROWS), columns)
    narrow = data.select_columns(columns.wanted(data.column_names)).with_format("arrow")
    tables = list(narrow.iter(batch_size=_BATCH_ROWS))
    source = _arrow_source(tables, columns, data.column_names)

    def extend(selected: Any, added: Added) -> Any:
        for name, values in added.items():
            selected = selected.add_column(name, values)
        return selected

    return Input(source, lambda rows: data.select(rows), extend, data.column_names)


def _stream(tables: Iterable[Any], columns: Columns) -> Input:
    """Tables that can be read once: they are kept in a working file, so that size does not matter."""
    source = _lookalike.Source.from_stream(iter(tables), columns.text, columns.id, columns.fields)
    return Input(source, lambda rows: Table(source.select(rows)), _no_extension, source.column_names())


def _batches(data: Iterable[Any], columns: Columns) -> Input:
    """An iterator of Arrow tables or batches, of texts or of dictionaries."""
    iterator = iter(data)
    first = next(iterator, None)
    if hasattr(first, "__arrow_c_stream__") or hasattr(first, "__arrow_c_array__"):
        return _stream(itertools.chain([first], iterator), columns)
    rows = [] if first is None else [first, *iterator]
    return _list(rows, columns, lambda numbers: [rows[number] for number in numbers])


def keep_fields(config: Mapping[str, Any]) -> list[str]:
    """The fields that the keep rule looks at, so that they travel with the text."""
    rule = config.get("keep", "first")
    if not isinstance(rule, str):
        raise ConfigError(f"keep = `{rule}`: expected a rule such as first, longest or newest:date")
    return _lookalike.keep_fields(rule)
