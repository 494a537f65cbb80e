"""Components into tasks of about one size."""

from __future__ import annotations

import heapq
import math

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from .errors import ConfigError

#: Documents with a candidate that one task is meant to get.
TASK_DOCUMENTS = 50_000

#: Components beyond this part of a task's share are placed one by one, smaller ones by chance.
_PLACED_PART = 16


def packing(components: DataFrame, partitions: int | None) -> tuple[list[int], DataFrame]:
    """A number for each task, and which of them the larger components go to: `component, slot`."""
    sizes = components.groupBy("component").count()
    total = components.count()
    n_tasks = partitions or max(1, math.ceil(total / TASK_DOCUMENTS))
    tasks = _numbers(components, n_tasks)
    # There are at most as many of them as fit: 16 for each task.
    large = sizes.where(F.col("count") > total / n_tasks / _PLACED_PART)
    rows = large.orderBy(F.desc("count"), "component").collect()
    placed = placed_by_size([(int(row["component"]), int(row["count"])) for row in rows], tasks)
    return tasks, components.sparkSession.createDataFrame(placed, "component bigint, slot bigint")


def placed_by_size(components: list[tuple[int, int]], tasks: list[int]) -> list[tuple[int, int]]:
    """Each component, the largest first, to the task that has least so far.

    >>> placed_by_size([(7, 100), (3, 40), (5, 30), (9, 20)], [0, 1])
    [(7, 0), (3, 1), (5, 1), (9, 1)]
    """
    loads = [(0, task) for task in tasks]
    placed: list[tuple[int, int]] = []
    for component, size in components:
        load, task = heapq.heappop(loads)
        placed.append((component, task))
        heapq.heappush(loads, (load + size, task))
    return placed


def by_chance(tasks: list[int]) -> Column:
    """A task for each component that is placed by chance."""
    numbers = F.array([F.lit(task).cast("bigint") for task in tasks])
    place = F.pmod(F.xxhash64("component"), F.lit(len(tasks))) + 1
    return F.element_at(numbers, place.cast("int"))


def _numbers(frame: DataFrame, n_tasks: int) -> list[int]:
    """For each task a number that Spark's own partitioning sends there."""
    numbers = frame.sparkSession.range(0, 64 * n_tasks + 64, numPartitions=1)
    first: dict[int, int] = {}
    for row in numbers.select("id", F.pmod(F.hash("id"), F.lit(n_tasks)).alias("task")).collect():
        first.setdefault(int(row["task"]), int(row["id"]))
    slots = sorted(first.values())
    if len(slots) < n_tasks:
        raise ConfigError(f"{n_tasks} tasks are more than can be filled; give partitions=… less")
    return slots
