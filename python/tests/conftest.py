"""Documents that the tests share."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

WORDS = (
    "ferry harbour island council morning bakery bread lighthouse keeper storm winter summer boat "
    "fisher market bridge school garden river mountain train station letter window music dance "
    "paper stone water fire cloud rain snow wind light night day year month week hour minute "
    "captain sailor anchor rope engine wheel tower clock street corner lamp door house roof"
).split()


def story(seed: int, length: int = 60) -> str:
    """A text of its own."""
    words = random.Random(seed)
    return " ".join(words.choice(WORDS) for _ in range(length))


def article(seed: int, length: int = 60) -> str:
    """A text with words of its own and the small words of prose, which some methods live on."""
    words = random.Random(seed)
    small = ("the", "a", "is", "was", "there", "an", "are")
    own = [f"{words.choice(WORDS)}{words.randrange(25)}" for _ in range(length // 4)]
    return " ".join(
        words.choice(small) if at % 4 == 0 else words.choice(own) if at % 4 == 2 else words.choice(WORDS)
        for at in range(length)
    )


def interrupt(program: str, *arguments: str) -> None:
    """Presses Ctrl-C in a program that says when it is ready and when it was stopped."""
    # Whoever starts the tests in the background may have Ctrl-C ignored, and children inherit that.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    command = [sys.executable, "-c", heard + program, os.path.dirname(__file__), *arguments]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    too_long = threading.Timer(300, child.kill)
    too_long.start()
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "stopped\n"
        assert child.wait(timeout=300) == 0
    finally:
        too_long.cancel()
        child.kill()
        child.communicate()


def edited(text: str, seed: int, n_edits: int = 1) -> str:
    """A near copy: some words are others."""
    chance = random.Random(seed)
    words = text.split()
    for _ in range(n_edits):
        words[chance.randrange(len(words))] = chance.choice(WORDS)
    return " ".join(words)


@pytest.fixture(scope="session")
def rows() -> list[dict[str, object]]:
    """Forty stories, some with near copies and exact ones, in an order of no meaning."""
    made: list[dict[str, object]] = []
    for number in range(40):
        text = story(number)
        made.append({"id": f"s{number}", "text": text, "rank": number % 7, "source": "a"})
        if number % 3 == 0:
            made.append({"id": f"s{number}-near", "text": edited(text, number), "rank": 9, "source": "b"})
        if number % 5 == 0:
            made.append({"id": f"s{number}-copy", "text": text, "rank": 1, "source": "c"})
    random.Random(1).shuffle(made)
    return made


@pytest.fixture(scope="session")
def texts(rows: list[dict[str, object]]) -> list[str]:
    return [str(row["text"]) for row in rows]
