"""How much memory a run takes beyond an Arrow table of 1 GB that it reads without a copy (Linux).

    python python/benchmarks/memory.py [GIGABYTES]
"""

from __future__ import annotations

import random
import sys

import pyarrow

import lookalike as la

#: Bytes of one made-up document.
DOCUMENT = 4000


def peak_mb(reset: bool = False) -> float:
    """The largest resident memory of this process, since it was last reset."""
    if reset:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main() -> None:
    wanted = int(float(sys.argv[1] if len(sys.argv) > 1 else 1) * 1e9)
    chance = random.Random(1)
    words = [f"{chance.randrange(36**6):x}" for _ in range(60_000)]
    chunks = []
    for start in range(0, wanted, 25_000_000):
        texts = []
        while sum(map(len, texts)) < min(25_000_000, wanted - start):
            texts += [" ".join(chance.choices(words, k=DOCUMENT // 6)) for _ in range(500)]
        chunks.append(pyarrow.array(texts, pyarrow.large_string()))
    table = pyarrow.table({"text": pyarrow.chunked_array(chunks)})
    before = peak_mb(reset=True)
    found = la.find(table, threads=1, memory="64M", progress=False)
    print(
        f"table {table.nbytes / 1e6:.0f} MB, {found.summary['documents']} documents: "
        f"{peak_mb() - before:.0f} MB beyond it at the peak"
    )


if __name__ == "__main__":
    main()
