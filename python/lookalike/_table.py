"""A small table of results that every data frame library can take without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

from . import _lookalike

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Table:
    """Columns of a result, held as Arrow memory.

    Anything that reads Arrow takes it as it is: ``pyarrow.table(t)``, ``polars.DataFrame(t)``,
    ``duckdb.from_arrow(t)``. Without any of them, ``to_pylist`` and iteration give dictionaries.
    """

    def __init__(self, data: _lookalike.Columns) -> None:
        self._data = data

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return self._data.names()

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return len(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_pylist())

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column."""
        if column not in self.column_names:
            raise KeyError(column)
        return self._data.column(column)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._data.__arrow_c_stream__(requested_schema)

    def to_pylist(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return self._data.to_pylist()

    def to_arrow(self) -> pyarrow.Table:
        """The table as a ``pyarrow.Table``."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame(self.to_pylist(), columns=self.column_names)

    def to_polars(self) -> polars.DataFrame:
        """The table as a ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self._data.to_bytes(),))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.column_names == other.column_names and self.to_pylist() == other.to_pylist()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        rows = self.to_pylist()[:5]
        more = f"\n  … {len(self) - len(rows)} more" if len(self) > len(rows) else ""
        shown = "".join(f"\n  {row}" for row in rows)
        return f"<lookalike.Table of {len(self)} rows: {', '.join(self.column_names)}{shown}{more}>"


def _rebuild(data: bytes) -> Table:
    return Table(_lookalike.Columns.from_bytes(data))
