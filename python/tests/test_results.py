"""Results, prepared documents and indexes as Python objects."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import lookalike as la


def test_results_are_pickled_whole(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    for result in (la.find(rows, ngram=2, progress=False), la.dedup(rows, ngram=2, progress=False)):
        again = pickle.loads(pickle.dumps(result))
        assert again.summary == result.summary and again.labels == result.labels
        assert again.clusters == result.clusters and again.pairs == result.pairs
        assert repr(again) == repr(result) and len(again.unreadable) == 0
        if isinstance(result, la.DedupResult):
            assert again.kept == result.kept and again.removed == result.removed
            assert again.evidence == result.evidence
        with pytest.raises(la.OutputError, match="pickled"):
            again.write(tmp_path / "out")
        # A copy of a copy is one, too.
        assert pickle.loads(pickle.dumps(again)).pairs == result.pairs


def test_prepared_documents_are_pickled(texts: list[str]) -> None:
    method = la.Method("minhash", ngram=2)
    prepared = method.prepare(texts[0])
    assert prepared is not None
    again = pickle.loads(pickle.dumps(prepared))
    assert again == prepared and method.judge(again, prepared).duplicate
    with pytest.raises(la.LookalikeError, match="fingerprint"):
        la.Method("minhash", ngram=3).judge(again, texts[0])


def test_documents_of_an_index_are_looked_up_by_id(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    with la.Index.create(tmp_path / "index", ngram=2) as index:
        assert len(index) == 0 and bool(index) and index.get("a") is None
        index.add(rows)
        assert len(index) == len(rows)
        name = rows[3]["id"]
        assert name in index and "nobody" not in index and 0.5 not in index
        assert index.get(name) == next(row for row in index.documents() if row["id"] == name)
        assert index.get("nobody", default=7) == 7
        index.remove([name])
        assert name not in index and len(index) == len(rows) - 1
    with la.Index.create(tmp_path / "keys", ngram=2, store="signatures", method="simhash") as index:
        index.add([{"id": 7, "text": "the ferry sails at six", "date": "2026"}])
        assert index.get(7) == {"id": "7"} and 7 in index


def test_a_single_text_is_one_short_error(tmp_path: Path, texts: list[str]) -> None:
    text = "\n".join(texts)
    with la.Index.create(tmp_path / "index", ngram=2) as index:
        for take in (la.dedup, la.find, index.check):
            for given in (text, texts[0], "what? no!" * 200):
                with pytest.raises(la.InputError, match="as a list of one") as raised:
                    take(given)
                assert len(str(raised.value)) < 160


def test_messages_name_arguments(tmp_path: Path) -> None:
    twice = [{"id": "x", "text": "one"}, {"id": "x", "text": "two"}]
    with pytest.raises(la.InputError, match="name another field with id=…, or number the rows with id=\"row\""):
        la.find(twice)
    assert la.find(twice, id="row", progress=False).summary["documents"] == 2
    with pytest.raises(la.ConfigError, match="name its file with model=…"):
        la.find(twice, id="row", method="andd", progress=False)


def test_a_notebook_shows_counts_the_largest_clusters_and_the_ends_of_the_scores() -> None:
    text = "the island council has decided to keep the ferry at six through the long winter"
    rows = [{"id": f"<b>{n}</b>", "text": text} for n in range(3)]
    rows += [{"id": "near", "text": text.replace("long", "cold")}, {"id": "far", "text": "nothing of this kind at all is here"}]
    result = la.dedup(rows, ngram=2, threshold=0.5, progress=False)
    shown = result._repr_html_()
    assert "<b>" not in shown and "&lt;b&gt;0&lt;/b&gt;" in shown
    assert "<td>documents</td><td>5</td>" in shown and "<td>4</td>" in shown
    assert "best pair" in shown and "1.000" in shown and "worst pair" in shown
    assert "pair" not in la.find(["one text alone is no pair of texts"], progress=False)._repr_html_().partition("unreadable")[2]
