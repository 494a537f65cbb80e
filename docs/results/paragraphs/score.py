"""Scores pairs.jsonl files against TRUTH.json: python3 score.py TRUTH.json RESULT_FOLDER..."""

import collections
import json
import sys


def main(truth_path, *folders):
    with open(truth_path, encoding="utf-8") as file:
        truth = {tuple(sorted(row[:2])): row[2] for row in json.load(file)}
    sizes = collections.Counter(truth.values())
    for folder in folders:
        with open(f"{folder}/pairs.jsonl", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        found = {tuple(sorted((row["a"], row["b"]))) for row in rows}
        right = [truth[pair] for pair in found if pair in truth]
        precision, recall = len(right) / max(1, len(found)), len(right) / len(truth)
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        kinds = collections.Counter(right)
        by_kind = " ".join(f"{kind} {kinds[kind] / sizes[kind]:.2f}" for kind in sizes)
        print(f"{folder}: precision {precision:.3f} recall {recall:.3f} F1 {f1:.3f} | {by_kind}")


if __name__ == "__main__":
    main(*sys.argv[1:])
