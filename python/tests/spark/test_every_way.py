"""The same documents in, the same pairs and scores out, for every method and every way of running it: a file on the
command line, documents in memory, `--against`, `explain`, a durable index, HTTP, Python and Spark."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

import lookalike as la
from lookalike import spark as on_spark

from cluster import rounded, spark  # noqa: F401  (a fixture)
from conftest import article, edited

PROGRAM = os.environ.get("LOOKALIKE_BIN") or shutil.which("lookalike")

#: What learned methods are trained by.
TRAINED: dict[str, dict[str, Any]] = {
    "andd": {"method": "andd"},
    "andd-cosine": {"method": "andd"},
    "andd-jaccard": {"method": "andd", "similarity": "extended-jaccard"},
    "svm": {"method": "svm"},
}

#: Pairs of ids, the smaller one first, with scores as files have them.
Pairs = list[tuple[str, str, float]]


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    """Paragraphs with near copies, copies and parts of others, and a row that holds too little."""
    made: list[dict[str, Any]] = []
    for number in range(30):
        paragraphs = [article(1000 * number + part, 70) for part in range(3)]
        changed = [edited(paragraph, number, 1 + number % 4) for paragraph in paragraphs]
        versions = {"": paragraphs, "-near": changed, "-part": paragraphs[:2]}
        if number % 5 == 0:
            versions["-copy"] = paragraphs
        made += [
            {"id": f"d{number:02}{suffix}", "cluster": number, "text": "\n\n".join(version)}
            for suffix, version in versions.items()
        ]
    made.append({"id": "short", "cluster": 999, "text": "too short"})
    return random.Random(1).sample(made, len(made))


def ordered(pairs: Any) -> Pairs:
    return sorted((min(a, b), max(a, b), rounded(score)) for a, b, score in pairs)


def matches(answers: list[dict[str, Any]]) -> Pairs:
    """The matches in rows of answers."""
    return ordered((row["id"], m["id"], m["score"]) for row in answers for m in row["matches"])


def once(pairs: Pairs) -> Pairs:
    """Where each of two documents told of the other, and alike; and of itself, whose id is there."""
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    assert pairs[::2] == pairs[1::2]
    return pairs[::2]


class Program:
    """The command line, with one method."""

    def __init__(self, folder: Path, method: str) -> None:
        self.folder, self.flags = folder, ["--method", method]

    def run(self, *arguments: Any) -> str:
        assert PROGRAM is not None
        command = [PROGRAM, *(str(argument) for argument in arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def pairs(self, name: str, *arguments: Any) -> Pairs:
        """What a command that writes result files finds."""
        self.run(*arguments, "--pairs", "all", "--out", self.folder / name, "--quiet")
        rows = [json.loads(line) for line in (self.folder / name / "pairs.jsonl").read_text().splitlines()]
        return ordered((row["a"], row["b"], row["score"]) for row in rows)

    @contextmanager
    def service(self, index: Path) -> Iterator[str]:
        assert PROGRAM is not None
        command = [PROGRAM, "serve", "--index", str(index), "--listen", "127.0.0.1:0", "--quiet"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                yield process.stdout.readline().split()[2]
            finally:
                process.terminate()
        assert process.returncode == 0


def asked(address: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def over_http(address: str, documents: list[dict[str, Any]]) -> tuple[Pairs, Pairs]:
    """The pairs that are listed, and those that a check tells of."""
    listed, cursor = [], ""
    while cursor is not None:
        page = asked(f"{address}/v1/pairs?limit=200&wait=60{cursor}")
        listed += [(row["a"], row["b"], row["score"]) for row in page["pairs"]]
        cursor = f"&cursor={page['next']}" if page["next"] else None
    return ordered(listed), once(matches(asked(f"{address}/v1/check", documents)))


@pytest.mark.parametrize("method", la.methods())
def test_every_way_gives_the_same_pairs(
    spark: Any, documents: list[dict[str, Any]], tmp_path: Path, method: str  # noqa: F811
) -> None:
    if PROGRAM is None or not Path(PROGRAM).exists():
        pytest.skip("no program `lookalike` to compare with; name it in LOOKALIKE_BIN")
    program = Program(tmp_path, method)
    options: dict[str, Any] = {"method": method}
    file = tmp_path / "documents.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in documents), encoding="utf-8")
    if method in TRAINED:
        la.train(documents, tmp_path / "model", **TRAINED[method])
        options["model"] = tmp_path / "model"
        program.flags += ["--model", tmp_path / "model"]
    # What is counted is handed on, since a part of the documents has other frequencies.
    found = ["find", file, *program.flags, "--keep", "id", "--write-artifacts", tmp_path / "kept"]
    expected = program.pairs("file", *found)
    assert len(expected) >= 6, "copies at least"
    counted = tmp_path / "kept" / "statistics.stats"
    if counted.exists():
        options["stats"] = counted
        program.flags += ["--stats", counted]

    in_memory = la.find(documents, keep="id", pairs="all", progress=False, **options)
    assert ordered((p["a"], p["b"], p["score"]) for p in in_memory.pairs) == expected, "memory"

    frame = spark.createDataFrame([(row["id"], row["text"]) for row in documents], "id string, text string")
    on_cluster = on_spark.find(frame.repartition(3), work=tmp_path / "work", keep="id", pairs="all", **options)
    assert ordered((p["a"], p["b"], p["score"]) for p in on_cluster.pairs.collect()) == expected, "Spark"

    new = {row["id"] for row in documents if "-" in row["id"]}
    for name, is_new in ("new", True), ("known", False):
        rows = [row for row in documents if (row["id"] in new) == is_new]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    across = [pair for pair in expected if (pair[0] in new) != (pair[1] in new)]
    against = ["find", tmp_path / "new.jsonl", "--against", tmp_path / "known.jsonl", *program.flags]
    assert program.pairs("against", *against) == across, "--against"

    index = tmp_path / "index"
    program.run("index", "create", index, *program.flags, "--keep", "id", "--pairs", "all")
    added = program.run("index", "add", index, file, "--batch", 7, "--format", "json").splitlines()
    assert matches([json.loads(line) for line in added]) == expected, "index add"
    assert program.pairs("indexed", "index", "find", index) == expected, "index find"
    checked = program.run("index", "check", index, file, "--format", "json").splitlines()
    assert once(matches([json.loads(line) for line in checked])) == expected, "index check"
    with la.Index.open(index) as opened:
        answers = opened.check(documents, progress=False)
    assert once(ordered((a.id, m.id, m.score) for a in answers for m in a.matches)) == expected, "Index.check"
    with program.service(index) as address:
        assert over_http(address, documents) == (expected, expected), "HTTP"

    scores = {pair[:2]: pair[2] for pair in expected}
    others = [("d00", "d01"), ("d02-near", "d03"), ("d04", "short")]
    for a, b in [pair[:2] for pair in expected[:: max(1, len(expected) // 4)]] + others:
        told = json.loads(program.run("explain", a, b, "--in", file, *program.flags, "--format", "json"))
        assert told["duplicate"] == ((a, b) in scores), f"explain {a} {b}"
        assert not told["duplicate"] or rounded(told["score"]) == scores[a, b], f"explain {a} {b}"
