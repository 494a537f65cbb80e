"""The durable index from Python: what it says, what it keeps, and how it refuses."""

from __future__ import annotations

import copy
import datetime
import gc
import json
import os
import pickle
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import lookalike as la

from conftest import edited, interrupt, story

OPTIONS: dict[str, Any] = {"ngram": 2, "threshold": 0.6}


def pairs_of(found: Any) -> list[tuple[Any, ...]]:
    return sorted((pair["a"], pair["b"], pair["score"]) for pair in found.pairs)


def test_however_documents_come_in_the_answer_is_that_of_find(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    expected = la.find(rows, pairs="all", progress=False, **OPTIONS)
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    given = [rows, tuple(rows), pyarrow.Table.from_pylist(rows), pandas.DataFrame(rows), file, str(file)]
    for number, data in enumerate(given):
        with la.Index.create(tmp_path / str(number), **OPTIONS) as index:
            answers = index.add(data, batch=7)
            assert [answer.id for answer in answers] == [row["id"] for row in rows]
            assert {answer.added for answer in answers} == {"added"}
            found = index.find(pairs="all", progress=False)
            assert pairs_of(found) == pairs_of(expected)
            assert list(index.documents()) == rows
            # Each pair is told once, of the document that came later.
            told = {
                tuple(sorted((answer.id, match.id))): match.score
                for answer in answers
                for match in answer.matches
            }
            assert told == {tuple(sorted((a, b))): score for a, b, score in pairs_of(expected)}


def test_a_check_adds_nothing_and_knows_a_document_by_its_id(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    with la.Index.create(tmp_path / "index", **OPTIONS) as index:
        index.add(rows[:10])
        texts = [row["text"] for row in rows[:10]]
        assert all(answer.matches[0].score == 1.0 for answer in index.check(texts))
        assert [answer.id for answer in index.check(texts)] == [str(row) for row in range(10)]
        for answer, row in zip(index.check(rows[:10]), rows):
            assert answer.id_exists and row["id"] in [match.id for match in answer.matches]
        assert not any(answer.id_exists for answer in index.check(texts))
        assert index.check([{"text": texts[0]}])[0].matches[0] == la.Match(rows[0]["id"], 1.0)
        assert index.check(["…"])[0].status == "too-short"
        assert index.stat()["documents"] == 10


def test_nested_fields_come_back_and_rows_without_a_text_are_told(tmp_path: Path) -> None:
    rows = [
        {"id": 7, "text": "one two three four", "tags": ["a", {"b": None}], "day": datetime.date(2026, 1, 2)},
        {"id": "x", "text": 5},
        {"id": "y", "text": "one two three four"},
        {"id": "z", "text": None},
    ]
    with la.Index.create(tmp_path / "index", ngram=1) as index:
        with pytest.warns(la.LookalikeWarning, match="1 rows could not be read"):
            answers = index.add(rows)
        assert [answer.status for answer in answers] == ["new", "unreadable", "duplicate", "too-short"]
        assert answers[1].reason and answers[1].added is None
        assert answers[2].is_duplicate and answers[2].matches == [la.Match("7", 1.0)]
        first = next(index.documents())
        assert first["tags"] == ["a", {"b": None}] and first["day"] == "2026-01-02"


def test_ids_made_of_places_are_no_ids(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"text": "one two three four five"}) + "\n", encoding="utf-8")
    with la.Index.create(tmp_path / "index", ngram=1) as index:
        with pytest.raises(la.LookalikeError, match="has no id"):
            index.add(file)
        index.add([{"id": "a", "text": "one two three four five"}])
        answer = index.check(file)[0]
        assert answer.id == "0" and answer.matches == [la.Match("a", 1.0)]


