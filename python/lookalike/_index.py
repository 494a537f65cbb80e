"""The durable index: documents stay on disk, and each new one is checked against them."""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _lookalike
from ._config import ConfigLike, PathLike, resolve
from ._input import Columns, open_input
from ._progress import Report, reporter
from ._result import FindResult
from ._run import open_source
from .errors import ConfigError, InputError, LookalikeWarning

if TYPE_CHECKING:
    # Importing lookalike takes no time for what few calls need.
    import datetime

_MILLISECONDS = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


class Match(NamedTuple):
    """A document of the index that another one duplicates."""

    #: Its id.
    id: str
    #: The score of the pair; 1 where a person said so.
    score: float


class Answer(NamedTuple):
    """What an index says of one row."""

    #: The id; the row's number where it has none, its place where it could not be read.
    id: str
    #: ``new``, ``duplicate``, ``too-short`` or ``unreadable``.
    status: str
    #: What it duplicates, the best first; at most 100.
    matches: list[Match]
    #: Further documents that it duplicates.
    more_matches: int
    #: Candidates that were not compared because their keys are crowded.
    skipped: int
    #: ``added``, ``replaced`` or ``skipped``; ``None`` after a check and for unreadable rows.
    added: str | None
    #: Why the row could not be read.
    reason: str | None
    #: Whether a document with this id is in the index; only a check says so.
    id_exists: bool

    @property
    def is_duplicate(self) -> bool:
        """Whether it duplicates something."""
        return self.status == "duplicate"


