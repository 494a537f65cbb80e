"""Copies with moved and renumbered clauses, and what a result finds of them.

    zstd -dc DATA/license_texts.jsonl.zst | python3 moved_clauses.py make COPIES.jsonl
    python3 moved_clauses.py count RESULT_FOLDER

`make` draws 400 documents of at least six paragraphs and writes each with a copy: a third of the
paragraphs moved, all numbers of one or two digits changed, one word in a hundred replaced. `count`
holds the pairs of `find COPIES.jsonl --pairs all` against the pairs that were made.
"""

import json
import random
import re
import sys

DOCUMENTS = 400


def copy_of(paragraphs, words, draw):
    n_moved = len(paragraphs) // 3
    moved = sorted(draw.sample(range(len(paragraphs)), n_moved), reverse=True)
    result = list(paragraphs)
    taken = [result.pop(place) for place in moved]
    for paragraph in taken:
        result.insert(draw.randrange(len(result) + 1), paragraph)
    shift = draw.randrange(1, 9)
    renumbered = re.sub(r"\b\d{1,2}\b", lambda n: str(int(n.group()) + shift), "\n\n".join(result))
    replace = lambda word: draw.choice(words) if draw.random() < 0.01 else word.group()
    return re.sub(r"[^\W\d_]+", replace, renumbered)


def make(path):
    draw = random.Random(1)
    rows = [json.loads(line) for line in sys.stdin]
    texts = {row["id"]: re.split(r"\n\s*\n", row["text"].strip()) for row in rows}
    long = sorted(key for key, paragraphs in texts.items() if len(paragraphs) >= 6)
    words = re.findall(r"[^\W\d_]+", " ".join(texts[long[0]] + texts[long[-1]]))
    with open(path, "w", encoding="utf-8") as file:
        for key in draw.sample(long, min(DOCUMENTS, len(long))):
            copy = copy_of(texts[key], words, draw)
            for name, text in [(key, "\n\n".join(texts[key])), (f"{key}#copy", copy)]:
                print(json.dumps({"id": name, "text": text}, ensure_ascii=False), file=file)


def count(folder):
    with open(f"{folder}/summary.json", encoding="utf-8") as file:
        n_true = json.load(file)["documents"] // 2
    with open(f"{folder}/pairs.jsonl", encoding="utf-8") as file:
        found = [sorted((row["a"], row["b"])) for row in map(json.loads, file)]
    right = sum(f"{left}#copy" == other for left, other in found)
    precision, recall = right / max(1, len(found)), right / max(1, n_true)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    print(f"{folder}: precision {precision:.3f} recall {recall:.3f} F1 {f1:.3f}")


if __name__ == "__main__":
    {"make": make, "count": count}[sys.argv[1]](*sys.argv[2:])
