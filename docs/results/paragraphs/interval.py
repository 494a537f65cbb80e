"""95 % of what chance makes of each F1 in a table of `lookalike-lab paragraphs --out DIR`.

Usage: interval.py DIR/table.json N_TRUE_PAIRS
Found pairs are drawn at the recall observed, wrong ones as often as observed.
"""

import json
import math
import random
import sys

DRAWS = 2000


def poisson(mean):
    """A random count with this mean."""
    if mean > 30:
        return max(0, round(random.gauss(mean, math.sqrt(mean))))
    count, product, floor = 0, random.random(), math.exp(-mean)
    while product > floor:
        count += 1
        product *= random.random()
    return count


def main():
    random.seed(1)
    n_true = int(sys.argv[2])
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)
    for row in rows:
        wrong = row["recall"] * n_true * (1 / row["precision"] - 1)
        draws = []
        for _ in range(DRAWS):
            found = sum(random.random() < row["recall"] for _ in range(n_true))
            draws.append(2 * found / (n_true + found + poisson(wrong)))
        draws.sort()
        low, high = draws[DRAWS // 40], draws[-DRAWS // 40]
        print(f"{row['method']} {row['settings']}: {row['f1']:.3f} ({low:.3f} - {high:.3f})")


main()
