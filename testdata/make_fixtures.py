#!/usr/bin/env python3
"""Makes testdata/fixtures with programs other than ours, so that our readers meet real formats.

Needs Python 3.10 or later with pyarrow, warcio, python-docx, odfpy and reportlab, and the gzip, zstd, xz and bzip2 command-line
tools:

    python3 testdata/make_fixtures.py              # everything
    python3 testdata/make_fixtures.py web_archives # one part

The outputs are small and committed; run this again only to change them.
"""

import csv
import email.policy
import io
import json
import mailbox
import shutil
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path

import pyarrow
import pyarrow.parquet
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

FIXTURES = Path(__file__).parent / "fixtures"

# The same four rows in every tabular format.
ROWS = [
    {
        "id": "ferry",
        "title": "Ferry timetable",
        "text": "The ferry leaves the north pier at six.\nIn winter it waits for the bus, \"within reason\".",
        "url": "https://harbour.example/ferry",
        "year": 2019,
        "meta": {"lang": "en"},
    },
    {
        "id": "Grüße",
        "title": "Straßenfest",
        "text": "Am Samstag bleibt die Straße gesperrt; die Bäckerei öffnet trotzdem um sieben Uhr.",
        "url": None,
        "year": 2021,
        "meta": {"lang": "de"},
    },
    {
        "id": "bridge",
        "title": None,
        "text": "新桥将于下个月通车，公共汽车改走河边的旧路。",
        "url": None,
        "year": None,
        "meta": {"lang": "zh"},
    },
    {
        "id": "tabs",
        "title": "Columns, tabs\tand commas",
        "text": "One, two,\tthree; a backslash \\ and an emoji 🐦 end the line.\r\nA second line follows.",
        "url": "https://harbour.example/tabs?a=1&b=2",
        "year": 1998,
        "meta": {"lang": "en"},
    },
]


def run(*command, output=None):
    if output is None:
        subprocess.run(command, check=True)
    else:
        with open(output, "wb") as file:
            subprocess.run(command, check=True, stdout=file)


