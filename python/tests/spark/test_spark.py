"""The same answer from a real cluster of two workers, whatever happens to it."""

from __future__ import annotations

import doctest
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

import lookalike as la
from lookalike import _lookalike, _spark_packing
from lookalike import spark as on_spark
from lookalike import spark_command

from cluster import lines, spark  # noqa: F401  (a fixture)
from conftest import article, edited

OPTIONS: dict[str, Any] = {"keep": "longest then id"}

#: What the command hands to Spark.
LOCAL = [
    "--", "--master", "local[1]", "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.codegen.wholeStage=false",
    "--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
]


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    """Paragraphs with near copies, copies, and rows that hold too little."""
    made: list[dict[str, Any]] = []
    for number in range(150):
        paragraphs = [article(1000 * number + part, 60) for part in range(2)]
        made.append({"id": f"d{number:03}", "text": "\n\n".join(paragraphs), "rank": number % 5})
        for copy in range(number % 4):
            changed = [edited(paragraph, 7 * number + copy, copy) for paragraph in paragraphs]
            made.append({"id": f"d{number:03}-{copy}", "text": "\n\n".join(changed), "rank": copy})
    made.append({"id": "short", "text": "too short", "rank": 0})
    return made


@pytest.fixture(scope="module")
def parquet(spark: Any, documents: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("input") / "documents")
    spark.createDataFrame(documents, "id string, text string, rank int").repartition(3).write.parquet(path)
    return path


def pairs_of(found: Any) -> list[tuple[Any, ...]]:
    rows = found.pairs.collect() if hasattr(found.pairs, "collect") else found.pairs
    return sorted((r["a"], r["b"], r["score"]) for r in rows)


COUNTS = ("documents", "too_short", "clusters", "removed", "candidate_pairs", "confirmed_pairs", "skipped_comparisons")


@pytest.mark.parametrize(
    ("method", "partitions"),
    [("minhash", 1), ("minhash", 17), ("imatch", 4), ("simhash", 4), ("paragraph", 4)],
)
def test_the_answer_is_that_of_one_machine(
    spark: Any, documents: list[dict[str, Any]], tmp_path: Path, method: str, partitions: int
) -> None:
    if method == "imatch":
        # Equal texts of which no term is kept are copies on one machine only.
        documents = list({document["text"]: document for document in documents}.values())
    shuffled = random.Random(partitions).sample(documents, len(documents))
    frame = spark.createDataFrame(shuffled, "id string, text string, rank int").repartition(partitions)
    options = {**OPTIONS, "method": method, "pairs": "all"}
    expected = la.find(documents, progress=False, **options)
    assert len(expected.pairs) > 50
    found = on_spark.find(frame, work=tmp_path / "work", partitions=partitions, **options)
    expected.write(tmp_path / "one")
    written = [(tmp_path / "one" / f"{name}.jsonl").read_text().splitlines() for name in ("clusters", "pairs")]
    assert lines(found) == (sorted(written[0]), sorted(written[1]))
    assert {key: found.summary[key] for key in COUNTS} == {key: expected.summary[key] for key in COUNTS}


def test_a_stage_that_is_finished_is_not_run_again(spark: Any, parquet: str, tmp_path: Path) -> None:
    first = on_spark.find(spark.read.parquet(parquet), work=tmp_path, **OPTIONS)
    assert first.reused == []
    again = on_spark.find(spark.read.parquet(parquet), work=tmp_path, **OPTIONS)
    assert again.reused == ["prepared", "edges", "components", "found"]
    assert pairs_of(again) == pairs_of(first) and again.summary == first.summary
    with pytest.raises(la.OutputError, match="another configuration"):
        on_spark.find(spark.read.parquet(parquet), work=tmp_path, threshold=0.9, **OPTIONS)
    with pytest.raises(la.OutputError, match="another input"):
        frame = spark.read.parquet(parquet + "/part-00000*")
        on_spark.find(frame, work=tmp_path, **OPTIONS)


