#!/usr/bin/env python3
"""Makes small files that ask a careless reader for gigabytes, or for a very deep stack.

Needs Python 3.10 or later, pyarrow, and the zstd command-line tool:

    python3 testdata/make_bombs.py FOLDER
    for bomb in FOLDER/*; do lookalike find "$bomb" --memory 64M --format json; done

Each file must end in a result or in a sentence, with at most 64 MB + 150 MB of memory.
"""

import gzip
import lzma
import struct
import subprocess
import sys
import zlib
from pathlib import Path


def packed(path, pieces):
    """Compresses pieces as they come, so that making a bomb costs nothing either."""
    with open(path, "wb") as file:
        zstd = subprocess.Popen(["zstd", "-q", "-c"], stdin=subprocess.PIPE, stdout=file)
        for piece in pieces:
            zstd.stdin.write(piece)
        zstd.stdin.close()
        zstd.wait()


def parquet(folder):
    import pyarrow
    import pyarrow.parquet

    # One string of a dictionary in thousands of rows: 6 GB of text.
    text = pyarrow.array(["The ferry waits for the bus. " * 36000])
    numbers = pyarrow.array([0] * 6200, pyarrow.int32())
    rows = pyarrow.DictionaryArray.from_arrays(numbers, text)
    pyarrow.parquet.write_table(
        pyarrow.table({"text": rows}),
        folder / "dictionary.parquet",
        compression="zstd",
        dictionary_pagesize_limit=8 << 20,
        store_schema=False,
    )
    # One page of many times the memory that is allowed.
    page = pyarrow.table({"text": pyarrow.array([" " * (300 << 20)])})
    pyarrow.parquet.write_table(page, folder / "page.parquet", compression="zstd", use_dictionary=False)
    # Rows without anything in them.
    nulls = pyarrow.table({"text": pyarrow.nulls(5_000_000, pyarrow.string())})
    pyarrow.parquet.write_table(nulls, folder / "nulls.parquet", compression="zstd")


def windows(folder):
    # A zstd frame with a window of 2 GiB, filled by blocks of one repeated byte.
    frame = b"\x28\xb5\x2f\xfd\x00" + bytes([21 << 3])
    block = struct.pack("<I", (128 << 10) << 3 | 1 << 1)[:3] + b"\n"
    last = struct.pack("<I", 1 << 3 | 1 << 1 | 1)[:3] + b"\n"
    (folder / "window.jsonl.zst").write_bytes(frame + block * 20000 + last)
    # An xz file whose header asks for a dictionary of 1.5 GiB.
    plain = lzma.compress(b'{"text": "fog"}\n' * 1000)
    size = (plain[12] + 1) * 4
    header = bytearray(plain[12 : 12 + size - 4])
    header[header.index(b"\x21\x01") + 2] = 37
    header += struct.pack("<I", zlib.crc32(bytes(header)))
    (folder / "window.jsonl.xz").write_bytes(plain[:12] + bytes(header) + plain[12 + size :])


def rows(folder):
    packed(folder / "bad_rows.jsonl.zst", (b"x\n" * 50_000 for _ in range(100)))
    long = b'{"id": %d, "text": "'
    word = b"fog and rain " * (1 << 16)
    packed(
        folder / "long_rows.jsonl.zst",
        (piece for n in range(6) for piece in (long % n, *([word] * 70), b'"}\n')),
    )
    packed(folder / "endless_row.jsonl.zst", (b"x" * (1 << 20) for _ in range(3000)))
    packed(folder / "blank_lines.jsonl.zst", (b"\n" * (1 << 20) for _ in range(1000)))
    packed(folder / "endless_array.json.zst", (b"[" * (1 << 20) for _ in range(300)))
    packed(folder / "endless_quote.csv.zst", (b'text\n"' + b"a,\n" * (1 << 18) for _ in range(300)))


def mail(folder):
    level = b"Content-Type: message/rfc822\n\n"
    (folder / "nested.eml").write_bytes(b"Subject: a\n" + level * 40_000 + b"Subject: b\n\nc\n")
    head = b"Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n"
    packed(folder / "parts.eml.zst", [head + b"--b\n\nx\n" * 8_000_000])
    nested = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(20_000)
    )
    (folder / "multipart.eml").write_bytes(b"Subject: a\n" + nested + b"\nc\n")


def pages(folder):
    packed(folder / "open_elements.html.zst", (b"<div>" * 100_000 for _ in range(100)))
    packed(folder / "attributes.html.zst", [b"<p " + b"a=b " * 12_000_000 + b">x"])
    body = gzip.compress(b" " * (1 << 30), mtime=0)
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n" + body
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
    record = head + b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(http), http)
    (folder / "page.warc").write_bytes(record)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (parquet, windows, rows, mail, pages):
        make(folder)


if __name__ == "__main__":
    main()
