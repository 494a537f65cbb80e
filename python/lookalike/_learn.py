"""What labels are for: train a model, tune a configuration, compare methods, ask for more labels."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Union

from . import _lookalike
from ._config import ConfigLike, PathLike, resolve
from ._progress import Report, reporter
from ._run import open_source
from .errors import ConfigError, InputError, OutputError

#: Judged pairs: a file that ``label`` or :func:`label_queue` wrote, or ids with a verdict.
Judged = Union[PathLike, Iterable[tuple[Any, Any, bool]]]


def train(
    data: Any,
    out: PathLike,
    *,
    method: str = "svm",
    label: str = "cluster",
    judged: Judged | None = None,
    text: str | None = None,
    id: str | None = None,
    group: str | None = None,
    stats: PathLike | None = None,
    halvings: int = 5,
    config: ConfigLike = None,
    threads: int | None = None,
    force: bool = False,
    progress: bool | Report | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Learns a model from labelled documents and writes it to ``out``, for ``model=…``.

    Args:
        data: what :func:`find` takes.
        out: the file of the model.
        method: ``svm`` or ``andd``.
        label: the column that names a document's cluster; documents of one cluster are near-duplicates.
        judged: judged pairs instead: a file, or ``(a, b, is_duplicate)`` with ids.
        group: the column that names where a document comes from: site, template, sender; guessed
            unless given. What is measured is measured on groups that were not learned from.
        stats: document frequencies that the model brings along, instead of those it is asked on.
        halvings: random halves on which to see what it is worth; 0 for none.
        options: of ``svm``: ``kernel``, ``cost``, ``level``, ``terms``, ``shingles``; of ``andd``:
            ``similarity``, ``kgram``, ``blocks``.

    Returns:
        What it learned from, and under ``unseen`` precision, recall and F1 on documents it had not
        seen: mean, low, high.
    """
    path = _new_file(out, force)
    settings = resolve(config, {"stats": stats, "threads": threads})
    try:
        wanted = json.dumps({**options, "method": method})
    except TypeError as error:
        raise ConfigError(f"an option of training is no plain value: {error}") from None
    source = open_source(data, text, id, settings, _named(label, group)).source
    with _judged_file(judged) as pairs:
        fields = (label, group, pairs)
        report = _lookalike.train(source, settings, wanted, fields, halvings, path, reporter(progress))
    facts: dict[str, Any] = json.loads(report)
    return facts


