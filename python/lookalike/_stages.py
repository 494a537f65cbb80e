"""Stages of a Spark job in a folder: finished ones are read, not run again."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any, Callable

from .errors import InputError, LookalikeError, OutputError

#: What a stage that is stamped so has as its input is not known after the job.
UNKNOWN = "unknown"


def input_stamp(frame: Any) -> str:
    """A digest of the files a frame is read from, by name, size and time; :data:`UNKNOWN` without files."""
    spark = frame.sparkSession
    files = sorted(frame.inputFiles())
    if not files:
        return UNKNOWN
    digest = hashlib.sha256(frame.schema.json().encode())
    for file in files:
        path = spark._jvm.org.apache.hadoop.fs.Path(file)
        status = path.getFileSystem(spark._jsc.hadoopConfiguration()).getFileStatus(path)
        digest.update(f"\n{file} {status.getLen()} {status.getModificationTime()}".encode())
    return digest.hexdigest()


class Stages:
    """The folder of a job. Each stage is a Parquet table and a stamp that is written after it."""

    def __init__(self, spark: Any, folder: str, stamp: dict[str, str]) -> None:
        self._spark = spark
        self._folder = folder.rstrip("/")
        self._stamp = stamp
        self.reused: list[str] = []

    def table(self, name: str, make: Callable[[], Any]) -> Any:
        """The table of a stage: read where it is finished, else made and written."""
        path = f"{self._folder}/{name}"
        if self._is_finished(name):
            self.reused.append(name)
        else:
            told(lambda: make().write.mode("overwrite").parquet(f"{path}/table"))
            self._write(f"{path}/stamp.json", json.dumps(self._stamp, indent=1).encode())
        return self._spark.read.parquet(f"{path}/table")

    def file(self, name: str, make: Callable[[], bytes]) -> bytes:
        """The same for a stage that gives one file."""
        path = f"{self._folder}/{name}"
        if self._is_finished(name):
            self.reused.append(name)
        else:
            self._write(f"{path}/content", told(make))
            self._write(f"{path}/stamp.json", json.dumps(self._stamp, indent=1).encode())
        return bytes(self._read(f"{path}/content") or b"")

    def scratch(self, name: str, frame: Any) -> Any:
        """A table between two rounds of a stage: cuts the plan, and outlives a lost executor."""
        path = f"{self._folder}/{name}"
        told(lambda: frame.write.mode("overwrite").parquet(path))
        return self._spark.read.parquet(path)

    def remove(self, name: str) -> None:
        """Removes a table of rounds."""
        path = self._path(f"{self._folder}/{name}")
        self._files(path).delete(path, True)

    def _is_finished(self, name: str) -> bool:
        written = self._read(f"{self._folder}/{name}/stamp.json")
        if written is None or self._stamp["input"] == UNKNOWN:
            return False
        known: dict[str, str] = json.loads(bytes(written))
        changed = [key for key in self._stamp if known.get(key) != self._stamp[key]]
        if changed:
            raise OutputError(
                f"{self._folder}/{name} was made with another {' and another '.join(changed)}; "
                "give another folder as work=…, or remove this one"
            )
        return True

    def _path(self, path: str) -> Any:
        return self._spark._jvm.org.apache.hadoop.fs.Path(path)

    def _files(self, path: Any) -> Any:
        return path.getFileSystem(self._spark._jsc.hadoopConfiguration())

    def _write(self, name: str, content: bytes) -> None:
        path = self._path(name)
        stream = self._files(path).create(path, True)
        try:
            stream.write(bytearray(content))
        finally:
            stream.close()

    def _read(self, name: str) -> bytearray | None:
        path = self._path(name)
        files = self._files(path)
        if not files.exists(path):
            return None
        stream = files.open(path)
        try:
            content: bytearray = stream.readAllBytes()
        finally:
            stream.close()
        return content


def told(work: Callable[[], Any]) -> Any:
    """Runs a job; what stops it in an executor is told in one sentence."""
    try:
        return work()
    except LookalikeError:
        raise
    except Exception as error:
        sentence = _sentence(str(error))
        if sentence is None:
            raise
        raise sentence from error


def _sentence(message: str) -> LookalikeError | None:
    if "No module named 'lookalike" in message:
        return LookalikeError(
            "the Python of a Spark worker has no lookalike; set PYSPARK_PYTHON to one that has it (on this machine: "
            f"PYSPARK_PYTHON={sys.executable}), or ship an environment with --archives"
        )
    if "No module named 'pyarrow'" in message:
        return LookalikeError(
            "the Python of a Spark worker has no pyarrow; install it there, or set PYSPARK_PYTHON to one that has it"
        )
    for line in message.splitlines():
        name, colon, reason = line.strip().partition(": ")
        kind = name.rpartition(".")[2]
        if colon and name.startswith(("lookalike", "_lookalike")) and kind.endswith("Error"):
            return {"InputError": InputError, "OutputError": OutputError}.get(kind, LookalikeError)(reason)
    return None
