"""What a run found."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from . import _lookalike
from ._input import Input
from ._table import Table
from .errors import OutputError

Data = TypeVar("Data")

#: Clusters that a notebook shows of a result.
_SHOWN_CLUSTERS = 5
#: Characters of an id that a notebook shows.
_SHOWN_CHARACTERS = 80


def _escaped(value: Any) -> str:
    """Foreign text as HTML, bounded."""
    return html.escape(str(value)[:_SHOWN_CHARACTERS])


def _html_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return ""

    def line(cells: Sequence[Any], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{_escaped(cell)}</{kind}>" for cell in cells) + "</tr>"

    return f"<table>{line(head, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"


class FindResult:
    """Clusters and pairs; nothing was changed."""

    #: What travels with a pickled result.
    _parts: tuple[str, ...] = ("summary", "clusters", "pairs", "labels", "unreadable")

    def __init__(self, found: _lookalike.Found) -> None:
        self._run: _lookalike.Found | None = found

    @property
    def _found(self) -> _lookalike.Found:
        if self._run is None:
            raise OutputError("this result was pickled: write files before, where the run was made")
        return self._run

    def __getstate__(self) -> dict[str, Any]:
        return {"_run": None, **{name: getattr(self, name) for name in self._parts}}

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Counts that add up, seconds by stage, method and threshold: as in ``summary.json``."""
        return self._found.summary()

    @cached_property
    def clusters(self) -> Table:
        """A row for each document of a cluster: ``row, id, cluster, size, keeper, score``."""
        return Table(self._found.clusters())

    @cached_property
    def pairs(self) -> Table:
        """The confirmed pairs, sorted: ``a, b, score``."""
        return Table(self._found.pairs())

    @cached_property
    def labels(self) -> list[int]:
        """For each row the row of the document that is kept; its own where it has no copy."""
        return self._found.labels()

    @cached_property
    def unreadable(self) -> Table:
        """The rows that hold no document: ``row, place, reason``. They are neither kept nor removed."""
        return Table(self._found.unreadable())

    def write(self, folder: Any, *, force: bool = False) -> None:
        """Writes the result files of the command line into a folder."""
        import os

        self._found.write(os.fspath(folder), force)

    def _repr_html_(self) -> str:
        """What notebooks show: counts, the largest clusters, and the pair with the highest and the lowest score."""
        summary = self.summary
        counts = [
            ("documents", summary["documents"]),
            ("clusters", summary["clusters"]),
            ("copies", summary["removed"]),
            ("pairs", summary["confirmed_pairs"]),
            ("unreadable", summary["unreadable"]),
        ]
        clusters = self.clusters
        documents = zip(clusters["size"], clusters["id"], clusters["keeper"])
        keepers = [(size, id) for size, id, is_kept in documents if is_kept]
        largest = sorted(keepers, key=lambda found: -found[0])[:_SHOWN_CLUSTERS]
        scored = sorted(zip(self.pairs["score"], self.pairs["a"], self.pairs["b"]), key=lambda pair: pair[0])
        ends = [("best pair", scored[-1]), ("worst pair", scored[0])] if scored else []
        return (
            f"<p>{_escaped(type(self).__name__)}: method {_escaped(summary['method'])}</p>"
            + _html_table(["", "count"], counts)
            + _html_table(["documents", "largest clusters"], largest)
            + _html_table(["", "score", "a", "b"], [(name, f"{pair[0]:.3f}", *pair[1:]) for name, pair in ends])
        )

    def __repr__(self) -> str:
        summary = self.summary
        return (
            f"<{type(self).__name__}: {summary['documents']} documents, {summary['clusters']} clusters, "
            f"{summary['confirmed_pairs']} pairs, method {summary['method']}>"
        )


class DedupResult(FindResult, Generic[Data]):
    """What is kept and what is removed, of the kind that came in."""

    _parts = (*FindResult._parts, "kept", "removed", "evidence")

    def __init__(self, found: _lookalike.Found, data: Input) -> None:
        super().__init__(found)
        self._data = data
        if data.select is None:
            # Files stay where they were written.
            self._parts = (*FindResult._parts, "evidence")

    def _selected(self, rows: list[int]) -> Any:
        if self._data.select is None:
            raise OutputError(
                "files are not read back into memory; give dedup(…, out=FOLDER) and read the files there"
            )
        return self._data.select(rows)

    @cached_property
    def kept(self) -> Data:
        """The rows without the copies of others, in their order."""
        kept: Data = self._selected(self._found.kept_rows())
        return kept

    @cached_property
    def removed(self) -> Data:
        """The rows that are copies, in their order, with ``duplicate_of`` and ``score`` where rows
        have columns."""
        rows, duplicate_of, scores = self._found.removed_rows()
        added = {
            self._data.free_name("duplicate_of"): duplicate_of,
            self._data.free_name("score"): scores,
        }
        removed: Data = self._data.extend(self._selected(rows), added)
        return removed

    @cached_property
    def evidence(self) -> Table:
        """Why each row was removed: ``row, id, duplicate_of, score``."""
        return Table(self._found.evidence())
