"""The habits of scikit-learn."""

from __future__ import annotations

import pytest

import lookalike as la


def test_labels_are_those_of_the_clusters(texts: list[str]) -> None:
    estimator = la.NearDuplicates(threshold=0.6, parameters={"ngram": 2})
    labels = estimator.fit_predict(texts)
    assert len(labels) == len(texts) and labels == estimator.fit(texts).labels_
    found = la.find(texts, threshold=0.6, ngram=2, progress=False)
    for pair in found.pairs:
        assert labels[pair["a"]] == labels[pair["b"]]
    assert len(set(labels)) == found.summary["kept"]


def test_parameters_can_be_read_set_and_cloned() -> None:
    estimator = la.NearDuplicates(method="simhash", threshold=0.9)
    assert estimator.get_params()["method"] == "simhash"
    assert estimator.set_params(threshold=0.8).threshold == 0.8
    with pytest.raises(ValueError, match="no parameter"):
        estimator.set_params(color=1)
    sklearn = pytest.importorskip("sklearn.base")
    twin = sklearn.clone(estimator)
    assert twin.get_params() == estimator.get_params() and twin is not estimator
