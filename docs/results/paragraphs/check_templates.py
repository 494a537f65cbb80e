"""Which templates a boilerplate report names: python3 check_templates.py REPORT.jsonl < PAGES.jsonl

Pages have the fields `template` and `cluster`; a template is named if a paragraph of the report
stands on at least nine in ten of its pages.
"""

import collections
import json
import re
import sys


def shortened(paragraph):
    return " ".join(paragraph.split())[:200]


def main(report):
    rows = [json.loads(line) for line in sys.stdin]
    with open(report, encoding="utf-8") as file:
        examples = {json.loads(line)["example"] for line in file}
    sizes = collections.Counter(row["template"] for row in rows)
    pages = collections.defaultdict(collections.Counter)
    stories = collections.defaultdict(set)
    for row in rows:
        paragraphs = {shortened(p) for p in re.split(r"\n\s*\n", row["text"])}
        for paragraph in paragraphs & examples:
            pages[row["template"]][paragraph] += 1
            stories[paragraph].add(row["cluster"])
    named = sum(max(pages[t].values(), default=0) >= 0.9 * sizes[t] for t in sizes)
    of_one_story = sum(len(clusters) == 1 for clusters in stories.values())
    print(f"{named} of {len(sizes)} templates named; {of_one_story} paragraphs of one story only")


if __name__ == "__main__":
    main(sys.argv[1])
