"""Why two documents match, or do not."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from . import _lookalike
from ._config import ConfigLike, resolve


class Explanation:
    """A verdict with everything it rests on; notebooks show it as a page."""

    def __init__(self, data: _lookalike.Explained) -> None:
        self._data = data

    @cached_property
    def _facts(self) -> dict[str, Any]:
        return self._data.facts()

    @property
    def duplicate(self) -> bool:
        """Whether a run would call the two near-duplicates."""
        return bool(self._facts["duplicate"])

    @property
    def score(self) -> float:
        """The exact score."""
        return float(self._facts["score"])

    @property
    def shared_keys(self) -> int:
        """Bucket keys in common: without one a run does not compare the two."""
        return int(self._facts["shared_keys"])

    @property
    def shared(self) -> list[str]:
        """Features that both have, heaviest first."""
        return list(self._facts["shared"])

    @property
    def only_left(self) -> list[str]:
        """Features of the left document alone."""
        return list(self._facts["only_left"])

    @property
    def only_right(self) -> list[str]:
        """Features of the right document alone."""
        return list(self._facts["only_right"])

    @property
    def matches(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Matching paragraphs as first byte and end in both texts, for methods that know of them."""
        return [(tuple(left), tuple(right)) for left, right in self._facts["matches"]]

    @property
    def difference(self) -> list[tuple[str, str]]:
        """The words of both texts in order, each part with ``=``, ``-`` (left only) or ``+``."""
        return [(tag, words) for tag, words in self._facts["difference"]]

    def to_html(self) -> str:
        """One page that needs nothing else; whatever stands in the texts is shown as text."""
        return self._data.page()

    def _repr_html_(self) -> str:
        import html

        # A frame of its own, so that neither the page nor the notebook styles the other.
        page = html.escape(self._data.page(), quote=True)
        return f"<iframe srcdoc=\"{page}\" sandbox style=\"width:100%;height:32em;border:0\"></iframe>"

    def __repr__(self) -> str:
        verdict = "duplicates" if self.duplicate else "not duplicates"
        return f"<lookalike.Explanation: {verdict}, score {self._facts['shown_score']}>"


def explain(
    left: str,
    right: str,
    *,
    method: str | None = None,
    threshold: float | None = None,
    config: ConfigLike = None,
    **parameters: Any,
) -> Explanation:
    """Why two texts match, or do not, under a method.

    >>> import lookalike as la
    >>> explanation = la.explain("one two three four", "one two three five", ngram=1, threshold=0.5)
    >>> explanation
    <lookalike.Explanation: duplicates, score 0.600>
    >>> explanation.only_right
    ['five']
    """
    settings = resolve(config, dict(parameters, method=method, threshold=threshold))
    return Explanation(_lookalike.Method(settings).explain(left, right))
