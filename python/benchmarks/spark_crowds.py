"""What the worst components take of executors of 2 GB: a bucket of alike documents, and a long chain.

    python python/benchmarks/spark_crowds.py [--alike 50000] [--chain 200000]

Prints for each the CPU time, the largest memory of an executor's JVM and of its Python workers, and whether the
counts are those of one machine.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from spark_cost import spent  # noqa: E402
from spark_same import session  # noqa: E402

Rows = Iterator[dict[str, str]]


def alike(count: int) -> Rows:
    """One text in ever other words at a few places."""
    chance = random.Random(3)
    text = [f"word{chance.randrange(5000)}" for _ in range(200)]
    for number in range(count):
        words = list(text)
        for _ in range(1 + number % 3):
            words[chance.randrange(len(words))] = f"other{chance.randrange(100_000)}"
        yield {"id": f"a{number:07}", "text": " ".join(words)}


def chain(count: int) -> Rows:
    """Each text shares most of its words with the one before and the one after, and none with far ones."""
    for number in range(count):
        yield {"id": f"c{number:07}", "text": " ".join(f"w{place}" for place in range(2 * number, 2 * number + 40))}


class Watch(threading.Thread):
    """The largest resident memory of an executor's JVM and of a Python worker."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.java = self.python = 0
        self.going = True

    def run(self) -> None:
        import psutil

        while self.going:
            for process in psutil.Process().children(recursive=True):
                try:
                    memory, command = process.memory_info().rss, process.cmdline()
                except psutil.Error:
                    continue
                if any("CoarseGrainedExecutorBackend" in word for word in command):
                    self.java = max(self.java, memory)
                elif "python" in (command or [""])[0]:
                    self.python = max(self.python, memory)
            time.sleep(0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--alike", type=int, default=50_000)
    parser.add_argument("--chain", type=int, default=200_000)
    options = parser.parse_args()
    import json

    import lookalike as la
    from lookalike import spark as on_spark

    warnings.simplefilter("ignore")
    spark = session("2g")
    made: list[tuple[str, Callable[[int], Rows], int, dict[str, Any]]] = [
        ("alike", alike, options.alike, {"ngram": 5, "threshold": 0.7}),
        ("chain", chain, options.chain, {"ngram": 1, "threshold": 0.7}),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, make, count, parameters in made:
            if not count:
                continue
            path = os.path.join(folder, f"{name}.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in make(count))
            watch = Watch()
            watch.start()
            before, start = sum(spent()), time.monotonic()
            frame = spark.read.schema("id string, text string").json(path)
            # No edge is connected on the driver: the rounds are part of what is asked.
            found = on_spark.find(
                frame, work=os.path.join(folder, name), keep="id", driver_edges=0, memory="256M", **parameters
            )
            cpu, wall = sum(spent()) - before, time.monotonic() - start
            watch.going = False
            one = la.find(path, keep="id", memory="256M", progress=False, **parameters).summary
            counts = ("documents", "clusters", "removed", "confirmed_pairs", "skipped_comparisons")
            same = all(found.summary[key] == one[key] for key in counts)
            print(
                f"{name}: {count} documents, largest component {found.summary['largest_component']}, "
                f"{found.summary['removed']} removed, {cpu:.0f} CPU s, {wall:.0f} s; executor JVM "
                f"{watch.java / 1e6:.0f} MB, Python worker {watch.python / 1e6:.0f} MB; "
                f"{'counts equal to one machine' if same else 'COUNTS UNEQUAL'}",
                flush=True,
            )
    spark.stop()


if __name__ == "__main__":
    main()