def test_an_executor_that_dies_changes_nothing(
    spark: Any, documents: list[dict[str, Any]], tmp_path: Path
) -> None:
    marker = tmp_path / "died"
    frame = spark.createDataFrame(documents, "id string, text string, rank int").repartition(4)

    def once(batches: Any) -> Any:
        import psutil

        for batch in batches:
            try:
                marker.touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                executors = [p for p in psutil.Process().parents() if "java" in p.name()]
                executors[0].kill()
            yield batch

    dying = frame.mapInArrow(once, frame.schema)
    found = on_spark.find(dying, work=tmp_path / "work", **OPTIONS)
    assert marker.exists()
    assert pairs_of(found) == pairs_of(la.find(documents, progress=False, **OPTIONS))


def test_components_in_rounds_are_those_of_the_driver(spark: Any, tmp_path: Path) -> None:
    chance = random.Random(3)
    chain = [(node, node + 1) for node in range(-40, 40)]
    others = [(chance.randrange(10_000, 10_400), chance.randrange(10_000, 10_400)) for _ in range(300)]
    edges = [(a, b) for a, b in [*chain, *others] if a != b]
    chance.shuffle(edges)
    frame = spark.createDataFrame(edges, "node bigint, first bigint")
    expected = {(r["node"], r["component"]) for r in _lookalike.components(frame.toArrow()).to_pylist()}
    for made in (on_spark.stars(frame, work=tmp_path / "stars"), on_spark.components(frame, work=tmp_path / "all")):
        assert {(row["node"], row["component"]) for row in made.collect()} == expected
    assert len({component for node, component in expected if node <= 40}) == 1


def test_dedup_keeps_and_removes_rows(
    spark: Any, parquet: str, documents: list[dict[str, Any]], tmp_path: Path
) -> None:
    frame = spark.read.parquet(parquet)
    result = on_spark.dedup(frame, work=tmp_path, keep="max:rank")
    expected = la.dedup(documents, keep="max:rank then id", progress=False)
    assert sorted(row["id"] for row in result.kept.collect()) == sorted(row["id"] for row in expected.kept)
    removed = {row["id"]: row["duplicate_of"] for row in result.removed.collect()}
    assert removed == {row["id"]: row["duplicate_of"] for row in expected.removed}
    assert result.kept.columns == frame.columns


def test_new_documents_are_matched_with_known_ones(
    spark: Any, documents: list[dict[str, Any]], tmp_path: Path
) -> None:
    new = [row for row in documents if row["id"].endswith(("-0", "-2"))]
    known = [row for row in documents if row not in new]
    schema = "id string, text string, rank int"
    found = on_spark.against(
        spark.createDataFrame(new, schema), spark.createDataFrame(known, schema), work=tmp_path, **OPTIONS
    )
    assert pairs_of(found) == pairs_of(la.against(new, known, progress=False, **OPTIONS))


def test_whatever_is_wrong_is_one_sentence(spark: Any, tmp_path: Path) -> None:
    def frame(rows: list[tuple[Any, Any]], schema: str = "id string, text string") -> Any:
        return spark.createDataFrame(rows, schema)

    two = [("a", "one two three four"), ("b", "one two three four")]
    with pytest.raises(la.InputError, match="no column `body`.*id, text"):
        on_spark.find(frame(two), work=tmp_path, text="body")
    with pytest.raises(la.InputError, match="type double"):
        on_spark.find(frame([(0.5, "one")], "id double, text string"), work=tmp_path)
    with pytest.raises(la.InputError, match="1 rows have no id"):
        on_spark.find(frame([*two, (None, "five")]), work=tmp_path / "null")
    with pytest.raises(la.InputError, match="two rows have the id `a`"):
        on_spark.find(frame([*two, ("a", "five")]), work=tmp_path / "twice")
    with pytest.raises(la.ConfigError, match="no file"):
        on_spark.find(frame(two), work=tmp_path, keep="newest:file.modified")
    (tmp_path / "some.stats").write_text("no statistics")
    with pytest.raises(la.ArtifactError, match="statistics"):
        on_spark.find(frame(two), work=tmp_path, method="imatch", stats=tmp_path / "some.stats")
    # A row without a text is kept, as one whose text is empty is.
    found = on_spark.dedup(frame([*two, ("c", None), ("d", "")]), work=tmp_path / "null-text", ngram=1)
    assert found.summary["unreadable"] == 0 and pairs_of(found) == [("a", "b", 1.0)]
    assert sorted(row["id"] for row in found.kept.collect()) == ["a", "c", "d"]
    assert found.unreadable.columns == ["id", "reason"] and found.unreadable.count() == 0


