"""Documents that buckets connect: edges of buckets, and the components of edges."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from . import _lookalike
from ._stages import Stages

#: Up to so many edges, components are found on the driver, which takes 16 bytes for each.
DRIVER_EDGES = 20_000_000


def edges_of(prepared: DataFrame) -> DataFrame:
    """From each document of a bucket to its first one: linear in the bucket."""
    placed = prepared.select("node", F.explode("keys").alias("key"))
    first = F.min("node").over(Window.partitionBy("key"))
    return placed.select("node", first.alias("first")).where("node <> first").distinct()


def connected(edges: DataFrame, stages: Stages, driver_edges: int) -> DataFrame:
    """The components of edges, on the driver where they are few."""
    spark = edges.sparkSession
    if driver_edges >= 0 and edges.count() <= driver_edges:
        import pyarrow

        made = pyarrow.table(_lookalike.components(edges.toArrow()))
        if not made.num_rows:
            return spark.createDataFrame([], "node bigint, component bigint")
        frame: DataFrame = spark.createDataFrame(made)
        return frame
    return in_rounds(edges, stages)


def in_rounds(edges: DataFrame, stages: Stages) -> DataFrame:
    """Components by alternating large and small stars, each round written before the next."""
    edges = edges.select(F.greatest("node", "first").alias("u"), F.least("node", "first").alias("v"))
    before: Any = None
    number = 0
    while True:
        both = edges.union(edges.select(F.col("v"), F.col("u")))
        lowest = F.least("u", F.min("v").over(Window.partitionBy("u")))
        large = both.withColumn("m", lowest).where("v > u").select(F.col("v").alias("u"), F.col("m").alias("v"))
        lowest = F.min("v").over(Window.partitionBy("u"))
        starred = large.where("u <> v").distinct().withColumn("m", lowest)
        small = starred.select("u", F.col("m").alias("v")).union(
            starred.where("v <> m").select(F.col("v").alias("u"), F.col("m").alias("v"))
        )
        edges = stages.scratch(f"rounds/{number % 2}", small.distinct())
        now = edges.agg(F.count("*"), F.sum(F.xxhash64("u", "v").cast("decimal(38,0)"))).first()
        if now == before:
            members = edges.select(F.col("u").alias("node"), F.col("v").alias("component"))
            firsts = edges.select(F.col("v").alias("node"), F.col("v").alias("component"))
            return members.union(firsts).distinct()
        before, number = now, number + 1
