"""Makes a labelled collection of edited and partial copies from articles as JSON Lines.

usage: zstd -dc ARTICLES.jsonl.zst | python3 make_copies.py COPIES.jsonl TRUTH.json

3,000 articles of at least three paragraphs, and 170 copies of each kind of edit:
cut       one sentence in six left out
moved     one sentence in six put elsewhere
inserted  as many sentences of another article put in
replaced  one pair of Han characters in a hundred exchanged for a pair of another article
placed    half of the paragraphs, in a row, placed in another article (the host)
"""

import json
import random
import re
import sys

SENTENCE = re.compile(r"[^。！？；]*[。！？；]+[”’」』）]*|[^。！？；]+$")


def cut_up(text):
    paragraphs = ([s for s in SENTENCE.findall(p.strip()) if s] for p in text.split("\n\n"))
    return [sentences for sentences in paragraphs if sentences]


def put_together(parts):
    return "\n\n".join("".join(sentences) for sentences in parts if sentences)


def take_one(parts):
    paragraph = random.randrange(len(parts))
    sentence = parts[paragraph].pop(random.randrange(len(parts[paragraph])))
    if not parts[paragraph]:
        parts.pop(paragraph)
    return sentence


def han_pairs(text):
    is_han = ["\u4e00" <= c <= "\u9fff" for c in text]
    return [i for i in range(len(text) - 1) if is_han[i] and is_han[i + 1]]


def replaced(text, other):
    letters, foreign = list(text), han_pairs(other)
    places = han_pairs(text)
    for i in random.sample(places, max(1, len(places) // 100)):
        j = random.choice(foreign)
        letters[i], letters[i + 1] = other[j], other[j + 1]
    return "".join(letters)


def edited(kind, text, other):
    if kind == "replaced":
        return replaced(text, other)
    parts, foreign = cut_up(text), cut_up(other)
    if kind == "placed":
        half = (len(parts) + 1) // 2
        begin = random.randrange(len(parts) - half + 1)
        place = random.randrange(len(foreign) + 1)
        foreign[place:place] = parts[begin : begin + half]
        return put_together(foreign)
    for _ in range(max(1, sum(map(len, parts)) // 6)):
        if kind == "inserted":
            sentence = random.choice(random.choice(foreign))
        else:
            sentence = take_one(parts)
        if kind != "cut":
            paragraph = random.choice(parts)
            paragraph.insert(random.randrange(len(paragraph) + 1), sentence)
    return put_together(parts)


def main(copies_path, truth_path):
    random.seed(1)
    rows = [json.loads(line) for line in sys.stdin]
    rows = [r for r in rows if sum(bool(p.strip()) for p in r["text"].split("\n\n")) >= 3]
    random.shuffle(rows)
    rows = rows[:3000]
    documents = [
        {"id": f"a{i}", "text": r["text"], "subject": r["subject"]} for i, r in enumerate(rows)
    ]
    truth, unused = [], iter(range(len(rows)))
    for kind in ["cut", "moved", "inserted", "replaced", "placed"]:
        for _ in range(170):
            article = next(unused)
            other = random.randrange(3000)
            if kind == "placed":
                other = next(unused)
            text = edited(kind, rows[article]["text"], rows[other]["text"])
            title = rows[other if kind == "placed" else article]["subject"]
            copy = f"c{len(documents)}"
            documents.append({"id": copy, "text": text, "subject": title})
            truth.append([f"a{article}", copy, kind])
            if kind == "placed":
                truth.append([f"a{other}", copy, "host"])
    with open(copies_path, "w", encoding="utf-8") as out:
        for document in documents:
            out.write(json.dumps(document, ensure_ascii=False) + "\n")
    with open(truth_path, "w", encoding="utf-8") as out:
        json.dump(truth, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
