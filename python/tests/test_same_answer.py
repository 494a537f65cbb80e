"""Every way of running it gives the same pairs, scores and clusters as the command line."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import lookalike as la

from conftest import article, edited

PROGRAM = os.environ.get("LOOKALIKE_BIN") or shutil.which("lookalike")

#: What a method needs that a default cannot give.
LEARNED: dict[str, dict[str, Any]] = {
    "andd": {"method": "andd"},
    "andd-cosine": {"method": "andd"},
    "andd-jaccard": {"method": "andd", "similarity": "extended-jaccard"},
    "svm": {"method": "svm"},
}


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    """Paragraphs, so that every method has something to say, with near copies and parts of others."""
    made = []
    for number in range(60):
        paragraphs = [article(1000 * number + part, 70) for part in range(3)]
        made.append({"id": f"d{number}", "cluster": number, "text": "\n\n".join(paragraphs)})
        if number % 2 == 0:
            changed = [edited(paragraph, number, 1 + number % 4) for paragraph in paragraphs]
            made.append({"id": f"d{number}-near", "cluster": number, "text": "\n\n".join(changed)})
        if number % 5 == 0:
            made.append({"id": f"d{number}-copy", "cluster": number, "text": "\n\n".join(paragraphs)})
        if number % 7 == 0:
            made.append({"id": f"d{number}-part", "cluster": number, "text": "\n\n".join(paragraphs[:2])})
    made.append({"id": "short", "cluster": 999, "text": "too short"})
    return made


def _rounded(score: float) -> float:
    """As scores stand in files: half a millionth away from zero, which Python's ``round`` is not."""
    return math.floor(score * 1e6 + 0.5) / 1e6


@pytest.mark.parametrize("method", la.methods())
def test_as_the_command_line(method: str, documents: list[dict[str, Any]], tmp_path: Path) -> None:
    if PROGRAM is None or not Path(PROGRAM).exists():
        pytest.skip("no program `lookalike` to compare with; name it in LOOKALIKE_BIN")
    options: dict[str, Any] = {"method": method, "keep": "longest then id"}
    if method in LEARNED:
        la.train(documents, tmp_path / "model", **LEARNED[method])
        options["model"] = tmp_path / "model"
    file = tmp_path / "documents.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in documents), encoding="utf-8")
    flags = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    for pairs in ("clusters", "all"):
        out = tmp_path / pairs
        subprocess.run(
            [PROGRAM, "find", str(file), "--out", str(out), "--pairs", pairs, "--quiet", *flags], check=True
        )
        written = [json.loads(line) for line in (out / "pairs.jsonl").read_text().splitlines()]
        expected = sorted((pair["a"], pair["b"], pair["score"]) for pair in written)
        for data in (documents, file):
            found = la.find(data, pairs=pairs, progress=False, **options)
            assert sorted((p["a"], p["b"], _rounded(p["score"])) for p in found.pairs) == expected
            summary = json.loads((out / "summary.json").read_text())
            for key in ("documents", "clusters", "removed", "too_short", "candidate_pairs", "skipped_comparisons"):
                assert found.summary[key] == summary[key], key
        assert expected, "documents in which the method finds nothing test nothing"
    as_an_index(documents, tmp_path, options, expected)


def as_an_index(
    documents: list[dict[str, Any]], folder: Path, options: dict[str, Any], expected: list[tuple[Any, ...]]
) -> None:
    """An index that the documents came into one batch after the other, asked by Python and by the program."""
    assert PROGRAM is not None
    with la.Index.create(folder / "index", stats_from=documents, **options) as index:
        for start in range(0, len(documents), 50):
            index.add(documents[start : start + 50], batch=7)
        found = index.find(pairs="all", progress=False)
    assert sorted((p["a"], p["b"], _rounded(p["score"])) for p in found.pairs) == expected
    command = [PROGRAM, "index", "find", str(folder / "index"), "--out", str(folder / "by-program")]
    subprocess.run([*command, "--pairs", "all", "--quiet"], check=True)
    written = [json.loads(line) for line in (folder / "by-program" / "pairs.jsonl").read_text().splitlines()]
    assert sorted((pair["a"], pair["b"], pair["score"]) for pair in written) == expected
