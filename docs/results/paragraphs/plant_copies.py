"""Plants copies among pages, or counts which of them a result has found.

usage: zstd -dc PAGES.jsonl.zst | python3 plant_copies.py plant PLANTED.jsonl
       python3 plant_copies.py count RESULT_FOLDER

Of 500 random pages every second copy is exact; the others have one pair of Han characters
exchanged for a pair of another page.
"""

import collections
import json
import random
import sys


def han_pairs(text):
    is_han = ["\u4e00" <= c <= "\u9fff" for c in text]
    return [i for i in range(len(text) - 1) if is_han[i] and is_han[i + 1]]


def plant(path):
    random.seed(1)
    rows = [json.loads(line) for line in sys.stdin]
    copies = []
    for number, row in enumerate(random.sample(rows, 500)):
        letters = list(row["text"])
        if number % 2:
            places, other = han_pairs(row["text"]), rows[random.randrange(len(rows))]["text"]
            foreign = han_pairs(other)
            if places and foreign:
                i, j = random.choice(places), random.choice(foreign)
                letters[i], letters[i + 1] = other[j], other[j + 1]
        kind = "edited" if number % 2 else "exact"
        copy = {"id": f"copy/{kind}/{row['id']}", "text": "".join(letters)}
        copies.append({**copy, "subject": row["subject"]})
    with open(path, "w", encoding="utf-8") as out:
        for row in rows + copies:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def count(folder):
    found = collections.Counter()
    with open(f"{folder}/clusters.jsonl", encoding="utf-8") as file:
        for row in map(json.loads, file):
            if row["id"].startswith("copy/"):
                _, kind, original = row["id"].split("/", 2)
                found[kind if row["cluster"] == original else "wrong"] += 1
    print(dict(found))


if __name__ == "__main__":
    {"plant": plant, "count": count}[sys.argv[1]](sys.argv[2])
