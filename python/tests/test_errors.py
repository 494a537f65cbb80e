"""Whatever is wrong is told in a sentence."""

from __future__ import annotations

from typing import Any

import pytest

import lookalike as la


def test_a_missing_column_is_named_with_those_that_are_there() -> None:
    rows = [{"body": "one two", "key": 1}]
    with pytest.raises(la.InputError, match=r"no column `text`.*text=….*body, key"):
        la.find(rows)
    with pytest.raises(la.InputError, match=r"no column `name`.*id=…"):
        la.find(rows, text="body", id="name")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "minhsh"}, "minhsh"),
        ({"threshold": 7}, "threshold"),
        ({"keep": "best"}, "keep"),
        ({"ngramm": 3}, "ngramm"),
        ({"memory": "much"}, "memory"),
        ({"ngram": object()}, "plain value"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(la.ConfigError, match=message):
        la.find(["one two three"], **options)


@pytest.mark.parametrize("data", [7, b"text", {"a": "text"}, None, 3.5])
def test_what_is_no_data_is_refused(data: Any) -> None:
    with pytest.raises(la.InputError):
        la.find(data)


def test_equal_ids_are_refused() -> None:
    with pytest.raises(la.InputError, match="`x`"):
        la.find([{"id": "x", "text": "one"}, {"id": "x", "text": "two"}])


def test_ids_of_other_types_are_refused() -> None:
    with pytest.raises(la.InputError, match="float"):
        la.find([{"id": 0.5, "text": "one"}, {"id": "x", "text": "two"}])


def test_rows_without_text_are_counted_and_told() -> None:
    rows = [{"text": "one two three"}, {"text": None}, {"text": "one two three"}, {"other": 1}]
    with pytest.warns(la.LookalikeWarning, match="1 rows could not be read"):
        result = la.dedup(rows, ngram=1)
    assert result.summary["unreadable"] == 1 and result.summary["too_short"] == 1
    assert result.kept == rows[:2]
    assert result.unreadable["reason"] == ["no field `text`"]
    assert [row["text"] for row in result.removed] == ["one two three"]


def test_no_rows_are_no_error() -> None:
    for empty in ([], ()):
        result = la.dedup(empty)
        assert len(result.kept) == 0 and result.summary["documents"] == 0


def test_a_method_that_needs_a_file_says_which() -> None:
    with pytest.raises(la.ConfigError, match="stats"):
        la.Method("imatch")
    with pytest.raises(la.LookalikeError, match="train"):
        la.Method("andd")
    with pytest.raises(la.LookalikeError, match="nowhere.stats"):
        la.Method("imatch", stats="nowhere.stats")


def test_all_errors_have_one_base() -> None:
    for error in (la.ConfigError, la.InputError, la.ArtifactError, la.OutputError):
        assert issubclass(error, la.LookalikeError)


def test_what_merely_overlaps_is_not_removed() -> None:
    with pytest.raises(la.ConfigError, match="overlaps"):
        la.dedup(["one two three"] * 2, method="paragraph", relation="overlaps")
