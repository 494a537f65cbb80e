"""Whether Spark gives the rows of the command line, byte for byte after sorting, whatever happens to it.

    python python/benchmarks/spark_same.py CORPUS.jsonl --program target/release/lookalike
                                           [--methods minhash,imatch,simhash,paragraph] [--partitions 1,4,17]

A cluster of two executors on this machine. Each method runs once for each number of partitions, once on
rows in another order, and once while an executor is killed. The status is 1 where rows differ.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any

#: What a method is asked besides its defaults.
OPTIONS: dict[str, dict[str, Any]] = {"minhash": {"ngram": 5, "threshold": 0.7}}


def session(memory: str = "2g") -> Any:
    """Two executors of one core each."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    megabytes = int(memory[:-1]) * 1024
    spark = (
        SparkSession.builder.master(f"local-cluster[2,1,{megabytes}]")
        .appName("lookalike")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", memory)
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


def rounded(score: float | None) -> float | None:
    """As scores stand in files: half a millionth away from zero."""
    return None if score is None else math.floor(score * 1e6 + 0.5) / 1e6


def lines(found: Any) -> tuple[list[str], list[str]]:
    """The rows of a result as the files of the command line have them, sorted."""

    def line(row: dict[str, Any]) -> str:
        row["score"] = rounded(row["score"])
        row |= json.loads(row.pop("evidence", None) or "{}")
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))

    tables = (found.clusters, found.pairs)
    clusters, pairs = (sorted(line(row.asDict()) for row in table.collect()) for table in tables)
    return clusters, pairs


def expected(program: str, corpus: str, method: str, folder: str) -> tuple[list[str], list[str]]:
    """The rows of the command line, sorted."""
    out = os.path.join(folder, f"{method}.cli")
    flags = [word for key, value in OPTIONS.get(method, {}).items() for word in (f"--{key}", str(value))]
    subprocess.run(
        [program, "find", corpus, "--out", out, "--method", method, "--keep", "id", "--pairs", "all", "--quiet", *flags],
        check=True,
    )

    def read(name: str) -> list[str]:
        with open(os.path.join(out, name), encoding="utf-8") as file:
            return sorted(line.rstrip("\n") for line in file)

    return read("clusters.jsonl"), read("pairs.jsonl")


def dying(frame: Any, marker: str) -> Any:
    """The same rows; the executor that comes to them first is killed."""

    def once(batches: Iterator[Any]) -> Iterator[Any]:
        import psutil

        for batch in batches:
            yield batch
            # After what follows has had it, and be it the only one of its partition.
            try:
                open(marker, "x").close()
            except FileExistsError:
                pass
            else:
                next(p for p in psutil.Process().parents() if "java" in p.name()).kill()

    return frame.mapInArrow(once, frame.schema)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--program", required=True)
    parser.add_argument("--methods", default="minhash,imatch,simhash,paragraph")
    parser.add_argument("--partitions", default="1,4,17")
    options = parser.parse_args()
    from lookalike import spark as on_spark

    spark = session()
    warnings.simplefilter("ignore")
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        shuffled = os.path.join(folder, "shuffled.jsonl")
        with open(options.corpus, encoding="utf-8") as source, open(shuffled, "w", encoding="utf-8") as out:
            rows = source.readlines()
            random.Random(5).shuffle(rows)
            out.writelines(rows)
            del rows
        schema = "id string, text string"
        read = spark.read.schema(schema)
        for method in options.methods.split(","):
            wanted = expected(options.program, options.corpus, method, folder)
            counts = [int(number) for number in options.partitions.split(",")]
            marker = os.path.join(folder, f"{method}.died")
            frames = [(f"{count} partitions", read.json(options.corpus).repartition(count), count) for count in counts]
            frames.append(("shuffled", read.json(shuffled), 4))
            frames.append(("executor killed", dying(read.json(options.corpus).repartition(4), marker), 4))
            for name, frame, count in frames:
                work = os.path.join(folder, f"{method}-{name.replace(' ', '-')}")
                found = on_spark.find(
                    frame, work=work, partitions=count, method=method, keep="id", pairs="all", **OPTIONS.get(method, {})
                )
                same = lines(found) == wanted
                lived = "killed" in name and not os.path.exists(marker)
                differ += lived or not same
                died = ", but it lived" if lived else ""
                print(
                    f"{method:<10} {name:<16} {len(wanted[0]):>7} cluster rows {len(wanted[1]):>7} pairs: "
                    f"{'equal' if same else 'UNEQUAL'}{died}",
                    flush=True,
                )
    spark.stop()
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
