"""What a run on Spark costs beside the command line and beside Spark's own similarity join: CPU seconds.

    python python/benchmarks/spark_cost.py --program target/release/lookalike CORPUS.jsonl [LARGER.jsonl …]
                                           [--mllib SMALL.jsonl] [--threads 2]

All in one run, by the CPU time of the process tree: the JVM and the Python workers, from the moment that
both are warm. Stages are told one by one; the growth is that from the first to the last corpus. `--mllib`
names the documents for approxSimilarityJoin, which ours run on too.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any

SCHEMA = "id string, text string"
OPTIONS: dict[str, Any] = {"ngram": 5, "threshold": 0.7, "keep": "id"}


#: CPU seconds of each child of the JVM, those that have ended included.
_children: dict[int, float] = {}


def spent() -> tuple[float, float]:
    """CPU seconds of the JVM and of the Python processes, those that have ended included."""
    import psutil

    java = 0.0
    this = psutil.Process()
    times = this.cpu_times()
    driver = times.user + times.system
    for process in this.children(recursive=True):
        try:
            if "java" in process.name():
                java += _own(process)
                for child in process.children():
                    # The JVM ends daemons that have nothing to do: what they took is not forgotten.
                    _children[child.pid] = max(_children.get(child.pid, 0.0), _with_workers(child))
        except psutil.NoSuchProcess:
            continue
    return java, driver + sum(_children.values())


def _own(process: Any) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _with_workers(daemon: Any) -> float:
    import psutil

    times = daemon.cpu_times()
    total = _own(daemon) + times.children_user + times.children_system
    for worker in daemon.children(recursive=True):
        try:
            total += _own(worker)
        except psutil.NoSuchProcess:
            continue
    return float(total)


def session(threads: int) -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    spark = (
        SparkSession.builder.master(f"local[{threads}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "6g")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


def warm(spark: Any, folder: str) -> None:
    """Starts what a first job would start: code of the JVM, Python workers."""

    def same(batches: Iterator[Any]) -> Iterator[Any]:
        yield from batches

    frame = spark.range(1000).repartition(8).mapInArrow(same, "id bigint").groupBy("id").count()
    frame.write.parquet(os.path.join(folder, "warm"))


def on_spark(spark: Any, corpus: str, folder: str) -> dict[str, Any]:
    """One run, by stages."""
    from lookalike import _stages
    from lookalike import spark as ours

    stages: dict[str, tuple[float, float]] = {}
    table = _stages.Stages.table

    def timed(self: Any, name: str, make: Any) -> Any:
        before = spent()
        made = table(self, name, make)
        after = spent()
        stages[name] = (after[0] - before[0], after[1] - before[1])
        return made

    _stages.Stages.table = timed  # type: ignore[method-assign]
    try:
        work = os.path.join(folder, f"work-{os.path.basename(corpus)}")
        before = spent()
        found = ours.find(spark.read.schema(SCHEMA).json(corpus), work=work, pairs="clusters", **OPTIONS)
        after = spent()
    finally:
        _stages.Stages.table = table  # type: ignore[method-assign]
    total = (after[0] - before[0], after[1] - before[1])
    rest = [total[side] - sum(part[side] for part in stages.values()) for side in (0, 1)]
    stages["ids, summary"] = (rest[0], rest[1])
    bytes_in = {name: size(os.path.join(work, name)) for name in ("prepared", "edges", "components", "found")}
    return {"total": sum(total), "stages": stages, "summary": found.summary, "bytes": bytes_in}


def size(folder: str) -> int:
    paths = (os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return sum(os.path.getsize(path) for path in paths)


def reading(spark: Any, corpus: str) -> float:
    """What the JVM takes to read the corpus once and do nothing."""
    before = spent()
    spark.read.schema(SCHEMA).json(corpus).selectExpr("sum(length(text))", "sum(length(id))").collect()
    return sum(spent()) - sum(before)


def by_program(program: str, corpus: str, folder: str) -> float:
    out = os.path.join(folder, f"cli-{os.path.basename(corpus)}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [program, "find", corpus, "--out", out, "--ngram", "5", "--threshold", "0.7", "--keep", "id", "--threads", "1", "--quiet"],
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_mllib(spark: Any, corpus: str) -> tuple[float, int]:
    """Spark's MinHashLSH with five tables: word 5-grams, pairs at the same threshold."""
    from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
    from pyspark.sql import functions as F

    before = spent()
    frame = spark.read.schema(SCHEMA).json(corpus).repartition(8)
    frame = RegexTokenizer(inputCol="text", outputCol="w", pattern=r"\w+", gaps=False).transform(frame)
    frame = NGram(n=5, inputCol="w", outputCol="g").transform(frame).where(F.size("g") > 0)
    frame = HashingTF(inputCol="g", outputCol="v", binary=True, numFeatures=1 << 20).transform(frame)
    frame = frame.select("id", "v").cache()
    frame.count()
    model = MinHashLSH(inputCol="v", outputCol="h", numHashTables=5, seed=1).fit(frame)
    joined = model.approxSimilarityJoin(frame, frame, 0.3, distCol="d")
    pairs = joined.select(F.col("datasetA.id").alias("x"), F.col("datasetB.id").alias("y")).where("x < y").count()
    return sum(spent()) - sum(before), pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--program", required=True)
    parser.add_argument("--mllib")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    spark = session(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        warm(spark, folder)
        print(f"until warm: {sum(spent()):.1f} CPU s", flush=True)
        totals: list[tuple[int, float]] = []
        known: dict[str, dict[str, Any]] = {}
        for corpus in options.corpora:
            ours = known[corpus] = on_spark(spark, corpus, folder)
            program = by_program(options.program, corpus, folder)
            documents = ours["summary"]["documents"]
            totals.append((documents, ours["total"]))
            print(
                f"\n{corpus}: {documents} documents, {ours['summary']['removed']} removed\n"
                f"  Spark {ours['total']:.1f} CPU s, the command line {program:.2f}: {ours['total'] / program:.1f} times; "
                f"reading it once takes the JVM {reading(spark, corpus):.1f}"
            )
            for name, (java, python) in ours["stages"].items():
                print(f"  {name:<14} JVM {java:6.1f}  Python {python:6.1f}  {ours['bytes'].get(name, 0) / 1e6:8.1f} MB", flush=True)
        if len(totals) > 1:
            (n_first, first), (n_last, last) = totals[0], totals[-1]
            print(f"\ngrowth: exponent {math.log(last / first) / math.log(n_last / n_first):.2f}", flush=True)
        if options.mllib:
            ours = known.get(options.mllib) or on_spark(spark, options.mllib, folder)
            mllib, pairs = by_mllib(spark, options.mllib)
            print(
                f"\n{options.mllib}: approxSimilarityJoin {mllib:.1f} CPU s ({pairs} pairs), ours {ours['total']:.1f}: "
                f"{mllib / ours['total']:.1f} times",
                flush=True,
            )
    spark.stop()


if __name__ == "__main__":
    main()