class Index:
    """Documents that stay prepared on disk; what :func:`open` and :func:`create` give.

    One process writes an index, any number read it at the same time with ``read_only=True``. What a
    method has returned is on disk. Threads may share an index; processes cannot.

    >>> import lookalike as la, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with la.Index.create(f"{folder}/news", ngram=1, threshold=0.6) as index:
    ...     _ = index.add([{"id": "a", "text": "the ferry sails at six every morning"}])
    ...     index.check(["the ferry sails at seven every morning"])[0].matches
    [Match(id='a', score=0.75)]
    """

    def __init__(self, index: _lookalike.Index, path: str) -> None:
        self._index = index
        #: The folder.
        self.path = path

    @classmethod
    def create(
        cls,
        path: PathLike,
        *,
        method: str | None = None,
        threshold: float | None = None,
        text: str | None = None,
        id: str | None = None,
        store: str = "text",
        ttl: str | float | datetime.timedelta | None = None,
        stats: PathLike | None = None,
        stats_from: Any = None,
        model: PathLike | None = None,
        config: ConfigLike = None,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: bool | Report | None = None,
        **parameters: Any,
    ) -> Index:
        """Creates an empty index in a folder of its own; method and artefacts stay as they are.

        Args:
            path: the folder; must not exist or be empty.
            text: the column of the text in what will be added; ``text`` unless given.
            id: the column of the ids; ``id`` unless given.
            store: what is kept of each document: ``text`` (with its fields), ``features`` or
                ``signatures``.
            ttl: how long documents stay: ``"30d"``, seconds, or a ``timedelta``; for ever unless given.
            stats: a file of collection statistics, for methods that need them.
            stats_from: documents to count them in, instead.
            parameters: further keys of the configuration, with underscores: ``ngram=3``.
        """
        settings = resolve(config, dict(
            parameters, method=method, threshold=threshold, stats=stats, model=model, threads=threads,
            memory=memory, text_key=text, id_key=id,
        ))
        counted = None if stats_from is None else open_source(stats_from, text, id, settings).source
        folder = os.fspath(path)
        made = _lookalike.Index.create(folder, settings, counted, store, _span(ttl), reporter(progress))
        return cls(made, folder)

    @classmethod
    def open(cls, path: PathLike, *, read_only: bool = False, memory: int | str | None = None) -> Index:
        """Opens an index, for reading beside its writer or as its one writer.

        Args:
            memory: for the log, directories and features of candidates; 512 MB unless given.

        Raises:
            StoreError: there is no index, it is damaged, or another process writes it.
        """
        folder = os.fspath(path)
        return cls(_lookalike.Index.open(folder, read_only, None if memory is None else str(memory)), folder)

    def add(
        self,
        data: Any,
        *,
        on_id: str = "error",
        text: str | None = None,
        id: str | None = None,
        batch: int | None = None,
        threads: int | None = None,
        progress: bool | Report | None = None,
    ) -> list[Answer]:
        """Adds documents and says of each row what it duplicates among all that were added before it.

        Args:
            data: what :func:`find` takes, with an id for each row; all other columns are kept, too.
            on_id: what happens to a document whose id is there already: ``error`` refuses its batch,
                ``skip`` leaves the earlier one, ``replace`` puts it in its place.
            batch: documents that become durable together, or not at all: 1000 and at most 16 MB of
                text unless given. ``batch=len(data)`` is all or nothing. Ctrl-C and errors leave
                the batches before as they are.
        """
        with self._rows(data, text, id, stored=True) as source:
            answers = self._index.add(source, on_id, batch, _threads(threads), reporter(progress))
        return _answers(answers)

    def check(
        self,
        data: Any,
        *,
        text: str | None = None,
        id: str | None = None,
        threads: int | None = None,
        progress: bool | Report | None = None,
    ) -> list[Answer]:
        """Says of each row what it duplicates in the index, and adds nothing.

        A document whose id is in the index is compared with the one that is there like any other, and
        ``id_exists`` says that it is there.
        """
        with self._rows(data, text, id, stored=False) as source:
            answers = self._index.check(source, _threads(threads), reporter(progress))
        return _answers(answers)

    def remove(self, ids: Iterable[str | int]) -> int:
        """Removes documents by id; returns how many were there."""
        if isinstance(ids, (str, bytes)):
            raise InputError(f"ids are a list: give remove([{ids!r}])")
        return self._index.remove([str(name) for name in ids])

    def remove_before(self, time: datetime.datetime) -> int:
        """Removes what was added before a time; returns how many documents that were."""
        return self._index.remove_before(max(0, int(time.timestamp() * 1000)))

    def expire(self) -> int:
        """Removes what has outlived its ``ttl``, which is invisible already; returns how many."""
        return self._index.expire()

    def judge(self, a: str | int, b: str | int, duplicate: bool | None) -> None:
        """Writes down a person's word on two ids, which stands above the method's from then on.

        ``None`` takes an earlier word back.
        """
        self._index.judge(str(a), str(b), duplicate)

    def find(
        self,
        *,
        keep: str | None = None,
        cluster: str | None = None,
        pairs: str | None = None,
        max_comparisons: int | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: bool | Report | None = None,
    ) -> FindResult:
        """Clusters and pairs of what is in the index: what :func:`find` says of the same documents."""
        settings = resolve(None, dict(
            keep=keep, cluster=cluster, pairs=pairs, max_comparisons=max_comparisons, threads=threads,
            memory=memory,
        ))
        return FindResult(self._index.find(settings, reporter(progress)))

    def stat(self) -> dict[str, Any]:
        """Sizes and counts, and how well collection statistics still fit what comes in."""
        counts: dict[str, Any] = json.loads(self._index.stat())
        return counts

    def verify(self) -> dict[str, int]:
        """Reads every byte and looks up every document by its keys; returns how many there are.

        Raises:
            StoreError: something is damaged.
        """
        documents, keys = self._index.verify()
        return {"documents": documents, "keys": keys}

    def compact(self) -> None:
        """Makes one segment of all, and reclaims the room of what was removed or has expired."""
        self._index.compact()

    def export(self, path: PathLike, *, judgments: bool = False) -> int:
        """Writes the documents as JSON Lines, in the order they were added; returns how many.

        The field ``_added`` is the time of adding in milliseconds since 1970.

        With ``judgments``, people's words on pairs instead, as ``judged=…`` takes them.
        """
        return self._index.export(os.fspath(path), judgments)

    def documents(self) -> Iterator[dict[str, Any]]:
        """The documents as dictionaries, in the order they were added."""
        import tempfile

        with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
            path = os.path.join(folder, "documents.jsonl")
            self.export(path)
            with open(path, encoding="utf-8") as file:
                for line in file:
                    document = json.loads(line)
                    document.pop("_added")
                    yield document

    def get(self, id: str | int, default: Any = None) -> Any:
        """The document with this id as a dictionary, as :meth:`documents` gives it, or ``default``.

        An index that keeps no texts gives the id alone.
        """
        row = self._index.get(str(id))
        return default if row is None else json.loads(row)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, (str, int)) and self._index.contains(str(id))

    def __len__(self) -> int:
        return self._index.n_documents()

    def __bool__(self) -> bool:
        # An index without documents is an index still.
        return True

    @property
    def config(self) -> dict[str, Any]:
        """The configuration that it was created with."""
        table: dict[str, Any] = json.loads(self._index.config())
        return table

    @property
    def read_only(self) -> bool:
        """Whether it was opened for reading alone."""
        return self._index.read_only()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._index.closed()

    def close(self) -> None:
        """Closes it, so that another process can write; closing again does nothing."""
        self._index.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(
            "an index cannot be pickled or copied; send its path, and open it there with "
            "lookalike.Index.open(path, read_only=True)"
        )

    def __repr__(self) -> str:
        if self.closed:
            return f"<Index {self.path}, closed>"
        return f"<Index {self.path}, method {self.config['method']}{', read only' if self.read_only else ''}>"

    @contextlib.contextmanager
    def _rows(
        self, data: Any, text: str | None, id: str | None, stored: bool
    ) -> Generator[_lookalike.Source, None, None]:
        """The rows with all of their columns."""
        made: Mapping[str, Any] = self.config
        text = text if text is not None else str(made.get("text-key", "text"))
        name = id if id is not None else str(made.get("id-key", "id"))
        if _first(data, Mapping):
            import tempfile

            with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
                path = os.path.join(folder, "rows.jsonl")
                _write_rows(data, path, name, stored)
                yield _lookalike.Source.from_paths([path], text, name, [])
            return
        # The column `id` is taken where there is one; texts have no column.
        is_asked_for = id is not None or (name != "id" and not _first(data, str))
        yield open_input(data, Columns(text, name if is_asked_for else None, everything=True)).source


