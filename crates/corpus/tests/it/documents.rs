//! Word and `OpenDocument` files: what other programs wrote, and what nobody should have.

use std::io::Write;

use lookalike_corpus::InputOptions;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::reading::{documents, file, fixture, incomplete, open, open_with, outcomes};

const NOTICE: &str = "Notice to all moorings\n\n\
    The ferry leaves the north pier at six & waits for the bus, within reason. Passengers with \
    bicycles are asked to come ten minutes earlier and to use the eastern gangway.\n\n\
    Im Winter fährt die Fähre stündlich, außer bei Sturm.\n\n\
    Ticket\tPrice\nAdult\t4.50\nChild\t2.00";

const RELATIONS: &str = "<Relationships><Relationship Id='1' Type='http://x/officeDocument' \
    Target='/word/document2.xml'/></Relationships>";

/// An archive of these parts.
fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn word(body: &str) -> Vec<u8> {
    let document = format!("<w:document xmlns:w='w'><w:body>{body}</w:body></w:document>");
    archive(&[("_rels/.rels", RELATIONS.as_bytes()), ("word/document2.xml", document.as_bytes())])
}

fn text_of(name: &str, bytes: Vec<u8>) -> String {
    let (_folder, path) = file(name, bytes);
    documents(&open(&path)).remove(0).text
}

fn reason_of(name: &str, bytes: Vec<u8>) -> String {
    let (_folder, path) = file(name, bytes);
    let corpus = open(&path);
    let read = outcomes(&corpus);
    assert_eq!((read.len(), incomplete(&corpus)), (1, Vec::new()), "{read:?}");
    read[0].strip_prefix("! ").unwrap_or_else(|| panic!("it was read: {read:?}")).to_owned()
}

#[test]
fn word_and_open_document_of_other_programs_are_read_alike() {
    let word = documents(&open(&fixture("office/notice.docx"))).remove(0);
    assert_eq!((word.text.as_str(), word.id.contains("notice.docx")), (NOTICE, true));
    let open_document = documents(&open(&fixture("office/notice.odt"))).remove(0).text;
    assert_eq!(open_document, format!("{NOTICE}\n\nAsk at the office."));
}

#[test]
fn what_a_reader_does_not_see_is_not_read() {
    let text = text_of(
        "a.docx",
        word(
            "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>One</w:t><w:tab/><w:t>two\
             </w:t><w:br/><w:t xml:space='preserve'> &lt;three&#62; </w:t></w:r></w:p>\
             <w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved\
             </w:t></w:r></w:moveFrom><w:r><w:instrText>PAGE</w:instrText><w:t>four</w:t></w:r>\
             </w:p><mc:AlternateContent><mc:Choice><w:p><w:t>box</w:t></w:p></mc:Choice>\
             <mc:Fallback><w:p><w:t>box</w:t></w:p></mc:Fallback></mc:AlternateContent>",
        ),
    );
    assert_eq!(text, "One\ttwo\n <three> \n\nfour\n\nbox".replace("> \n", ">\n"));
    let content = "<office:document><style:x><number:text>no</number:text></style:x><text:h>A\
        </text:h><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>b\
        <text:s text:c='2'/>c<office:annotation><text:p>aside</text:p></office:annotation>\
        <text:line-break/>d</text:p></office:document>";
    assert_eq!(text_of("a.odt", archive(&[("content.xml", content.as_bytes())])), "A\n\nb  c\nd");
}

#[test]
fn broken_files_are_unreadable_rows() {
    let whole = std::fs::read(fixture("office/notice.docx")).unwrap();
    let cut = reason_of("a.docx", whole[..whole.len() / 2].to_vec());
    assert!(cut.starts_with("the archive cannot be read: "), "{cut}");
    assert!(reason_of("b.docx", b"not an archive".to_vec()).starts_with("the archive cannot be"));
    assert_eq!(
        reason_of("c.docx", archive(&[("a.txt", b"x")])),
        "the archive has no part with text in it"
    );
    let torn = reason_of("d.docx", word("<w:p><w:t>text</w:p>"));
    assert!(torn.starts_with("word/document2.xml is damaged: "), "{torn}");
    // A damaged byte in the middle is found by the checksum of the archive.
    let mut damaged = archive(&[("content.xml", b"<a><text:p>words</text:p></a>".as_slice())]);
    let place = damaged.windows(5).position(|bytes| bytes == b"words").unwrap_or(50);
    damaged[place] ^= 1;
    assert!(!reason_of("e.odt", damaged).is_empty());
}

#[test]
fn encrypted_files_say_so() {
    let ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more".to_vec();
    assert_eq!(
        reason_of("a.docx", ole),
        "the file is encrypted, or in the format of old Word (.doc)"
    );
    let manifest = "<m:manifest><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>";
    let parts = [("META-INF/manifest.xml", manifest.as_bytes()), ("content.xml", b"\x01\x02")];
    assert_eq!(reason_of("a.odt", archive(&parts)), "the file is encrypted");
}

#[test]
fn bombs_are_unreadable_rows() {
    let deep = word(&"<w:p>".repeat(200_000));
    assert_eq!(reason_of("a.docx", deep), "word/document2.xml is nested more than 2000 deep");
    // 150 MB of nothing in an archive of 150 kB.
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("content.xml", SimpleFileOptions::default()).unwrap();
    archive.write_all(b"<a><text:p>").unwrap();
    let piece = format!("</text:p>{}<text:p>", " ".repeat(1 << 20));
    for _ in 0..150 {
        archive.write_all(piece.as_bytes()).unwrap();
    }
    let bomb = archive.finish().unwrap().into_inner();
    assert!(bomb.len() < 2 << 20);
    let reason = reason_of("a.odt", bomb);
    assert_eq!(reason, "content.xml unpacks to more than the 134217728 bytes allowed");
    // The text is bounded by the limit of a row, whatever it unpacks to.
    let long = word(&format!("<w:p><w:t>{}</w:t></w:p>", "word ".repeat(100_000)));
    let (_folder, path) = file("b.docx", long);
    let options = InputOptions { max_row_bytes: 100_000, ..InputOptions::default() };
    let read = outcomes(&open_with(&path, options));
    assert_eq!(read, ["! the text has more than the 100000 bytes allowed"]);
    // Entities are not expanded.
    let body = "<!DOCTYPE a [<!ENTITY b 'bbbb'>]><w:p><w:t>a&b;c</w:t></w:p>";
    assert_eq!(text_of("c.docx", word(body)), "ac");
}

#[test]
fn a_pdf_is_not_read_by_a_program_that_offers_no_process_for_it() {
    let reason = outcomes(&open(&fixture("office/notice.pdf"))).remove(0);
    assert!(reason.starts_with("! a PDF is read in a process of its own"), "{reason}");
}
