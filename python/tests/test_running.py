"""Threads, signals, forks, progress, memory."""

from __future__ import annotations

import gc
import multiprocessing
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

import lookalike as la

from conftest import edited, interrupt, story


def _count(texts: list[str]) -> int:
    return len(la.find(texts, ngram=2, threshold=0.6, progress=False).pairs)


def test_the_lock_is_released(texts: list[str]) -> None:
    many = [edited(story(number % 500, 200), number) for number in range(4000)]
    turns = 0
    running = True

    def turn() -> None:
        nonlocal turns
        while running:
            turns += 1

    other = threading.Thread(target=turn)
    other.start()
    before = turns
    la.find(many, progress=False, threads=1)
    running = False
    other.join()
    assert turns - before > 1000


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_children_work_after_the_parent_has(start: str, texts: list[str]) -> None:
    expected = _count(texts)
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(_count, [texts, texts])) == [expected, expected]


def test_ctrl_c_stops_a_run() -> None:
    """In the middle of work that would last for minutes; how soon is not asked of a busy machine."""
    program = textwrap.dedent(
        """
        import sys, time
        sys.path.insert(0, sys.argv[1])
        from conftest import edited, story
        import lookalike as la
        many = [story(n % 2000, 400) + str(n) for n in range(40_000)]
        print("ready", flush=True)
        try:
            while True:
                la.find(many, progress=False)
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    )
    interrupt(program)


def test_progress_is_told_and_ends() -> None:
    heard: list[tuple[str, int, int]] = []
    many = [edited(story(number % 500, 300), number) for number in range(6000)]
    la.find(many, progress=lambda *report: heard.append(report))
    assert heard[-1] == ("", 0, 0)
    assert all(done <= total or total == 0 for _, done, total in heard)


def test_an_error_in_the_progress_function_reaches_the_caller() -> None:
    def broken(*_: Any) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        la.find(["one two three"] * 3, ngram=1, progress=broken)


def test_threads_come_from_the_argument_or_the_environment(
    monkeypatch: pytest.MonkeyPatch, texts: list[str]
) -> None:
    expected = la.find(texts, threads=1, progress=False).pairs
    assert la.find(texts, threads=8, progress=False).pairs == expected
    monkeypatch.setenv("LOOKALIKE_THREADS", "2")
    assert la.find(texts, progress=False).pairs == expected
    monkeypatch.setenv("LOOKALIKE_THREADS", "many")
    with pytest.raises(la.ConfigError, match="LOOKALIKE_THREADS"):
        la.find(texts, progress=False)


def test_repeated_calls_do_not_grow() -> None:
    psutil = pytest.importorskip("psutil")
    texts = [edited(story(number % 50, 200), number) for number in range(500)]
    process = psutil.Process()

    def rounds(count: int) -> int:
        for _ in range(count):
            la.dedup(texts, ngram=2, progress=False, threads=1).removed
            with pytest.raises(la.ConfigError):
                la.find(texts, keep="best")
        gc.collect()
        return int(process.memory_info().rss)

    rounds(30)
    before = rounds(10)
    assert rounds(60) - before < 12 << 20


def test_importing_takes_nothing_else_along() -> None:
    program = (
        "import sys, lookalike; "
        "print(sorted({'pandas','polars','pyarrow','datasets','numpy','sklearn'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"


def test_lists_need_no_library() -> None:
    """Where none of the libraries can be imported, everything that needs none works."""
    program = textwrap.dedent(
        """
        import sys
        for name in ("pandas", "polars", "pyarrow", "datasets", "numpy", "sklearn", "pyspark"):
            sys.modules[name] = None
        import lookalike as la
        texts = ["one two three four", "five six seven", "one two three four"]
        result = la.dedup(texts, ngram=1)
        assert result.kept == texts[:2] and result.pairs.to_pylist() == [{"a": 0, "b": 2, "score": 1.0}]
        assert la.NearDuplicates(parameters={"ngram": 1}).fit_predict(texts) == [0, 1, 0]
        try:
            import lookalike.spark
        except la.InputError as error:
            assert "pip install pyspark" in str(error)
        else:
            raise AssertionError("lookalike.spark without PySpark")
        """
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_in_the_middle_of_a_run_does_no_harm() -> None:
    """The child has a run of its own while the parent's goes on."""
    many = [edited(story(number % 300, 200), number) for number in range(3000)]
    expected = _count(many)
    counted: list[int] = []
    running = threading.Thread(target=lambda: counted.append(_count(many)))
    running.start()
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(_count, many[:500]).result(timeout=600) == _count(many[:500])
    running.join()
    assert counted == [expected]