def tune(
    data: Any,
    out: PathLike,
    *,
    label: str = "cluster",
    judged: Judged | None = None,
    text: str | None = None,
    id: str | None = None,
    group: str | None = None,
    methods: Sequence[str] = (),
    precision: float | None = None,
    halvings: int = 5,
    budget: float = 600.0,
    config: ConfigLike = None,
    threads: int | None = None,
    force: bool = False,
    progress: bool | Report | None = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Finds the best method and threshold for labelled documents; writes a file for ``config=…``.

    Answers that :func:`label_queue` drew choose among a few measures and their thresholds, each weighing as many
    pairs as it stands for. Other judged pairs, and those given with ``methods``, are taken for a random sample.

    Args:
        precision: seek the best recall at this precision, instead of the best F1.
        methods: only these.
        budget: seconds after which no further method is started.

    Returns:
        ``ranking``, best first, with precision, recall and F1 on documents not seen; ``promise``, what
        may be expected of the best; ``notes``. For drawn answers ``measure``, ``threshold``, ``answers`` and
        ``f1_on_these_answers``, which is no promise for other pairs.
    """
    path = _new_file(out, force)
    if precision is not None and not 0.0 <= precision <= 1.0:
        raise ConfigError(f"precision = {precision}: from 0 to 1")
    settings = resolve(config, dict(parameters, threads=threads))
    source = open_source(data, text, id, settings, _named(label, group)).source
    with _judged_file(judged) as pairs:
        report = _lookalike.tune(
            source, settings, (label, group, pairs), list(methods), precision, halvings, budget, path,
            reporter(progress),
        )
    facts: dict[str, Any] = json.loads(report)
    return facts


class Comparison(list[dict[str, Any]]):
    """A row for each method: what it reaches and what it costs. Printed, it is a table."""

    def __init__(self, rows: list[dict[str, Any]], markdown: str) -> None:
        super().__init__(rows)
        self._markdown = markdown

    def to_markdown(self) -> str:
        """The table as Markdown."""
        return self._markdown

    def __repr__(self) -> str:
        return self._markdown

    def __reduce__(self) -> tuple[Any, ...]:
        return (Comparison, (list(self), self._markdown))


def compare(
    data: Any,
    *,
    label: str = "cluster",
    judged: Judged | None = None,
    text: str | None = None,
    id: str | None = None,
    methods: str | Sequence[str] | None = None,
    halvings: int = 5,
    max_documents: int = 3000,
    seed: int = 1,
    ignore_boilerplate: int | None = None,
    threads: int | None = None,
    out: PathLike | None = None,
) -> Comparison:
    """Every method on one labelled collection, in one table.

    Args:
        methods: only these, with parameters as in ``minhash:ngram=3:threshold=0.8``.
        ignore_boilerplate: paragraphs that at least so many otherwise different documents repeat are
            hidden from every method.
        out: a folder for the table, the clusters and a plot.
    """
    settings = resolve(None, {"threads": threads})
    source = open_source(data, text, id, settings, [label]).source
    listed = methods if methods is None or isinstance(methods, str) else ",".join(methods)
    folder = None if out is None else os.fspath(out)
    n_threads = int(json.loads(settings).get("threads", 0))
    with _judged_file(judged) as pairs:
        rows, markdown = _lookalike.compare_methods(
            source, label, pairs, listed, halvings, max_documents, seed, ignore_boilerplate, n_threads, folder
        )
    return Comparison(json.loads(rows), markdown)


class Question(NamedTuple):
    """A pair of documents whose verdict is wanted."""

    #: Its number in the queue.
    number: int
    #: The id of one document.
    a: str
    #: The id of the other.
    b: str
    #: The text of ``a``.
    a_text: str
    #: The text of ``b``.
    b_text: str
    #: How alike they are by the measure that fits the answers so far best.
    score: float


class LabelQueue:
    """Pairs to ask about, drawn evenly over all scores."""

    def __init__(self, queue: _lookalike.Queue) -> None:
        self._queue = queue

    def ask(self) -> Question | None:
        """The next pair; ``None`` when all were asked."""
        asked = self._queue.ask()
        return None if asked is None else Question(*asked)

    def answer(self, question: Question, duplicate: bool) -> None:
        """Takes a verdict; it is on disk when this returns, where a file was named."""
        self._queue.answer(question.number, question.a, question.b, bool(duplicate))

    @property
    def line(self) -> float:
        """The score that separates the answers so far best, by the measure that does so."""
        return self._queue.line()

    def __iter__(self) -> Iterator[Question]:
        while (question := self.ask()) is not None:
            yield question


def label_queue(
    data: Any,
    out: PathLike | None = None,
    *,
    text: str | None = None,
    id: str | None = None,
    config: ConfigLike = None,
    threads: int | None = None,
    progress: bool | Report | None = None,
) -> LabelQueue:
    """Pairs to ask people about, so that their answers tell which measure and threshold fit.

    Args:
        out: the file of judged pairs that answers are appended to, for ``judged=…``; what it holds
            already is not asked again.
    """
    settings = resolve(config, {"threads": threads})
    source = open_source(data, text, id, settings).source
    path = None if out is None else os.fspath(out)
    return LabelQueue(_lookalike.label_queue(source, settings, path, reporter(progress)))


def _named(label: str, group: str | None) -> list[str]:
    return [label] if group is None else [label, group]


def _new_file(path: PathLike, force: bool) -> str:
    name = os.fspath(path)
    if os.path.exists(name) and not force:
        raise OutputError(f"{name} exists; give force=True to replace it")
    return name


@contextlib.contextmanager
def _judged_file(judged: Judged | None) -> Generator[str | None, None, None]:
    """The file of judged pairs; those given as a list are written to one for the while."""
    if judged is None or isinstance(judged, (str, os.PathLike)):
        yield None if judged is None else os.fspath(judged)
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
        path = os.path.join(folder, "judged")
        with open(path, "w", encoding="utf-8") as file:
            for pair in judged:
                try:
                    a, b, duplicate = pair
                except (TypeError, ValueError):
                    raise InputError("a judged pair is (a, b, is_duplicate)") from None
                row = {"a": _id(a), "b": _id(b), "duplicate": bool(duplicate)}
                file.write(json.dumps(row) + "\n")
        yield path


def _id(value: Any) -> str | int:
    return value if isinstance(value, (str, int)) else str(value)