def _first(data: Any, kind: type) -> bool:
    """Whether data is a list whose first row is of a kind."""
    if not isinstance(data, (list, tuple)):
        return False
    return isinstance(next((row for row in data if row is not None), None), kind)


def _write_rows(rows: Sequence[Any], path: str, id: str, stored: bool) -> None:
    """Dictionaries as rows of a file, so that nested values stay what they are."""
    missing = [number for number, row in enumerate(rows) if not isinstance(row, Mapping) or row.get(id) is None]
    if stored and missing:
        raise InputError(
            f"{len(missing)} rows have no id in `{id}`, the first is row {missing[0]}; documents that stay "
            "in an index need one each; name the field with id=…"
        )
    unnamed = set(missing)
    with open(path, "w", encoding="ascii") as file:
        for number, row in enumerate(rows):
            fields = dict(row) if isinstance(row, Mapping) else {}
            if number in unnamed:
                fields[id] = f"\0{number}"
            elif not isinstance(fields[id], (str, int)) or isinstance(fields[id], bool):
                kind = type(fields[id]).__name__
                raise InputError(f"an id in `{id}` is of type {kind}; ids are texts or whole numbers")
            try:
                line = json.dumps(fields, default=_plain)
            except (TypeError, ValueError) as error:
                raise InputError(f"row {number} has a value that is no plain value: {error}") from None
            file.write(line + "\n")


def _plain(value: Any) -> Any:
    """A value of another library as JSON knows it: numbers of NumPy, dates, paths."""
    if hasattr(value, "item"):
        return value.item()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _answers(rows: Sequence[tuple[Any, ...]]) -> list[Answer]:
    answers: list[Answer] = []
    for id, status, matches, *rest in rows:
        answers.append(Answer(id, status, [Match(*match) for match in matches], *rest))
    unreadable = [answer for answer in answers if answer.status == "unreadable"]
    if unreadable:
        first = unreadable[0]
        _warn(f"{len(unreadable)} rows could not be read, the first is {first.id}: {first.reason}")
    skipped = sum(answer.skipped for answer in answers)
    if skipped:
        _warn(f"{skipped} candidates were not compared because their keys are crowded; duplicates may be missing")
    return answers


def _warn(message: str) -> None:
    warnings.warn(message, LookalikeWarning, stacklevel=4)


def _threads(threads: int | None) -> int:
    return int(json.loads(resolve(None, {"threads": threads})).get("threads", 0))


def _span(ttl: str | float | datetime.timedelta | None) -> int | None:
    """A time to live in milliseconds.

    >>> import datetime
    >>> _span("30d"), _span(90), _span(datetime.timedelta(hours=1)), _span(None)
    (2592000000, 90000, 3600000, None)
    """
    if ttl is None:
        return None
    if isinstance(ttl, str):
        number, unit = ttl[:-1], ttl[-1:]
        span: float = int(number) * _MILLISECONDS.get(unit, 0) if number.isdecimal() else 0
    elif isinstance(ttl, (int, float)):
        span = ttl * 1000
    else:
        span = ttl.total_seconds() * 1000
    if not 1 <= span < 2**63:
        raise ConfigError(f"ttl = `{ttl}`: expected a time such as 90s, 15m, 12h, 30d or 2w, or seconds")
    return int(span)
