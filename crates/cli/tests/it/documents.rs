//! Word, `OpenDocument` and PDF, and PDF that should harm nobody.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::program::Workplace;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fixtures/office").join(name)
}

/// A PDF of these objects, the first of which is the catalog; stream objects are (head, bytes).
fn pdf(objects: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, (head, stream)) in objects.iter().enumerate() {
        places.push(file.len());
        write!(file, "{} 0 obj\n{head}\n", number + 1).unwrap();
        if let Some(bytes) = stream {
            file.extend_from_slice(b"stream\n");
            file.extend_from_slice(bytes);
            file.extend_from_slice(b"\nendstream\n");
        }
        file.extend_from_slice(b"endobj\n");
    }
    let start = file.len();
    write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for place in places {
        writeln!(file, "{place:010} 00000 n ").unwrap();
    }
    let size = objects.len() + 1;
    write!(file, "trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").unwrap();
    file
}

/// A page whose content is the fourth object, with the fifth as its form `F`; further forms follow.
fn page(content: (&str, &[u8]), forms: &[(String, &[u8])]) -> Vec<u8> {
    let mut objects = vec![
        ("<</Type/Catalog/Pages 2 0 R>>", None),
        ("<</Type/Pages/Kids[3 0 R]/Count 1>>", None),
        (
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</T \
             <</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</F 5 0 R>>>>>>",
            None,
        ),
        (content.0, Some(content.1)),
    ];
    objects.extend(forms.iter().map(|(head, bytes)| (head.as_str(), Some(*bytes))));
    pdf(&objects)
}

/// A stream that unpacks to 3 GB of spaces: one block of a megabyte again and again.
fn bomb() -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b' '; 1 << 20]).unwrap();
    encoder.flush().unwrap();
    let (header, block) = encoder.get_ref().split_at(2);
    let mut stream = header.to_vec();
    for _ in 0..3000 {
        stream.extend_from_slice(block);
    }
    stream.extend_from_slice(b"\x01\0\0\xff\xff");
    stream
}

#[test]
fn one_notice_in_three_formats_is_one_cluster() {
    let place = Workplace::new();
    for name in ["notice.docx", "notice.odt", "notice.pdf"] {
        place.file(&format!("in/{name}"), fs::read(fixture(name)).unwrap());
    }
    place.succeed(&["dedup", "in", "--out", "out", "--threshold", "0.8"]);
    let summary = place.summary("out");
    assert_eq!((summary["kept"].as_u64(), summary["removed"].as_u64()), (Some(1), Some(2)));
    let kept = fs::read(place.path("out/kept/notice.docx")).unwrap();
    assert_eq!(kept, fs::read(fixture("notice.docx")).unwrap());
    place.succeed(&["index", "create", "index"]);
    place.succeed(&["index", "add", "index", "in/notice.pdf"]);
    let row = place.succeed(&["index", "export", "index"]).stdout;
    let row: serde_json::Value = serde_json::from_str(&row).unwrap();
    assert_eq!(
        row["text"].as_str().unwrap(),
        "Notice to all moorings\n\nThe ferry leaves the north pier at six & waits for the bus,\n\
         within reason. Passengers with bicycles are asked to come\nten minutes earlier and to \
         use the eastern gangway.\n\nIm Winter fährt die Fähre stündlich, außer bei Sturm.\n\n\
         Ticket Price\n\nAdult 4.50\n\nChild 2.00"
    );
}

#[test]
fn pdf_that_is_broken_or_hostile_is_an_unreadable_row_each() {
    let place = Workplace::new();
    let whole = fs::read(fixture("notice.pdf")).unwrap();
    let bomb = bomb();
    let packed = "/Filter/FlateDecode";
    let form = "q /F Do /F Do /F Do /F Do Q BT /T 9 Tf (a) Tj ET".as_bytes();
    // Twenty forms, each of which draws the next one four times.
    let form_head = |number: usize| {
        format!(
            "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length {}/Resources<</Font<</T <</Type/Font\
             /Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</F {} 0 R>>>>>>",
            form.len(),
            number + 1
        )
    };
    let forms: Vec<(String, &[u8])> = (5..25).map(|number| (form_head(number), form)).collect();
    let nested = "[".repeat(1 << 20);
    let files: [(&str, Vec<u8>, &str); 6] = [
        ("bomb.pdf", page((&format!("<<{packed}/Length {}>>", bomb.len()), &bomb), &[]), "memory"),
        ("cut.pdf", whole[..whole.len() / 2].to_vec(), "cut off"),
        ("forms.pdf", page(("<</Length 5>>", b"/F Do"), &forms), "more work"),
        ("locked.pdf", fs::read(fixture("locked.pdf")).unwrap(), "encrypted with a password"),
        ("mail.pdf", b"From: nobody\n\n".to_vec(), "not a PDF"),
        ("noise.pdf", b"%PDF-1.7\n1 0 obj <<>> nothing at all %%EOF".to_vec(), "damaged"),
    ];
    for (name, bytes, _) in &files {
        place.file(&format!("in/{name}"), bytes);
    }
    place.file("in/whole.pdf", &whole);
    let deep = format!("BT /T 9 Tf (shown) Tj {nested} ET");
    place.file("in/x.pdf", page((&format!("<</Length {}>>", deep.len()), deep.as_bytes()), &[]));
    place.succeed(&["find", "in", "--out", "out", "--method", "exact"]);
    let summary = place.summary("out");
    assert_eq!((summary["documents"].as_u64(), summary["unreadable"].as_u64()), (Some(8), Some(6)));
    let rows = place.result("out/unreadable.jsonl");
    for ((name, _, expected), row) in files.iter().zip(&rows) {
        let (place, reason) = (row["place"].as_str().unwrap(), row["reason"].as_str().unwrap());
        assert!(place.ends_with(name) && reason.contains(expected), "{row}");
    }
}
