"""Near-duplicate documents: find them, say why, decide which copy to keep.

>>> import lookalike as la
>>> texts = ["the ferry to the island sails at six every morning",
...          "the bakery on the corner sells bread from seven",
...          "the ferry to the island sails at six every single morning"]
>>> la.dedup(texts, ngram=1, threshold=0.7).kept
['the ferry to the island sails at six every morning', 'the bakery on the corner sells bread from seven']
>>> la.explain(texts[0], texts[2], ngram=1, threshold=0.7).duplicate
True
"""

from __future__ import annotations

from ._explain import Explanation, explain
from ._estimator import NearDuplicates
from ._index import Answer, Index, Match
from ._learn import Comparison, LabelQueue, Question, compare, label_queue, train, tune
from ._lookalike import __version__, methods
from ._method import Method, Prepared, Verdict
from ._result import DedupResult, FindResult
from ._run import against, dedup, find, statistics
from ._table import Table
from .errors import (
    ArtifactError,
    ConfigError,
    IndexClosedError,
    InputError,
    LookalikeError,
    LookalikeWarning,
    OutputError,
    StoreError,
)

__all__ = [
    "Answer",
    "ArtifactError",
    "Comparison",
    "ConfigError",
    "DedupResult",
    "Explanation",
    "FindResult",
    "Index",
    "IndexClosedError",
    "InputError",
    "LabelQueue",
    "LookalikeError",
    "LookalikeWarning",
    "Match",
    "Method",
    "NearDuplicates",
    "OutputError",
    "Prepared",
    "Question",
    "StoreError",
    "Table",
    "Verdict",
    "__version__",
    "against",
    "compare",
    "dedup",
    "explain",
    "find",
    "label_queue",
    "methods",
    "statistics",
    "train",
    "tune",
]
