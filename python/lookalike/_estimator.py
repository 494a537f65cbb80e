"""The habits of scikit-learn, without needing it."""

from __future__ import annotations

from typing import Any

from ._run import find


class NearDuplicates:
    """Near-duplicates as cluster labels, for pipelines and grid searches.

    >>> from lookalike import NearDuplicates
    >>> texts = ["one two three four", "five six seven", "one two three four"]
    >>> NearDuplicates(parameters={"ngram": 1}).fit_predict(texts)
    [0, 1, 0]
    """

    def __init__(
        self,
        *,
        method: str = "minhash",
        threshold: float | None = None,
        keep: str | None = None,
        cluster: str = "star",
        threads: int | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self.method = method
        self.threshold = threshold
        self.keep = keep
        self.cluster = cluster
        self.threads = threads
        self.parameters = parameters

    _names = ("method", "threshold", "keep", "cluster", "threads", "parameters")

    def fit(self, X: Any, y: Any = None) -> NearDuplicates:
        """Finds the clusters of the texts; ``labels_`` numbers them in order of appearance, and
        ``keepers_`` has the row that is kept for each row."""
        result = find(
            X, method=self.method, threshold=self.threshold, keep=self.keep, cluster=self.cluster,
            threads=self.threads, progress=False, **(self.parameters or {}),
        )
        self.keepers_ = result.labels
        numbers: dict[int, int] = {}
        self.labels_ = [numbers.setdefault(keeper, len(numbers)) for keeper in self.keepers_]
        self.n_features_in_ = 1
        return self

    def fit_predict(self, X: Any, y: Any = None) -> list[int]:
        """The number of each text's cluster; a text without a copy has a number of its own."""
        return self.fit(X).labels_

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._names}

    def set_params(self, **params: Any) -> NearDuplicates:
        """Sets parameters by name."""
        for name, value in params.items():
            if name not in self._names:
                raise ValueError(f"NearDuplicates has no parameter {name}; it has {', '.join(self._names)}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """What kind of estimator this is; only scikit-learn asks, so that it is there."""
        from sklearn.utils import InputTags, Tags, TargetTags  # type: ignore[import-untyped,unused-ignore]

        return Tags(
            estimator_type="clusterer",
            target_tags=TargetTags(required=False),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"NearDuplicates({shown})"
