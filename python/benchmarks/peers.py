"""`la.find` beside other libraries: one thread, from a list of texts in memory, on a corpus whose exact pairs are known.

    python python/benchmarks/peers.py CORPUS.jsonl EXACT.tsv [--tools lookalike,gaoya,rensa,datasketch,semhash]
                                      [--program target/release/lookalike]

CORPUS has `id` and `text`, EXACT lines of two ids and their word 5-gram resemblance. Each tool runs in a
process of its own and is charged for what follows the reading: CPU time of all its threads, and memory
beyond the list. Precision is the share of reported pairs that reach the threshold, recall that of such
pairs that are reported. Of a tool that is not installed, nothing is printed; one that fails is named.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

THRESHOLD, NGRAM, PERMUTATIONS, BANDS, ROWS = 0.7, 5, 128, 16, 8
WORD = re.compile(r"\w+")
Pairs = Iterator[tuple[int, int]]


def shingles(text: str) -> set[str]:
    """Word 5-grams of the lower-cased text, for tools that leave the shingling to their callers."""
    words = WORD.findall(text.lower())
    if len(words) <= NGRAM:
        return {" ".join(words)}
    return {" ".join(words[at : at + NGRAM]) for at in range(len(words) - NGRAM + 1)}


def with_lookalike(texts: list[str]) -> Pairs:
    import lookalike as la

    found = la.find(texts, ngram=NGRAM, threshold=THRESHOLD, pairs="all", threads=1, progress=False)
    table = found.pairs
    return zip(table["a"], table["b"])


def with_gaoya(texts: list[str]) -> Pairs:
    import gaoya

    index = gaoya.minhash.MinHashStringIndex(
        hash_size=32, jaccard_threshold=THRESHOLD, num_bands=BANDS, band_size=ROWS, num_hashes=PERMUTATIONS,
        analyzer="word", lowercase=True, ngram_range=(NGRAM, NGRAM), id_container="vec",
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    for left, rights in enumerate(index.par_bulk_query(texts)):
        yield from ((left, right) for right in rights if right > left)


def with_rensa(texts: list[str]) -> Pairs:
    from rensa import RMinHash, RMinHashLSH

    signatures = []
    for start in range(0, len(texts), 2000):
        sets = [list(shingles(text)) for text in texts[start : start + 2000]]
        signatures += RMinHash.from_token_sets(sets, PERMUTATIONS, 42)
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=BANDS)
    index.insert_many(signatures)
    for left, rights in enumerate(index.query_all(signatures)):
        yield from ((left, right) for right in rights if right > left)


def with_datasketch(texts: list[str]) -> Pairs:
    from datasketch import MinHash, MinHashLSH

    signatures = []
    for text in texts:
        signature = MinHash(num_perm=PERMUTATIONS)
        signature.update_batch([shingle.encode() for shingle in shingles(text)])
        signatures.append(signature)
    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    with index.insertion_session() as session:
        for number, signature in enumerate(signatures):
            session.insert(number, signature)
    for left, signature in enumerate(signatures):
        yield from ((left, right) for right in index.query(signature) if right > left)


def with_semhash(texts: list[str]) -> Pairs:
    from semhash import SemHash

    places = {text: number for number, text in reversed(list(enumerate(texts)))}
    result = SemHash.from_records(records=texts).self_deduplicate(threshold=0.9)
    for duplicate in result.filtered:
        for other, _ in duplicate.duplicates:
            left, right = places[duplicate.record], places[other]
            yield min(left, right), max(left, right)


TOOLS: dict[str, Callable[[list[str]], Pairs]] = {
    "lookalike": with_lookalike,
    "gaoya": with_gaoya,
    "rensa": with_rensa,
    "datasketch": with_datasketch,
    "semhash": with_semhash,
}


def measure(tool: str, corpus: str, result: str) -> None:
    """Runs one tool in this process and leaves its pairs and what it took."""
    rows = [json.loads(line) for line in open(corpus, encoding="utf-8")]
    texts = [row["text"] for row in rows]
    ids = [row["id"] for row in rows]
    del rows
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.process_time()
    pairs = list(TOOLS[tool](texts))
    cpu, after = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF)
    named = [(ids[left], ids[right]) for left, right in pairs]
    taken = {"cpu": cpu, "memory_mb": (after.ru_maxrss - before.ru_maxrss) / 1024, "pairs": named}
    with open(result, "w", encoding="utf-8") as file:
        json.dump(taken, file)


def measure_program(program: str, corpus: str, folder: str) -> dict[str, object]:
    """The command line on the same corpus, reading it from its file."""
    command = [
        program, "find", corpus, "--out", os.path.join(folder, "found"), "--ngram", str(NGRAM),
        "--threshold", str(THRESHOLD), "--pairs", "all", "--threads", "1", "--quiet",
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    rows = [json.loads(line) for line in open(os.path.join(folder, "found", "pairs.jsonl"), encoding="utf-8")]
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": cpu, "memory_mb": 0.0, "pairs": [(row["a"], row["b"]) for row in rows]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("exact")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--program")
    parser.add_argument("--measure", nargs=2, metavar=("TOOL", "RESULT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure[0], options.corpus, options.measure[1])
        return
    true = set()
    for line in open(options.exact, encoding="utf-8"):
        a, b, resemblance = line.split("\t")
        if float(resemblance) >= THRESHOLD:
            true.add((min(a, b), max(a, b)))
    print(f"{'tool':<14}{'CPU s':>8}{'MB':>8}{'pairs':>8}{'precision':>11}{'recall':>8}")
    with tempfile.TemporaryDirectory() as folder:
        results: dict[str, dict[str, object]] = {}
        for tool in options.tools.split(","):
            if importlib.util.find_spec(tool) is None:
                continue
            path = os.path.join(folder, tool)
            one_thread = {**os.environ, "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            command = [sys.executable, __file__, options.corpus, options.exact, "--measure", tool, path]
            run = subprocess.run(command, env=one_thread, stderr=subprocess.PIPE, text=True)
            if run.returncode != 0:
                # A model that cannot be fetched, for one.
                last = run.stderr.strip().splitlines()[-1:] or ["without a word"]
                print(f"{tool:<14} did not run: {last[0]}")
                continue
            with open(path, encoding="utf-8") as file:
                results[tool] = json.load(file)
        if options.program:
            results["command line"] = measure_program(options.program, options.corpus, folder)
    for tool, taken in results.items():
        found = {(min(a, b), max(a, b)) for a, b in taken["pairs"] if a != b}  # type: ignore[attr-defined]
        right = len(found & true)
        print(
            f"{tool:<14}{taken['cpu']:>8.2f}{taken['memory_mb']:>8.0f}{len(found):>8}"
            f"{right / max(1, len(found)):>11.3f}{right / max(1, len(true)):>8.3f}"
        )


if __name__ == "__main__":
    main()