def test_copies_cost_one_key_and_a_crowd_is_named(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_spark, "TASK_DOCUMENTS", 100)
    alike = article(1, 80)
    rows = [(f"c{number:04}", alike) for number in range(600)]
    rows += [(f"n{number:04}", edited(alike, number, 2)) for number in range(200)]
    frame = spark.createDataFrame(rows, "id string, text string").repartition(3)
    with pytest.warns(la.LookalikeWarning, match="800 documents hang together by shared buckets, `[cn]0"):
        found = on_spark.find(frame, work=tmp_path, threshold=0.6, ngram=2, partitions=4)
    assert found.summary["largest_component"]["documents"] == 800
    expected = la.find([{"id": id, "text": text} for id, text in rows], threshold=0.6, ngram=2, keep="id", progress=False)
    assert pairs_of(found) == pairs_of(expected)
    prepared = spark.read.parquet(str(tmp_path / "prepared" / "table"))
    copies = [len(row["keys"]) for row in prepared.where("id like 'c%'").collect()]
    # Each of the three partitions has the text once with all keys.
    assert copies.count(1) == 597 and max(copies) > 1


def test_large_components_are_placed_by_size(spark: Any) -> None:
    assert doctest.testmod(_spark_packing).failed == 0 and doctest.testmod(on_spark).failed == 0
    sizes = [(component, 1000 // (component + 1)) for component in range(40)]
    rows = [(node, component) for component, size in sizes for node in range(size)]
    tasks, slots = _spark_packing.packing(spark.createDataFrame(rows, "node bigint, component bigint"), 4)
    loads = dict.fromkeys(tasks, 0)
    for row in slots.collect():
        loads[row["slot"]] += dict(sizes)[row["component"]]
    assert len(tasks) == 4 and max(loads.values()) < 1.05 * 1000 + 50 and min(loads.values()) > 500


def test_an_executor_without_the_package_is_named(parquet: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'lookalike':\n"
        "            raise ModuleNotFoundError(f\"No module named '{name}'\")\n"
        "sys.meta_path.insert(0, Missing())\n"
    )
    command = [sys.executable, "-m", "lookalike.spark_command", "find", parquet, "--out", str(tmp_path / "out")]
    local = [*LOCAL, "--conf", f"spark.executorEnv.PYTHONPATH={tmp_path}"]
    run = subprocess.run(
        [*command, *local], capture_output=True, text=True, env={**os.environ, "PYSPARK_PYTHON": sys.executable}
    )
    assert run.returncode == 1
    assert "lookalike-spark: the Python of a Spark worker has no lookalike" in run.stderr
    assert "PYSPARK_PYTHON=" in run.stderr and "--archives" in run.stderr


def test_the_command(
    spark: Any, parquet: str, documents: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By itself it starts a session; here it finds one."""
    config = tmp_path / "config.toml"
    config.write_text('method = "minhash"\nkeep = "longest"\n')
    command = ["dedup", parquet, "--config", str(config), "--work", str(tmp_path / "work")]
    assert spark_command.main([*command, "--out", str(tmp_path / "out")]) == 0
    expected = la.dedup(documents, progress=False, **OPTIONS)
    assert json.loads(capsys.readouterr().out)["removed"] == expected.summary["removed"]
    kept = spark.read.parquet(str(tmp_path / "out" / "kept")).collect()
    assert sorted(row["id"] for row in kept) == sorted(row["id"] for row in expected.kept)
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "work").rglob("stamp.json")}
    assert spark_command.main([*command, "--out", str(tmp_path / "again"), "--format", "json"]) == 0
    assert stamps == {path: path.stat().st_mtime_ns for path in (tmp_path / "work").rglob("stamp.json")}
    assert spark.read.json(str(tmp_path / "again" / "kept")).count() == len(expected.kept)
    capsys.readouterr()
    assert spark_command.main([*command, "--out", str(tmp_path / "out")]) == 1
    assert "exists" in capsys.readouterr().err
    assert spark_command.main([*command, "--out", str(tmp_path / "third"), "--threshold", "0.9"]) == 1
    assert "made with another configuration" in capsys.readouterr().err
