"""``lookalike-spark``: a run on a cluster, for people who do not write Spark code."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any

from .errors import LookalikeError, OutputError

_FORMATS = ("parquet", "json")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; the status is 0, or 1 where it could not be done."""
    options, spark_options = _parse(sys.argv[1:] if arguments is None else list(arguments))
    if spark_options:
        # PySpark starts Java by spark-submit, which takes its options from here.
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"{shlex.join(spark_options)} pyspark-shell"
    try:
        summary = _run(options)
    except LookalikeError as error:
        print(f"lookalike-spark: {error}", file=sys.stderr)
        return 1
    print(json.dumps(summary, indent=2))
    return 0


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        prog="lookalike-spark",
        description="Finds or removes near-duplicates with Spark; the answer is that of `lookalike`.",
        epilog="Options after -- go to spark-submit, as in: -- --master yarn --archives env.tar.gz#env",
    )
    parser.add_argument("command", choices=["find", "dedup"])
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="Parquet or JSON Lines, wherever Spark reads")
    parser.add_argument("--out", required=True, help="folder for the results; must not exist")
    parser.add_argument("--config", help="configuration file, as `lookalike tune` and runs write it")
    parser.add_argument("--work", help="folder for the stages [default: OUT.work]")
    parser.add_argument("--text-key", help="the column of the text [default: text]")
    parser.add_argument("--id-key", help="the column of the ids [default: id]")
    parser.add_argument("--method", help="instead of that of the configuration")
    parser.add_argument("--threshold", type=float, help="instead of that of the configuration")
    parser.add_argument("--keep", help="which document of a cluster is kept")
    parser.add_argument("--partitions", type=int, help="tasks that judge the components")
    parser.add_argument("--format", choices=_FORMATS, help="of the results [default: that of the input]")
    if "--" in arguments:
        end = arguments.index("--")
        return parser.parse_args(arguments[:end]), arguments[end + 1 :]
    return parser.parse_args(arguments), []


def _run(options: argparse.Namespace) -> dict[str, Any]:
    from . import spark as on_spark
    from pyspark.sql import SparkSession

    spark: Any = SparkSession.builder.appName(f"lookalike {options.command}").getOrCreate()
    path = spark._jvm.org.apache.hadoop.fs.Path(options.out)
    if path.getFileSystem(spark._jsc.hadoopConfiguration()).exists(path):
        raise OutputError(f"{options.out} exists; name a folder that does not")
    kind = _format(options.inputs)
    frame = spark.read.format(kind).load(options.inputs)
    given = {
        "work": options.work or f"{options.out.rstrip('/')}.work",
        "config": options.config,
        "text": options.text_key,
        "id": options.id_key,
        "method": options.method,
        "threshold": options.threshold,
        "keep": options.keep,
        "partitions": options.partitions,
    }
    found = getattr(on_spark, options.command)(frame, **given)
    tables = {"clusters": found.clusters, "pairs": found.pairs}
    if isinstance(found, on_spark.DedupFrames):
        tables |= {"kept": found.kept, "removed": found.removed}
    for name, table in tables.items():
        table.write.format(options.format or kind).save(f"{options.out.rstrip('/')}/{name}")
    summary: dict[str, Any] = found.summary
    return summary


def _format(inputs: Sequence[str]) -> str:
    """By the names: what is called JSON is JSON Lines, everything else Parquet."""
    endings = (".json", ".jsonl", ".ndjson", ".gz", ".zst", ".bz2")
    return "json" if all(name.rstrip("/").endswith(endings) for name in inputs) else "parquet"


if __name__ == "__main__":
    sys.exit(main())