def test_ids_that_are_there_and_batches_that_are_whole_or_not_at_all(tmp_path: Path) -> None:
    def row(name: str, text: str = "one two three four five") -> dict[str, str]:
        return {"id": name, "text": text}

    with la.Index.create(tmp_path / "index", ngram=1) as index:
        index.add([row("a"), row("b")])
        with pytest.raises(la.InputError, match=r'"a" is already in the index.*on_id="skip"'):
            index.add([row("new"), row("a")])
        assert index.stat()["documents"] == 2
        with pytest.raises(la.InputError, match="the 2 documents of earlier batches were added"):
            index.add([row("c"), row("d"), row("e"), row("a")], batch=2)
        assert [document["id"] for document in index.documents()] == ["a", "b", "c", "d"]
        assert index.add([row("a", "quite other words")], on_id="skip")[0].added == "skipped"
        assert index.add([row("a", "quite other words")], on_id="replace")[0].added == "replaced"
        assert index.check(["quite other words"])[0].matches == [la.Match("a", 1.0)]
        with pytest.raises(la.ConfigError, match="on_id"):
            index.add([row("z")], on_id="ignore")


def test_people_stand_above_the_method_and_what_is_removed_is_gone(tmp_path: Path) -> None:
    rows = [{"id": name, "text": "one two three four five"} for name in ("a", "b", "c")]
    with la.Index.create(tmp_path / "index", ngram=1) as index:
        index.add(rows)
        index.judge("a", "b", False)
        assert ("a", "b", 1.0) not in pairs_of(index.find(pairs="all"))
        assert index.export(tmp_path / "words", judgments=True) == 1
        index.judge("a", "b", None)
        assert ("a", "b", 1.0) in pairs_of(index.find(pairs="all"))
        assert index.remove(["a", "nobody", "a"]) == 1
        assert [match.id for match in index.check([rows[0]])[0].matches] == ["b", "c"]
        assert index.remove_before(datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)) == 0
        assert index.remove_before(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)) == 2
        index.compact()
        assert index.stat()["documents"] == 0 and index.verify() == {"documents": 0, "keys": 0}
        with pytest.raises(la.InputError, match="two documents"):
            index.judge("a", "a", True)
        with pytest.raises(la.InputError, match=r"remove\(\['a'\]\)"):
            index.remove("a")


def test_documents_expire(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "index", ngram=1, ttl=datetime.timedelta(milliseconds=200)) as index:
        index.add([{"id": "a", "text": "one two three four"}])
        time.sleep(0.3)
        assert index.check(["one two three four"])[0].status == "new"
        assert index.expire() == 1
    with pytest.raises(la.ConfigError, match="ttl"):
        la.Index.create(tmp_path / "other", ttl="3 moons")


