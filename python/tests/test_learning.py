"""Training, tuning, comparing, and asking for labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lookalike as la

from conftest import edited, story


@pytest.fixture(scope="module")
def labelled() -> list[dict[str, Any]]:
    """Thirty clusters of three."""
    return [
        {"id": f"{cluster}-{copy}", "cluster": f"k{cluster}", "text": text}
        for cluster in range(30)
        for copy, text in enumerate(
            [story(cluster, 80), edited(story(cluster, 80), cluster, 4), edited(story(cluster, 80), 99 + cluster, 8)]
        )
    ]


def judged_by_clusters(labelled: list[dict[str, Any]]) -> list[tuple[str, str, bool]]:
    same = [(labelled[n]["id"], labelled[n + 1]["id"], True) for n in range(0, 88, 3)]
    other = [(labelled[n]["id"], labelled[n + 4]["id"], False) for n in range(0, 85, 3)]
    return same + other


# The stories of the test share most of their words.
@pytest.mark.filterwarnings("ignore:.*rest on text that a dozen")
@pytest.mark.parametrize("method", ["svm", "andd"])
def test_a_trained_model_finds_what_it_was_taught(
    method: str, labelled: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "some.model"
    report = la.train(labelled, path, method=method)
    assert report["method"] == method and report["near_duplicates"] > 0
    with pytest.raises(la.OutputError, match="force=True"):
        la.train(labelled, path, method=method)
    again = la.train(labelled, path, method=method, judged=judged_by_clusters(labelled), force=True)
    assert again["near_duplicates"] > 0
    found = la.find(labelled, method=method, model=path, progress=False)
    clusters = {row["id"]: row["cluster"] for row in labelled}
    pairs = [clusters[pair["a"]] == clusters[pair["b"]] for pair in found.pairs]
    assert len(pairs) >= 20 and sum(pairs) / len(pairs) > 0.9


def test_what_cannot_be_learned_from_is_told(labelled: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "model"
    with pytest.raises(la.InputError, match="group"):
        la.train(labelled, path, label="group")
    with pytest.raises(la.ConfigError, match="kernl"):
        la.train(labelled, path, kernl="rbf")
    with pytest.raises(la.ConfigError, match="forest"):
        la.train(labelled, path, method="forest")
    with pytest.raises(la.InputError, match="no document has the id nobody"):
        la.train(labelled, path, judged=[("nobody", "0-1", True)])
    with pytest.raises(la.InputError, match="is_duplicate"):
        la.train(labelled, path, judged=[("0-0", "0-1")])  # type: ignore[list-item]
    assert not path.exists()


def test_tuning_writes_a_configuration_that_a_run_takes(
    labelled: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "best.toml"
    tuned = la.tune(labelled, path, methods=["minhash", "simhash"], halvings=2, progress=False)
    best = tuned["ranking"][0]
    assert 0.0 <= best["f1"]["low"] <= best["f1"]["mean"] <= best["f1"]["high"] <= 1.0
    found = la.find(labelled, config=path, progress=False)
    assert found.summary["method"] in ("minhash", "simhash") and len(found.pairs) > 10
    with pytest.raises(la.ConfigError, match="minhsh"):
        la.tune(labelled, tmp_path / "other.toml", methods=["minhsh"], progress=False)
    with pytest.raises(la.ConfigError, match="precision"):
        la.tune(labelled, tmp_path / "other.toml", precision=7, progress=False)


# The stories of the test share most of their words.
@pytest.mark.filterwarnings("ignore:.*rest on text that a dozen")
def test_a_tuned_model_stands_beside_its_configuration(
    labelled: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "best.toml"
    la.tune(labelled, path, methods=["svm"], halvings=1, progress=False)
    assert (tmp_path / "best.model").exists()
    monkeypatch.chdir("/")
    assert la.find(labelled, config=path, progress=False).summary["method"] == "svm"
    with pytest.raises(la.ConfigError, match="nowhere.toml"):
        la.find(labelled, config="nowhere.toml")


def test_methods_are_compared_in_one_table(labelled: list[dict[str, Any]], tmp_path: Path) -> None:
    compared = la.compare(labelled, methods=["minhash:ngram=2", "spotsigs"], halvings=1, out=tmp_path)
    assert [row["method"].split(":")[0] for row in compared] == ["minhash", "spotsigs"]
    assert "minhash" in compared.to_markdown() and (tmp_path / "table.json").exists()
    judged = la.compare(labelled, methods="minhash", halvings=0, judged=judged_by_clusters(labelled))
    assert len(judged) == 1
    with pytest.raises(la.ConfigError, match="minhsh"):
        la.compare(labelled, methods="minhsh")


def test_questions_are_asked_once_and_answers_are_kept(
    labelled: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "pairs.jsonl"
    clusters = {row["id"]: row["cluster"] for row in labelled}
    queue = la.label_queue(labelled, path, progress=False)
    asked = set()
    for question, _ in zip(queue, range(12)):
        assert question.a_text and question.b_text and 0.0 <= question.score <= 1.0
        asked.add((question.a, question.b))
        queue.answer(question, clusters[question.a] == clusters[question.b])
    assert len(asked) == 12 and 0.0 < queue.line <= 1.0
    assert len(path.read_text().splitlines()) == 12
    assert all(json.loads(line)["draw"]["pairs"] > 0 for line in path.read_text().splitlines())
    chosen = la.tune(labelled, tmp_path / "chosen.toml", judged=path, progress=False)
    assert chosen["answers"] == 12 and 0.0 < chosen["threshold"] < 1.0
    assert la.find(labelled, config=tmp_path / "chosen.toml").clusters
    again = la.label_queue(labelled, path, progress=False)
    assert not asked & {(question.a, question.b) for question, _ in zip(again, range(12))}