def json_lines():
    lines = [json.dumps(row) for row in ROWS]
    plain = FIXTURES / "rows.jsonl"
    plain.write_text("".join(line + "\n" for line in lines))
    readable = [json.dumps(row, ensure_ascii=False) for row in ROWS]
    # With a byte order mark, Windows line ends, a blank line, and no line end at the end.
    text = "\r\n\r\n".join(readable)
    (FIXTURES / "rows_windows.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    run("gzip", "-9nc", plain, output=FIXTURES / "rows.jsonl.gz")
    run("zstd", "-qc", plain, output=FIXTURES / "rows.jsonl.zst")
    # Two members in one file, as `cat a.gz b.gz` and parallel compressors make them.
    halves = [FIXTURES / "first.jsonl", FIXTURES / "second.jsonl"]
    halves[0].write_text("".join(line + "\n" for line in lines[:2]))
    halves[1].write_text("".join(line + "\n" for line in lines[2:]))
    run("gzip", "-nc", *halves, output=FIXTURES / "members.jsonl.gz")
    for half in halves:
        half.unlink()
    frames = [FIXTURES / "first.zst", FIXTURES / "second.zst"]
    for frame, part in zip(frames, (lines[:2], lines[2:])):
        text = "".join(line + "\n" for line in part).encode()
        subprocess.run(["zstd", "-qc"], input=text, stdout=open(frame, "wb"), check=True)
    run("cat", *frames, output=FIXTURES / "frames.jsonl.zst")
    for frame in frames:
        frame.unlink()


def separated_values():
    names = ["id", "title", "text", "url", "year"]
    rows = [{name: row[name] for name in names} for row in ROWS]

    def write(path, encoding="utf-8", **options):
        with open(path, "w", newline="", encoding=encoding) as file:
            writer = csv.DictWriter(file, names, **options)
            writer.writeheader()
            writer.writerows(rows)

    write(FIXTURES / "rows.csv")
    write(FIXTURES / "rows_quoted.csv", encoding="utf-8-sig", quoting=csv.QUOTE_ALL)
    write(FIXTURES / "rows.tsv", dialect="excel-tab")
    run("gzip", "-9nc", FIXTURES / "rows.csv", output=FIXTURES / "rows.csv.gz")
    run("zstd", "-qc", FIXTURES / "rows.tsv", output=FIXTURES / "rows.tsv.zst")


def parquet():
    def table(text_type):
        schema = pyarrow.schema(
            [
                ("id", text_type),
                ("title", text_type),
                ("text", text_type),
                ("url", text_type),
                ("year", pyarrow.int64()),
                ("meta", pyarrow.struct([("lang", text_type)])),
            ]
        )
        return pyarrow.Table.from_pylist(ROWS, schema=schema)

    def write(name, text_type, **options):
        pyarrow.parquet.write_table(table(text_type), FIXTURES / name, **options)

    write("utf8.parquet", pyarrow.string(), compression="snappy")
    write("large.parquet", pyarrow.large_string(), compression="zstd", row_group_size=2)
    write("view.parquet", pyarrow.string_view(), compression="gzip")
    dictionary = table(pyarrow.string())
    column = dictionary["title"].dictionary_encode()
    dictionary = dictionary.set_column(1, "title", column)
    pyarrow.parquet.write_table(dictionary, FIXTURES / "dictionary.parquet", compression="lz4")
    numbers = pyarrow.table({"id": [7, 8], "text": ["A row with a number for a name.", None]})
    pyarrow.parquet.write_table(numbers, FIXTURES / "numbers.parquet")


def message(subject, sender="clerk@harbour.example"):
    made = EmailMessage(policy=email.policy.SMTP.clone(linesep="\n"))
    made["Subject"] = subject
    made["From"] = sender
    made["To"] = "all@harbour.example"
    made["Date"] = "Sun, 20 Jul 2008 14:00:00 +0200"
    return made


def messages():
    """Four messages, each sent in another way."""
    plain = message("Moorings after the storm")
    plain["Message-ID"] = "<1@harbour.example>"
    plain.set_content(
        "From now on the western moorings are closed.\n\n"
        "From the office you may borrow a rope; sign for it.\n",
        cte="7bit",
    )
    accents = message("Grüße aus dem Büro")
    accents["Message-ID"] = "<2@harbour.example>"
    accents.set_content(
        "Die Öffnungszeiten ändern sich: ab Montag schließen wir früher.\n",
        charset="iso-8859-1",
        cte="quoted-printable",
    )
    chinese = message("码头通知")
    chinese["Message-ID"] = "<3@harbour.example>"
    chinese.set_content("明天上午码头停水，请提前准备。\n", charset="gb2312", cte="base64")
    alternative = message("Two versions")
    alternative["Message-ID"] = "<4@harbour.example>"
    alternative.set_content("The plain version counts.\n")
    alternative.add_alternative(
        "<html><body><p>The <b>other</b> version.</p></body></html>\n", subtype="html"
    )
    alternative.add_attachment(
        "attached words do not count\n", subtype="csv", filename="list.csv"
    )
    page = message("Only a page")
    page["Message-ID"] = "<5@harbour.example>"
    page.set_content(
        "<html><head><style>p { color: red }</style></head>"
        "<body><p>Bring your own <b>cup</b>.</p><p>Caf&eacute; opens at ten.</p></body></html>\n",
        subtype="html",
    )
    return [plain, accents, chinese, alternative, page]


def mail():
    names = ["plain", "accents", "chinese", "alternative", "page"]
    made = messages()
    folder = FIXTURES / "mail"
    folder.mkdir()
    for name, one in zip(names, made):
        # Separators between the parts are random unless they are set.
        for part in one.walk():
            if part.is_multipart():
                part.set_boundary(f"=={name}-{part.get_content_subtype()}==")
        (folder / f"{name}.eml").write_bytes(one.as_bytes())

    box = mailbox.mbox(FIXTURES / "archive.mbox")
    for number, one in enumerate(made):
        entry = mailbox.mboxMessage(one)
        entry.set_from("clerk@harbour.example", (2008, 7, 20, 12, 0, number, 6, 202, 0))
        box.add(entry)
    box.close()
    run("gzip", "-9nc", FIXTURES / "archive.mbox", output=FIXTURES / "archive.mbox.gz")

    root = FIXTURES / "maildir"
    maildir = mailbox.Maildir(root)
    for one, (place, name) in zip(
        made, [("cur", "1001.M1.harbour:2,S"), ("cur", "1002.M2.harbour:2,"), ("new", "1003.M3.harbour")]
    ):
        # Python puts the machine's name and the time into the file name; ours must not change.
        key = maildir.add(one)
        shutil.move(root / "new" / key, root / place / name)
    (root / "tmp" / "1004.M4.harbour").write_text("Subject: half delivered\n\n")


def single_files():
    folder = FIXTURES / "folder"
    (folder / "deeper").mkdir(parents=True)
    (folder / "b.txt").write_bytes("Ein Kännchen Kaffee für die Wartenden im Büro.\n".encode("windows-1252"))
    (folder / "a.md").write_text("# Notice\n\nThe pier is *closed* on Mondays.\n", encoding="utf-8")
    (folder / "deeper" / "page.html").write_bytes(
        (
            '<!DOCTYPE html><html><head><meta charset="iso-8859-1"><title>Prices &amp; hours</title>'
            "<script>var hidden = 1;</script></head><body><!-- hidden --><h1>Prices</h1>"
            "<p>A coffee in the caf\u00e9 is two euros.</p><p>Children pay half.</p></body></html>\n"
        ).encode("iso-8859-1")
    )
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 not a picture")
    (folder / "wide.txt").write_bytes("The notice board stands by the gate.\n".encode("utf-16"))


def arrays():
    """The rows as one JSON array, and in the compressions that are read besides."""
    (FIXTURES / "rows.json").write_text(json.dumps(ROWS, indent=2, ensure_ascii=False) + "\n")
    for tool, extension in (("xz", "xz"), ("bzip2", "bz2")):
        run(tool, "-9kc", FIXTURES / "rows.json", output=FIXTURES / f"rows.json.{extension}")
        run(tool, "-9kc", FIXTURES / "rows.jsonl", output=FIXTURES / f"rows.jsonl.{extension}")


PAGES = {
    "tides.html": (
        "text/html; charset=utf-8",
        "<html><head><title>Tides</title></head><body><h1>Tides</h1>"
        "<p>High water at the north pier at 6:12 and 18:40.</p></body></html>\n".encode(),
    ),
    "ferry.html": (
        "text/html",
        (
            '<html><head><meta charset="iso-8859-1"><title>F\u00e4hre</title></head><body>'
            "<p>Die F\u00e4hre f\u00e4hrt st\u00fcndlich, au\u00dfer bei Sturm.</p></body></html>\n"
        ).encode("iso-8859-1"),
    ),
    "notice.txt": ("text/plain", b"The ticket office is closed on Mondays.\n"),
    "menu.html": (
        "application/xhtml+xml",
        b"<html><body><p>Soup of the day: <b>leek</b> &amp; potato.</p></body></html>\n",
    ),
}


def web_archives():
    """Pages as files, and the same pages in archives written by warcio."""
    folder = FIXTURES / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, (_, body) in PAGES.items():
        (folder / name).write_bytes(body)

    def number(place):
        return {
            "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{place:012}>",
            "WARC-Date": "2024-05-01T12:00:00Z",
        }

    def chunked(body):
        half = len(body) // 2
        pieces = (body[:half], body[half:], b"")
        return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)

    def write(path, gzip):
        with open(path, "wb") as file:
            writer = WARCWriter(file, gzip=gzip)
            info = writer.create_warcinfo_record(path.name, {"software": "warcio"})
            for name, value in number(0).items():
                info.rec_headers.replace_header(name, value)
            writer.write_record(info)
            for place, (name, (media, body)) in enumerate(PAGES.items(), 1):
                address = f"https://harbour.example/{name}"
                headers = [("Content-Type", media)]
                if name == "tides.html":
                    headers.append(("Transfer-Encoding", "chunked"))
                    body = chunked(body)
                request = writer.create_warc_record(
                    address,
                    "request",
                    http_headers=StatusAndHeaders(
                        f"GET /{name} HTTP/1.1", [("Host", "harbour.example")], is_http_request=True
                    ),
                    warc_headers_dict=number(100 + place),
                )
                response = writer.create_warc_record(
                    address,
                    "response",
                    payload=io.BytesIO(body),
                    http_headers=StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1"),
                    warc_headers_dict=number(place),
                )
                writer.write_record(request)
                writer.write_record(response)
            for place, status, media in ((8, "301 Moved", "text/html"), (9, "200 OK", "image/png")):
                writer.write_record(
                    writer.create_warc_record(
                        f"https://harbour.example/{place}",
                        "response",
                        payload=io.BytesIO(b"x" * 20),
                        http_headers=StatusAndHeaders(
                            status, [("Content-Type", media)], protocol="HTTP/1.1"
                        ),
                        warc_headers_dict=number(place),
                    )
                )

    write(FIXTURES / "pages.warc", gzip=False)
    write(FIXTURES / "pages.warc.gz", gzip=True)
    with open(FIXTURES / "pages.wet.gz", "wb") as file:
        writer = WARCWriter(file, gzip=True)
        text = PAGES["notice.txt"][1]
        writer.write_record(
            writer.create_warc_record(
                "https://harbour.example/notice.txt",
                "conversion",
                payload=io.BytesIO(text),
                warc_content_type="text/plain",
                warc_headers_dict=number(1),
            )
        )


