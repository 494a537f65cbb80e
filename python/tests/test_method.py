"""Prepare and judge, by themselves and as a run does."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la

FIXED = [name for name in la.methods() if not name.startswith("andd") and name != "svm"]


@pytest.fixture(scope="module")
def stats(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> Path:
    path = tmp_path_factory.mktemp("stats") / "texts.stats"
    la.statistics(texts, path, progress=False)
    return path


def options(name: str, stats: Path) -> dict[str, Any]:
    return {"method": name, **({"stats": stats} if name in ("imatch", "simhash") else {})}


# Most of the texts have no spots, which is what some methods warn of.
@pytest.mark.filterwarnings("ignore:.*could not be compared")
@pytest.mark.parametrize("name", FIXED)
def test_single_documents_get_the_verdicts_of_a_run(
    name: str, stats: Path, texts: list[str], tmp_path: Path
) -> None:
    try:
        method = la.Method(**options(name, stats))
        found = la.find(texts, **options(name, stats), pairs="all", progress=False, threads=1)
    except la.ConfigError as error:
        assert "stats" in str(error)
        # Each method counts its own words.
        stats = tmp_path / "own.stats"
        la.statistics(texts, stats, method=name, progress=False)
        method = la.Method(name, stats=stats)
        found = la.find(texts, method=name, stats=stats, pairs="all", progress=False, threads=1)
    prepared = [method.prepare(text) for text in texts]
    # A run knows equal texts as copies before the method may call them too short.
    pairs = {
        (pair["a"], pair["b"]): pair["score"]
        for pair in found.pairs
        if prepared[pair["a"]] is not None and prepared[pair["b"]] is not None
    }
    judged = {}
    for right in range(len(texts)):
        for left in range(right):
            a, b = prepared[left], prepared[right]
            if a is not None and b is not None and (verdict := method.judge(a, b)).duplicate:
                judged[(left, right)] = verdict.score
    assert judged == pairs


def test_what_is_prepared_survives_as_bytes_and_is_refused_by_others() -> None:
    method = la.Method("minhash", ngram=1)
    prepared = method.prepare("one two three four")
    assert prepared is not None
    assert method.load(prepared.to_bytes()) == prepared
    assert hash(method.load(prepared.to_bytes())) == hash(prepared)
    with pytest.raises(la.ArtifactError):
        la.Method("minhash", ngram=2).load(prepared.to_bytes())
    with pytest.raises(la.ArtifactError):
        method.load(prepared.to_bytes()[:-1])


def test_methods_and_results_travel(stats: Path, texts: list[str]) -> None:
    method = la.Method("imatch", stats=stats)
    for twin in (pickle.loads(pickle.dumps(method)), copy.deepcopy(method)):
        assert twin.fingerprint == method.fingerprint
        assert twin.judge(texts[0], texts[0]) == method.judge(texts[0], texts[0])
    found = la.find(texts, ngram=2, threshold=0.6, progress=False)
    assert pickle.loads(pickle.dumps(found.pairs)) == found.pairs


def test_too_little_is_nobodys_copy() -> None:
    method = la.Method("minhash")
    assert method.prepare("") is None
    assert method.judge("", "") == la.Verdict(False, 0.0)
    assert method.score("", "one two three") is None


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_are_judged_alike_from_both_sides(left: str, right: str) -> None:
    method = la.Method("minhash", ngram=1, threshold=0.5)
    assert method.judge(left, right) == method.judge(right, left)
    score = method.score(left, right)
    assert score is None or 0.0 <= score <= 1.0
    copy_of_left = method.judge(left, left)
    assert copy_of_left.duplicate == (method.prepare(left) is not None)


def test_an_explanation_says_what_differs_and_runs_no_script() -> None:
    explanation = la.explain(
        "one two three <script>alert(1)</script>", "one two three four", ngram=1, threshold=0.3
    )
    assert explanation.duplicate and "four" in explanation.only_right
    assert ("+", "four") in [(tag, words.strip()) for tag, words in explanation.difference]
    for page in (explanation.to_html(), explanation._repr_html_()):
        assert "<script>" not in page


def test_what_another_method_prepared_is_not_judged() -> None:
    one, other = la.Method("minhash", ngram=1), la.Method("minhash", ngram=2)
    prepared = other.prepare("one two three four")
    assert prepared is not None
    with pytest.raises(la.ArtifactError):
        one.judge("one two three four", prepared)
    with pytest.raises(la.ArtifactError):
        one.score(prepared, prepared)
