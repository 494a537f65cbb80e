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


def test_a_grid_search_finds_the_threshold_with_the_clusters_one_wants(texts: list[str]) -> None:
    base = pytest.importorskip("sklearn.base")
    selection = pytest.importorskip("sklearn.model_selection")
    pipeline = pytest.importorskip("sklearn.pipeline")
    labels = la.NearDuplicates(threshold=0.6).fit_predict(texts)
    assert len(set(labels)) < len(texts)

    def most_clusters(estimator: la.NearDuplicates, X: list[str], y: object = None) -> int:
        return len(set(estimator.fit_predict(X)))

    everything = list(range(len(texts)))
    search = selection.GridSearchCV(
        la.NearDuplicates(), {"threshold": [0.6, 0.99]}, scoring=most_clusters, cv=[(everything, everything)]
    )
    assert search.fit(texts).best_params_ == {"threshold": 0.99}
    assert base.is_clusterer(la.NearDuplicates())
    chain = pipeline.make_pipeline(la.NearDuplicates(threshold=0.6))
    assert chain.fit_predict(texts) == labels and "NearDuplicates" in chain._repr_html_()