NOTICE = [
    "Notice to all moorings",
    "The ferry leaves the north pier at six & waits for the bus, within reason. Passengers with "
    "bicycles are asked to come ten minutes earlier and to use the eastern gangway.",
    "Im Winter fährt die Fähre stündlich, außer bei Sturm.",
]
PRICES = [["Ticket", "Price"], ["Adult", "4.50"], ["Child", "2.00"]]


def office():
    """One notice as Word, OpenDocument and PDF, and the PDF again behind a password."""
    import docx
    import odf.opendocument
    from odf.table import Table, TableCell, TableRow
    from odf.text import H, Note, NoteBody, NoteCitation, P
    from reportlab.lib.pagesizes import A5
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer
    from reportlab.platypus import Table as PdfTable

    folder = FIXTURES / "office"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()

    word = docx.Document()
    word.sections[0].header.paragraphs[0].text = "Harbour office"
    word.add_heading(NOTICE[0])
    for text in NOTICE[1:]:
        first, rest = text.split(" ", 1)
        paragraph = word.add_paragraph()
        paragraph.add_run(first).bold = True
        paragraph.add_run(" " + rest)
    table = word.add_table(rows=0, cols=2)
    for row in PRICES:
        for cell, text in zip(table.add_row().cells, row):
            cell.text = text
    word.save(folder / "notice.docx")

    document = odf.opendocument.OpenDocumentText()
    document.text.addElement(H(outlinelevel=1, text=NOTICE[0]))
    for number, text in enumerate(NOTICE[1:]):
        paragraph = P(text=text)
        if number == 0:
            note = Note(id="note", noteclass="footnote")
            note.addElement(NoteCitation(text="1"))
            body = NoteBody()
            body.addElement(P(text="Ask at the office."))
            note.addElement(body)
            paragraph.addElement(note)
        document.text.addElement(paragraph)
    table = Table(name="prices")
    for row in PRICES:
        line = TableRow()
        for text in row:
            cell = TableCell()
            cell.addElement(P(text=text))
            line.addElement(cell)
        table.addElement(line)
    document.text.addElement(table)
    document.save(folder / "notice.odt")

    styles = getSampleStyleSheet()

    def pdf(name, **options):
        story = [Paragraph(NOTICE[0], styles["Heading1"])]
        for text in NOTICE[1:]:
            story.append(Paragraph(text.replace("&", "&amp;"), styles["BodyText"]))
        story += [Spacer(1, 12), PdfTable(PRICES)]
        SimpleDocTemplate(str(folder / name), pagesize=A5, invariant=1, **options).build(story)

    pdf("notice.pdf")
    pdf("locked.pdf", encrypt=StandardEncryption("secret", strength=128))


def main():
    if FIXTURES.exists():
        shutil.rmtree(FIXTURES)
    FIXTURES.mkdir(parents=True)
    json_lines()
    separated_values()
    parquet()
    mail()
    single_files()
    arrays()
    web_archives()
    office()
    (FIXTURES / "rows_expected.json").write_text(json.dumps(ROWS, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for part in sys.argv[1:]:
            globals()[part]()
    else:
        main()
