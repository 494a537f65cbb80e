"""Many documents: the page goes on while the clusters are being recomputed.

`LOOKALIKE_PAGE_DOCUMENTS=180000 scripts/page -s web/tests/test_many.py` prints how long people wait.
"""

import json
import os
import random
import subprocess
import time

from playwright.sync_api import expect

from conftest import BINARY, Service

DOCUMENTS = int(os.environ.get("LOOKALIKE_PAGE_DOCUMENTS", "3000"))
ANSWERS = 100


def made(path) -> None:
    """Texts of a hundred words, of which every sixth is the one before it with a word changed."""
    rng = random.Random(3)
    words = [f"w{number}" for number in range(20_000)]
    text: list[str] = []
    with open(path, "w", encoding="utf-8") as file:
        for number in range(DOCUMENTS):
            if number % 6 == 5:
                text[rng.randrange(100)] = "changed"
            else:
                text = rng.choices(words, k=100)
            file.write(json.dumps({"id": f"d{number:06}", "text": " ".join(text)}) + "\n")


def percentiles(name: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    at = lambda share: f"{1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]:.0f} ms"
    print(f"{name}: p50 {at(0.5)}, p99 {at(0.99)}, of {len(ordered)}")


def test_answers_do_not_wait_for_a_run_over_many_documents(open_page, tmp_path):
    documents, index = tmp_path / "documents.jsonl", tmp_path / "index"
    made(documents)
    subprocess.run([BINARY, "index", "create", str(index), "--method", "minhash", "--threshold", "0.7"], check=True, capture_output=True)
    subprocess.run([BINARY, "index", "add", str(index), str(documents), "--quiet"], check=True, capture_output=True)
    service = Service(index, "--quiet").start()
    try:
        first = service.get("/v1/clusters", wait=60)["clusters"][0]
        page = open_page(service, f"cluster/{first['id']}")
        waited, counted, kept = [], [], page.locator(".head a").first
        expect(kept).to_have_text(first["id"])
        # Each answer begins a new run; none of them is waited for.
        shown = "(before) => { const kept = document.querySelector('.head a'); return kept && kept.textContent !== before; }"
        for number in range(ANSWERS):
            before = kept.inner_text()
            start = time.monotonic()
            page.keyboard.press("yn"[number % 2])
            page.wait_for_function(shown, arg=before, polling=5)
            waited.append(time.monotonic() - start)
            start = time.monotonic()
            assert service.get("/v1/stat")["index"]["documents"] == DOCUMENTS
            counted.append(time.monotonic() - start)
        assert service.get("/v1/judgments")["total"] == ANSWERS
        percentiles("next cluster", waited)
        percentiles("stat", counted)
    finally:
        service.stop()
