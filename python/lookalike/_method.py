"""One method with its parameters: prepare a document, judge a pair."""

from __future__ import annotations

from typing import Any, NamedTuple, Union

from . import _lookalike
from ._config import ConfigLike, PathLike, resolve
from ._explain import Explanation


class Verdict(NamedTuple):
    """What a method says of two documents."""

    #: Whether they are near-duplicates.
    duplicate: bool
    #: The score on which that rests.
    score: float


class Prepared:
    """What a method needs to know of a document; small, comparable, with stable bytes."""

    __slots__ = ("_prepared",)

    def __init__(self, prepared: _lookalike.Prepared) -> None:
        self._prepared = prepared

    @property
    def keys(self) -> list[int]:
        """The buckets of the document: two documents that share none are no candidates."""
        return self._prepared.keys()

    @property
    def identity(self) -> int:
        """A digest of the text; equal for copies."""
        return self._prepared.identity()

    def to_bytes(self) -> bytes:
        """Bytes that every version of this format reads; :meth:`Method.load` takes them."""
        return self._prepared.to_bytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Prepared) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickled, (self.to_bytes(),))


def _unpickled(data: bytes) -> Prepared:
    return Prepared(_lookalike.Prepared.from_bytes(data))


Document = Union[str, Prepared]


class Method:
    """A method with its parameters and artefacts, made once and used for any number of documents.

    >>> import lookalike as la
    >>> method = la.Method("minhash", ngram=1, threshold=0.5)
    >>> a, b = method.prepare("one two three four"), method.prepare("one two three five")
    >>> method.judge(a, b)
    Verdict(duplicate=True, score=0.6)
    >>> method.load(a.to_bytes()) == a
    True
    """

    def __init__(
        self,
        method: str | None = None,
        *,
        threshold: float | None = None,
        stats: PathLike | None = None,
        model: PathLike | None = None,
        config: ConfigLike = None,
        **parameters: Any,
    ) -> None:
        settings = resolve(config, dict(
            parameters, method=method, threshold=threshold, stats=stats, model=model,
        ))
        self._method = _lookalike.Method(settings)

    @property
    def name(self) -> str:
        """The method's name."""
        return self._method.name()

    @property
    def fingerprint(self) -> str:
        """128 bits over configuration and artefacts: what was prepared under another is refused."""
        return self._method.fingerprint()

    def prepare(self, text: str, *, title: str | None = None, url: str | None = None) -> Prepared | None:
        """A document ready to be judged; ``None`` where there is too little of it."""
        prepared = self._method.prepare(text, title, url)
        return None if prepared is None else Prepared(prepared)

    def load(self, data: bytes) -> Prepared:
        """What :meth:`Prepared.to_bytes` gave."""
        return Prepared(self._method.load(data))

    def judge(self, left: Document, right: Document) -> Verdict:
        """The verdict, the same as a run over both documents would give."""
        pair = self._pair(left, right)
        return Verdict(False, 0.0) if pair is None else Verdict(*self._method.judge(*pair))

    def score(self, left: Document, right: Document) -> float | None:
        """The score of any two documents, whether they would be compared or not; ``None`` where one
        of them is too short."""
        pair = self._pair(left, right)
        return None if pair is None else self._method.score(*pair)

    def explain(self, left: str, right: str) -> Explanation:
        """Why two texts match, or do not."""
        return Explanation(self._method.explain(left, right))

    def _pair(
        self, left: Document, right: Document
    ) -> tuple[_lookalike.Prepared, _lookalike.Prepared] | None:
        sides = [self.prepare(side) if isinstance(side, str) else side for side in (left, right)]
        if sides[0] is None or sides[1] is None:
            return None
        return sides[0]._prepared, sides[1]._prepared

    def __getstate__(self) -> Any:
        return self._method.state()

    def __setstate__(self, state: Any) -> None:
        self._method = _lookalike.Method.from_state(state)

    def __repr__(self) -> str:
        return f"<lookalike.Method {self.name} {self.fingerprint}>"
