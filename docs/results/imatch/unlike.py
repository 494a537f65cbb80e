"""What the pairs are that a method calls copies although their cosine is below 0.5.

    zstd -dc DATA/zh_mdn.jsonl.zst | python3 docs/results/imatch/unlike.py ALL ALIKE

ALL and ALIKE are results of `find --pairs all`, the first with `--verify none`, the second with
`--verify cosine:0.5`; what only the first has is unlike. Standard input has the documents.
"""

import json
import re
import statistics
import sys


def pairs(folder):
    with open(f"{folder}/pairs.jsonl", encoding="utf-8") as file:
        return {tuple(sorted((row["a"], row["b"]))) for row in map(json.loads, file)}


def english_words(text):
    """Words as the 2008 paper has them: four characters, at most one digit."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {word for word in words if len(word) >= 4 and sum(c.isdigit() for c in word) < 2}


def main(all_pairs, alike):
    texts = {}
    for line in sys.stdin:
        row = json.loads(line)
        texts[row["id"]] = f"{row.get('subject', '')} {row['text']}"
    unlike = sorted(pairs(all_pairs) - pairs(alike))
    n_versions, shares = 0, []
    for left, right in unlike:
        # An id is a language and a path: the same path is the same page in another script.
        n_versions += left.partition("/")[2] == right.partition("/")[2]
        one, other = english_words(texts[left]), english_words(texts[right])
        shares.append(len(one & other) / max(1, min(len(one), len(other))))
    print(f"{len(unlike)} pairs below 0.5, {n_versions} of them one page in two scripts")
    if shares:
        print(f"English words of the page that has fewer, shared: median {statistics.median(shares):.2f}")
        print(f"at least nine in ten shared: {sum(share >= 0.9 for share in shares)}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
