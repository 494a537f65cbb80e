"""Every kind of data gives the same answer and comes back as what it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lookalike as la

OPTIONS: dict[str, Any] = {"ngram": 2, "threshold": 0.6, "progress": False, "threads": 1}


@pytest.fixture(scope="session")
def expected(rows: list[dict[str, Any]]) -> list[str]:
    """The ids that stay."""
    kept = la.dedup(rows, **OPTIONS).kept
    assert 40 <= len(kept) < len(rows)
    return [row["id"] for row in kept]


def test_dictionaries_come_back_as_they_were_and_removed_ones_say_of_what(
    rows: list[dict[str, Any]],
) -> None:
    result = la.dedup(rows, **OPTIONS)
    assert all(row in rows for row in result.kept)
    ids = {row["id"] for row in result.kept}
    for row in result.removed:
        assert row["duplicate_of"] in ids and 0.6 <= row["score"] <= 1.0
    assert len(result.kept) + len(result.removed) == len(rows)
    assert result.summary["documents"] == len(rows)
    assert result.evidence["id"] == [row["id"] for row in result.removed]


def test_texts(texts: list[str], rows: list[dict[str, Any]], expected: list[str]) -> None:
    kept = la.dedup(texts, **OPTIONS).kept
    assert kept == [row["text"] for row in rows if row["id"] in expected]
    assert isinstance(la.dedup(tuple(texts), **OPTIONS).kept, tuple)
    result = la.find(texts, **OPTIONS)
    assert all(isinstance(pair["a"], int) and pair["a"] < pair["b"] for pair in result.pairs)


def test_pyarrow(rows: list[dict[str, Any]], expected: list[str]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(rows)
    for kind in ("string", "large_string", "string_view"):
        typed = table.set_column(1, "text", table["text"].cast(getattr(pyarrow, kind)()))
        result = la.dedup(typed, **OPTIONS)
        assert result.kept["id"].to_pylist() == expected
        assert result.kept.schema == typed.schema
        assert result.removed.column_names == [*typed.column_names, "duplicate_of", "score"]
    chunked = pyarrow.concat_tables([table.slice(0, 7), table.slice(7, 0), table.slice(7)])
    assert la.dedup(chunked, **OPTIONS).kept["id"].to_pylist() == expected
    assert la.dedup(table.to_batches()[0], **OPTIONS).kept["id"].to_pylist() == expected
    assert len(la.dedup(table["text"], **OPTIONS).kept) == len(expected)


def test_a_stream_is_read_once_and_its_rows_come_back(
    rows: list[dict[str, Any]], expected: list[str]
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(rows)
    result = la.dedup(table.to_reader(max_chunksize=9), **OPTIONS)
    assert result.kept["id"] == expected
    assert result.kept.column_names == ["id", "text", "rank", "source"]
    best = la.dedup(table.to_reader(), keep="max:rank", **OPTIONS)
    assert best.kept["id"] == [row["id"] for row in la.dedup(rows, keep="max:rank", **OPTIONS).kept]
    batches = (batch for batch in table.to_batches(max_chunksize=5))
    assert la.dedup(batches, **OPTIONS).kept["id"] == expected


def test_pandas(rows: list[dict[str, Any]], expected: list[str]) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, index=range(100, 100 + len(rows)))
    for kind in (None, "object"):
        typed = frame if kind is None else frame.astype({"text": kind})
        result = la.dedup(typed, **OPTIONS)
        assert list(result.kept["id"]) == expected
        assert set(result.removed["duplicate_of"]) <= set(expected)
        assert set(result.kept.index) <= set(frame.index)
    assert list(la.dedup(frame["text"], **OPTIONS).kept.index) == list(
        frame.index[frame["id"].isin(expected)]
    )


def test_polars(rows: list[dict[str, Any]], expected: list[str]) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(rows)
    result = la.dedup(frame, **OPTIONS)
    assert result.kept["id"].to_list() == expected
    assert result.removed.columns == [*frame.columns, "duplicate_of", "score"]
    assert la.dedup(frame.lazy(), **OPTIONS).kept["id"].to_list() == expected
    assert len(la.dedup(frame["text"], **OPTIONS).kept) == len(expected)
    assert polars.DataFrame(result.clusters).columns == ["row", "id", "cluster", "size", "keeper", "score"]


def test_datasets(rows: list[dict[str, Any]], expected: list[str]) -> None:
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_list(rows)
    result = la.dedup(data, **OPTIONS)
    assert result.kept["id"] == expected or list(result.kept["id"]) == expected
    assert set(result.removed["duplicate_of"]) <= set(expected)
    shuffled = data.shuffle(seed=3)
    assert set(la.dedup(shuffled, **OPTIONS, keep="longest").kept.column_names) == set(data.column_names)


def test_paths(tmp_path: Path, rows: list[dict[str, Any]], expected: list[str]) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for given in (file, str(file), [file]):
        found = la.find(given, **OPTIONS)
        assert set(found.clusters["cluster"]) <= set(expected)
    with pytest.raises(la.InputError, match="out="):
        la.dedup(file, **OPTIONS)
    la.dedup(file, **OPTIONS, out=tmp_path / "clean")
    kept = [json.loads(line) for line in (tmp_path / "clean" / "rows.jsonl").read_text().splitlines()] if (
        tmp_path / "clean" / "rows.jsonl"
    ).exists() else [
        json.loads(line) for line in (tmp_path / "clean" / "kept.jsonl").read_text().splitlines()
    ]
    assert [row["id"] for row in kept] == expected
    with pytest.raises(la.OutputError, match="not empty"):
        la.dedup(file, **OPTIONS, out=tmp_path / "clean")


def test_names_of_the_caller_are_left_alone(rows: list[dict[str, Any]]) -> None:
    own = [{**row, "score": 7, "duplicate_of": "mine"} for row in rows]
    removed = la.dedup(own, **OPTIONS).removed[0]
    assert removed["score"] == 7 and removed["duplicate_of"] == "mine"
    assert removed["lookalike_duplicate_of"] and removed["lookalike_score"] >= 0.6


def test_whole_numbers_are_ids(rows: list[dict[str, Any]]) -> None:
    numbered = [{**row, "id": 1000 + number} for number, row in enumerate(rows)]
    result = la.dedup(numbered, **OPTIONS)
    assert all(isinstance(row["duplicate_of"], int) for row in result.removed)
    assert all(isinstance(pair["a"], int) for pair in la.find(numbered, **OPTIONS).pairs)


def test_keep_rules_see_other_columns(rows: list[dict[str, Any]]) -> None:
    kept = la.dedup(rows, **OPTIONS, keep="max:rank").kept
    assert sum(row["rank"] == 9 for row in kept) == sum(row["rank"] == 9 for row in rows)


def test_what_pandas_calls_missing_is_kept_like_an_empty_text(texts: list[str]) -> None:
    pandas = pytest.importorskip("pandas")
    values = [*texts[:2], pandas.NA, float("nan"), None, "", 5, ["a"]]
    frame = pandas.DataFrame({"text": pandas.Series(values, dtype="object")})
    with pytest.warns(la.LookalikeWarning, match="2 rows"):
        result = la.dedup(frame, progress=False)
    assert list(result.kept.index) == [0, 1, 2, 3, 4, 5]
    assert result.unreadable["row"] == [6, 7]
    assert result.unreadable["reason"][0] == "field `text` is of type int, not a text"
    assert len(result.kept) + len(result.removed) + len(result.unreadable) == len(frame)
    with pytest.warns(la.LookalikeWarning, match="2 rows"):
        assert la.find(frame["text"], progress=False).unreadable["row"] == [6, 7]


def test_rows_without_a_text_have_one_rule_in_lists_tables_and_files(texts: list[str], tmp_path: Path) -> None:
    rows: list[Any] = [{"text": texts[0]}, {"text": None}, {"text": ""}, {"text": 5}, {"other": "x"}]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.warns(la.LookalikeWarning, match="2 rows"):
        in_memory, in_file = la.dedup(rows, progress=False), la.find(file, progress=False)
    assert in_memory.kept == rows[:3]
    assert in_memory.unreadable["row"] == in_file.unreadable["row"] == [3, 4]
    pyarrow = pytest.importorskip("pyarrow")
    assert len(la.dedup(pyarrow.table({"text": [texts[0], None, ""]}), progress=False).kept) == 3


def test_columns_may_be_called_by_numbers(rows: list[dict[str, Any]], expected: list[str]) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({0: [row["id"] for row in rows], 1: [row["text"] for row in rows]})
    result = la.dedup(frame, text="1", id="0", **OPTIONS)
    assert list(result.kept[0]) == expected


@pytest.mark.parametrize("first", [0, -5, 2**63, 2**70])
def test_whole_numbers_of_any_size_are_ids(texts: list[str], first: int) -> None:
    rows = [{"id": first + number, "text": text} for number, text in enumerate([texts[0], texts[0]])]
    result = la.dedup(rows, progress=False)
    assert result.kept == rows[:1]
    # Beyond 64 bits they are known by their digits.
    assert [int(row["duplicate_of"]) for row in result.evidence] == [first]


def test_numbers_of_numpy_are_numbers(texts: list[str]) -> None:
    numpy = pytest.importorskip("numpy")
    rows = [
        {"id": numpy.uint64(2**63 + number), "text": numpy.str_(text), "rank": numpy.float32(number)}
        for number, text in enumerate([texts[0], texts[0]])
    ]
    result = la.dedup(rows, keep="max:rank", progress=False)
    assert result.kept == rows[1:] and result.evidence["duplicate_of"] == [2**63 + 1]


def test_an_id_that_is_no_unicode_text_is_refused(texts: list[str]) -> None:
    with pytest.raises(la.InputError, match="no Unicode text"):
        la.find([{"id": "\ud800", "text": texts[0]}], progress=False)


CHATS: list[dict[str, Any]] = [
    {"id": "a", "title": "Ferry", "messages": [{"role": "user", "content": "When does the ferry to the island leave today?"}]},
    {
        "id": "b",
        "title": "Ferry",
        "messages": [
            {"role": "user", "content": "When does the ferry to the island leave today?"},
            {"role": "assistant", "content": "It leaves at six, and again at noon if the fog is gone."},
        ],
    },
    {"id": "c", "title": "Bridge", "messages": [{"role": "assistant", "content": "The bridge is closed until the storm has passed."}]},
]


@pytest.mark.parametrize("kind", ["dictionaries", "pyarrow", "pandas", "polars"])
def test_chats_and_several_fields_are_texts_of_every_kind_of_data(kind: str) -> None:
    data: Any = CHATS
    if kind != "dictionaries":
        library = pytest.importorskip(kind)
        data = library.Table.from_pylist(CHATS) if kind == "pyarrow" else library.DataFrame(CHATS)
    options: dict[str, Any] = {"ngram": 2, "progress": False}
    of_users = la.dedup(data, text="messages[role=user].content", **options)
    assert list(of_users.evidence["id"]) == ["b"]
    assert len(of_users.kept) == 2
    assert la.dedup(data, text="messages[].content", **options).summary["removed"] == 0
    # "Ferry" and the same question: more is said in one of them.
    titles = la.find(data, text="title,messages[role=user].content", **options)
    assert titles.summary["confirmed_pairs"] == 1
    with pytest.raises(la.InputError, match="no column `body,texts`"):
        la.find(data, text="body,texts", **options)
    with pytest.raises(la.ConfigError, match=r"messages\[\]\.content"):
        la.find(data, text="messages[", **options)


def test_a_data_set_that_streams_is_read_a_part_at_a_time(rows: list[dict[str, Any]], expected: list[str]) -> None:
    datasets = pytest.importorskip("datasets")
    stream = datasets.Dataset.from_list(rows).to_iterable_dataset(num_shards=3)
    result = la.dedup(stream, **OPTIONS)
    assert isinstance(result.kept, la.Table)
    assert result.kept["id"] == expected
