"""What the scripts that measure share: words to make texts of, and the cost of one run of a command."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

FUNCTION_WORDS = (
    "the of and to in a is that for it was on are as with be by at have this from or had not but what all were when we "
    "there can an your which their said if do will each about how up out them then she many some so these would other "
    "into has more her two like him see time could no make than first been its who now people my made over did down only"
).split()


def word_maker(generator, language):
    """A function that gives a list of so many words, the frequent ones first as in any language."""
    if language == "zh":
        words = [chr(n) for n in generator.sample(range(0x4E00, 0x9000), 3000)]
    else:
        syllables = [c + v for c in "bcdfghklmnprstvw" for v in ("a", "e", "i", "o", "u", "ar", "en", "is", "on")]
        rare = {"".join(generator.choices(syllables, k=generator.randint(2, 4))) for _ in range(30000)}
        words = FUNCTION_WORDS + sorted(rare)
    total, weights = 0.0, []
    for rank in range(len(words)):
        total += 1 / (rank + 2.7)
        weights.append(total)
    return lambda count: generator.choices(words, cum_weights=weights, k=count)


def counts_instructions():
    """Whether the processor's counters can be read."""
    if not shutil.which("perf"):
        return False
    tried = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True)
    return tried.returncode == 0 and "not supported" not in tried.stderr and "not counted" not in tried.stderr


def unnamed_bytes(pid):
    """What a process holds on disk in files that have no name."""
    total = 0
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            if os.readlink(entry.path).endswith("(deleted)"):
                total += os.stat(entry.path).st_blocks * 512
    except OSError:  # It has ended, or this is another system: nothing is known then.
        pass
    return total


def measure(command, limit, instructions=False, disk=False):
    """Seconds, peaks of memory and disk and, where they can be had, instructions of one run; None past the limit."""
    counted = None
    if instructions:
        counted = tempfile.NamedTemporaryFile("r", suffix=".perf")
        command = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", counted.name, *command]
    start = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak_disk = 0
    while True:
        if disk:
            peak_disk = max(peak_disk, unnamed_bytes(child.pid))
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        wall = time.monotonic() - start
        if pid:
            break
        if wall > limit:
            child.kill()
            os.wait4(child.pid, 0)
            return None
        time.sleep(0.005)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{child.stderr.read().decode()}")
    found = {"cpu": usage.ru_utime + usage.ru_stime, "wall": wall, "memory": usage.ru_maxrss * 1024, "disk": peak_disk}
    if counted:
        lines = [line for line in counted.read().splitlines() if "instructions" in line]
        found["instructions"] = float(lines[0].split(",")[0])
    return found