def test_one_writes_many_read(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    with la.Index.create(tmp_path / "index", **OPTIONS) as index:
        reader = la.Index.open(tmp_path / "index", read_only=True)
        assert reader.read_only and not index.read_only
        index.add(rows)
        assert reader.stat()["documents"] == len(rows)
        with pytest.raises(la.LookalikeError, match="opened for reading"):
            reader.add(rows)
        with pytest.raises(la.StoreError, match="being written by process"):
            la.Index.open(tmp_path / "index")
    again = la.Index.open(tmp_path / "index")
    assert again.verify()["documents"] == len(rows) and again.config["threshold"] == 0.6
    assert pairs_of(again.find()) == pairs_of(reader.find())


def test_a_closed_index_says_so(tmp_path: Path) -> None:
    index = la.Index.create(tmp_path / "index")
    index.close()
    index.close()
    assert index.closed and "closed" in repr(index)
    for call in (index.stat, index.verify, index.find, index.compact, lambda: index.check(["text"])):
        with pytest.raises(la.IndexClosedError, match=r"is closed; open it again with Index\.open"):
            call()
    with pytest.raises(la.IndexClosedError):
        index.add([{"id": "a", "text": "one"}])


def test_whatever_is_wrong_is_a_sentence(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    with pytest.raises(la.StoreError, match="not an index"):
        la.Index.open(tmp_path / "nowhere")
    with pytest.raises(la.ConfigError, match="stats_from"):
        la.Index.create(tmp_path / "index", method="imatch")
    with pytest.raises(la.ConfigError, match="store"):
        la.Index.create(tmp_path / "index", store="everything")
    with pytest.raises(la.ConfigError, match="exact features"):
        la.Index.create(tmp_path / "index", store="signatures")
    with la.Index.create(tmp_path / "index", store="features", **OPTIONS) as index:
        with pytest.raises(la.InputError, match="need ids"):
            index.add(["a text without a name"])
        with pytest.raises(la.InputError, match="1 rows have no id in `id`, the first is row 1"):
            index.add([{"id": "a", "text": "one"}, {"text": "two"}])
        with pytest.raises(la.InputError, match="float"):
            index.add([{"id": 0.5, "text": "one"}])
        with pytest.raises(la.InputError, match="no column `body`"):
            index.check(__import__("pandas").DataFrame(rows), text="body")
        index.add(rows)
        with pytest.raises(la.ConfigError, match="it has no texts"):
            index.export(tmp_path / "out.jsonl")
        assert not (tmp_path / "out.jsonl").exists()
        with pytest.raises(la.ConfigError, match="no fields"):
            index.find(keep="max:rank")
    with pytest.raises(la.StoreError, match="not empty"):
        la.Index.create(tmp_path / "index")


def test_damage_is_named(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    with la.Index.create(tmp_path / "index", **OPTIONS) as index:
        index.add(rows)
        index.compact()
    largest = max((path for path in (tmp_path / "index").rglob("*") if path.is_file()), key=lambda p: p.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 1
    largest.write_bytes(content)
    with pytest.raises(la.StoreError, match="damaged"):
        la.Index.open(tmp_path / "index", read_only=True).verify()


def test_it_does_not_travel(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "index") as index:
        for travel in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="open it there with"):
                travel(index)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_is_refused_and_leaves_the_parent_alone(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    index = la.Index.create(tmp_path / "index", **OPTIONS)
    index.add(rows[:5])
    child = os.fork()
    if child == 0:
        told = b""
        try:
            index.stat()
        except la.LookalikeError as error:
            told = str(error).encode()
        index.close()
        del index
        gc.collect()
        own = la.Index.open(tmp_path / "index", read_only=True)
        os._exit(0 if b"forked; open it again" in told and own.stat()["documents"] == 5 else 1)
    assert os.waitpid(child, 0)[1] == 0
    index.add(rows[5:])
    assert index.stat()["documents"] == len(rows)
    index.close()


def test_threads_share_an_index_while_others_go_on(tmp_path: Path) -> None:
    many = [{"id": str(number), "text": edited(story(number % 200, 100), number)} for number in range(1000)]
    with la.Index.create(tmp_path / "index", **OPTIONS) as index:
        workers = [threading.Thread(target=index.add, args=(many[start::4],)) for start in range(4)]
        turns = 0
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            turns += 1
        assert index.stat()["documents"] == len(many) and turns > 100
        assert pairs_of(index.find(keep="id")) == pairs_of(la.find(list(index.documents()), keep="id", **OPTIONS))


def test_ctrl_c_keeps_whole_batches(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys
        sys.path.insert(0, sys.argv[1])
        from conftest import story
        import lookalike as la
        index = la.Index.create(sys.argv[2])
        print("ready", flush=True)
        try:
            for turn in range(1000):
                index.add([{"id": f"{turn}-{n}", "text": story(n, 300)} for n in range(2000)], batch=100)
        except KeyboardInterrupt:
            index.close()
            print("stopped", flush=True)
        """
    )
    interrupt(program, str(tmp_path / "index"))
    index = la.Index.open(tmp_path / "index")
    assert index.verify()["documents"] % 100 == 0


def test_repeated_calls_do_not_grow(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    rows = [{"id": str(number), "text": edited(story(number % 50, 200), number)} for number in range(300)]
    la.Index.create(tmp_path / "index", **OPTIONS).add(rows)
    process = psutil.Process()

    def rounds(count: int) -> tuple[int, int]:
        for _ in range(count):
            with la.Index.open(tmp_path / "index") as index:
                index.check(rows[:50], threads=1)
                with pytest.raises(la.InputError):
                    index.add(rows)
        gc.collect()
        return int(process.memory_info().rss), process.num_fds()

    rounds(20)
    memory, files = rounds(10)
    after, files_after = rounds(40)
    assert after - memory < 16 << 20 and files_after <= files
