//! Documents made here, whole and not.

use super::*;
use std::io::{Cursor, Write};
use std::time::Duration;
use zip::write::SimpleFileOptions;

fn read(bytes: Vec<u8>) -> Result<DocumentText, DocumentError> {
    document_text(bytes, ReadingLimits::default())
}

/// A PDF with a page for each content stream, and more entries for its trailer.
fn pdf_with(pages: &[&str], trailer: &str) -> Vec<u8> {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned();
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let tree = format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" "));
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned(), tree, font];
    for (number, page) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R /Resources << /Font << /F 3 0 R >> >> >>",
            5 + 2 * number
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{page}\nendstream", page.len()));
    }
    let mut pdf = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(pdf.len());
        write!(pdf, "{} 0 obj\n{object}\nendobj\n", number + 1).unwrap();
    }
    let start = pdf.len();
    write!(pdf, "xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).unwrap();
    places.iter().for_each(|place| writeln!(pdf, "{place:010} 00000 n ").unwrap());
    let size = places.len() + 1;
    write!(pdf, "trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n").unwrap();
    pdf
}

fn pdf(pages: &[&str]) -> Vec<u8> {
    pdf_with(pages, "")
}

fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn relations(links: &[(&str, &str, &str)]) -> String {
    let links: Vec<String> = links
        .iter()
        .map(|(id, kind, to)| format!(r#"<Relationship Id="{id}" Type="http://x/{kind}" Target="{to}"/>"#))
        .collect();
    format!("<Relationships>{}</Relationships>", links.concat())
}

fn docx(body: &str) -> Vec<u8> {
    let main = relations(&[("rId1", "officeDocument", "word/document.xml")]);
    zipped(&[
        ("_rels/.rels", &main),
        ("word/document.xml", &format!("<w:document><w:body>{body}</w:body></w:document>")),
    ])
}

#[test]
fn the_pages_of_a_pdf_are_numbered_and_their_lines_and_words_apart() {
    let first =
        "BT /F 12 Tf 50 700 Td (Invoice) Tj 45 0 Td (42) Tj -45 -14 Td [(To) -600 (pay)] TJ 0 -40 Td (Thanks) Tj ET";
    let found = read(pdf(&[first, "", "BT /F 12 Tf 50 700 Td (The end) Tj ET"])).unwrap();
    assert_eq!(found.what, "a PDF of 3 pages");
    let text = "[Page 1 of 3]\nInvoice 42\nTo pay\n\nThanks\n[Page 2 of 3, no text]\n[Page 3 of 3]\nThe end\n";
    assert_eq!((found.text.as_str(), found.left_out), (text, None));
}

#[test]
fn what_is_drawn_twice_or_unseen_is_text_once() {
    let twice = "BT /F 12 Tf 2 Tr 50 700 Td [(Bo) 1 (ld)] TJ ET BT /F 12 Tf 50.3 700 Td [(Bo) 1 (ld)] TJ ET";
    let unseen = "BT /F 12 Tf 3 Tr 50 600 Td (Scanned words) Tj ET";
    assert_eq!(read(pdf(&[&format!("{twice} {unseen}")])).unwrap().text, "Bold\n\nScanned words\n");
}

#[test]
fn broken_encrypted_and_empty_pdfs_are_told_apart() {
    let whole = pdf(&["BT /F 12 Tf 50 700 Td (Hello) Tj ET"]);
    assert_eq!(read(whole[..40].to_vec()), Err(DocumentError::Broken));
    assert_eq!(read(b"%PDF-1.7 and nothing else".to_vec()), Err(DocumentError::Broken));
    assert_eq!(read(Vec::new()), Err(DocumentError::Broken));
    let key = "00".repeat(32);
    let lock = format!("/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{key}> /U <{key}> >>");
    assert_eq!(read(pdf_with(&["BT (x) Tj ET"], &lock)), Err(DocumentError::Encrypted));
    let what = "a PDF of 2 pages".to_owned();
    assert_eq!(read(pdf(&["10 10 50 50 re f", ""])), Err(DocumentError::NoText { what }));
}

#[test]
fn each_limit_says_what_it_left_out() {
    let page = "BT /F 12 Tf 50 700 Td (PageWords) Tj ET";
    let left_out = |limits: ReadingLimits| document_text(pdf(&[page; 5]), limits).unwrap().left_out.unwrap();
    let limits = ReadingLimits::default();
    let pages = left_out(ReadingLimits { max_pages: 2, ..limits });
    assert_eq!(pages, "Pages 3 to 5 are left out: at most 2 pages are read.");
    let pages = left_out(ReadingLimits { max_pages: 4, ..limits });
    assert_eq!(pages, "Page 5 is left out: at most 4 pages are read.");
    let time = left_out(ReadingLimits { time: Duration::ZERO, ..limits });
    assert_eq!(time, "Pages 1 to 5 are left out: reading took longer than 0 s.");
    let text = left_out(ReadingLimits { max_text_bytes: 37, ..limits });
    assert_eq!(text, "The rest of page 2 is left out: at most 0 KiB of text are read.");
    let many = read(pdf(&vec![page; MAX_PAGES + 1])).unwrap();
    assert_eq!(many.left_out.unwrap(), "Page 501 is left out: at most 500 pages are read.");
    assert!(many.text.contains("[Page 500 of 501]") && !many.text.contains("Page 501"));
}

#[test]
fn a_text_document_has_paragraphs_tables_and_the_pages_that_word_noted() {
    let found = read(docx(
        "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr><w:r><w:t>Fish &amp; chips</w:t><w:tab/>\
         <w:t xml:space=\"preserve\"> &#8364;9</w:t></w:r><w:del><w:r><w:delText>no</w:delText></w:r></w:del></w:p>\
         <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc>\
         </w:tr></w:tbl><w:p><w:r><w:br w:type=\"page\"/></w:r></w:p>\
         <w:p><w:r><w:lastRenderedPageBreak/><w:t>Next</w:t></w:r></w:p>",
    ));
    let found = found.unwrap();
    assert_eq!(found.what, "a text document of 2 pages");
    assert_eq!(found.text, "[Page 1 of 2]\nFish & chips\t €9\na\tb\n[Page 2 of 2]\nNext\n");
    let plain = read(docx("<w:p><w:r><w:t>Only this</w:t></w:r></w:p>")).unwrap();
    assert_eq!(plain.text, "Only this\n", "it says nothing of pages");
}

#[test]
fn broken_encrypted_old_and_empty_office_documents_are_told_apart() {
    let whole = docx("<w:p><w:r><w:t>Hello</w:t></w:r></w:p>");
    assert_eq!(read(whole[..whole.len() / 2].to_vec()), Err(DocumentError::Broken));
    assert_eq!(read(docx("<w:p><w:r></w:p>")), Err(DocumentError::Broken));
    assert_eq!(read(zipped(&[("a.txt", "not a document")])), Err(DocumentError::Broken));
    let what = "a text document of one page".to_owned();
    assert_eq!(read(docx("<w:p/>")), Err(DocumentError::NoText { what }));
    let ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    assert_eq!(read(ole.clone()), Err(DocumentError::OldFormat));
    let part: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read([ole, part].concat()), Err(DocumentError::Encrypted));
    let kind = ("mimetype", "application/vnd.oasis.opendocument.text");
    let locked = zipped(&[kind, ("META-INF/manifest.xml", "<manifest:encryption-data/>"), ("content.xml", "\u{1}")]);
    assert_eq!(read(locked), Err(DocumentError::Encrypted));
}

#[test]
fn an_archive_that_unpacks_to_too_much_is_refused_whatever_it_says() {
    let limits = ReadingLimits { max_unpacked_bytes: 1 << 20, ..ReadingLimits::default() };
    let mut bomb = docx(&" ".repeat(2 << 20));
    assert!(bomb.len() < 10_000, "{} bytes", bomb.len());
    let what = "it unpacks to more than 1 MiB".to_owned();
    assert_eq!(document_text(bomb.clone(), limits), Err(DocumentError::TooLarge { what: what.clone() }));
    // The sizes in the list of parts say otherwise.
    let size = u32::try_from((2 << 20) + "<w:document><w:body></w:body></w:document>".len()).unwrap().to_le_bytes();
    while let Some(at) = bomb.windows(4).position(|bytes| bytes == size) {
        bomb[at..at + 4].copy_from_slice(&100_u32.to_le_bytes());
    }
    let lying = document_text(bomb, limits);
    assert!(matches!(lying, Err(DocumentError::TooLarge { .. } | DocumentError::Broken)), "{lying:?}");
}

#[test]
fn slides_come_in_the_order_in_which_they_are_shown() {
    let slide = |text: &str| format!("<p:sld><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>");
    let found = read(zipped(&[
        ("_rels/.rels", &relations(&[("rId1", "officeDocument", "ppt/presentation.xml")])),
        ("ppt/presentation.xml", r#"<p:x><p:sldIdLst><p:sldId r:id="b"/><p:sldId r:id="a"/></p:sldIdLst></p:x>"#),
        (
            "ppt/_rels/presentation.xml.rels",
            &relations(&[("a", "slide", "slides/slide1.xml"), ("b", "slide", "slides/slide2.xml")]),
        ),
        ("ppt/slides/slide1.xml", &slide("Second")),
        ("ppt/slides/slide2.xml", &slide("First")),
    ]));
    assert_eq!(found.unwrap().text, "[Slide 1 of 2]\nFirst\n[Slide 2 of 2]\nSecond\n");
}

#[test]
fn open_documents_have_pages_and_slides() {
    let of = |kind: &str, body: &str| {
        let mimetype = format!("application/vnd.oasis.opendocument.{kind}");
        read(zipped(&[("mimetype", &mimetype), ("content.xml", &format!("<office:body>{body}</office:body>"))]))
    };
    let text = of(
        "text",
        "<text:h>Head</text:h><text:p>one<text:s text:c=\"2\"/>two<office:annotation><text:p>no</text:p>\
         </office:annotation></text:p><text:p><text:soft-page-break/>three</text:p>",
    );
    assert_eq!(text.unwrap().text, "[Page 1 of 2]\nHead\none  two\n[Page 2 of 2]\nthree\n");
    let slides = "<draw:page><text:p>A</text:p></draw:page><draw:page><text:p>B</text:p><presentation:notes>\
                  <text:p>no</text:p></presentation:notes></draw:page>";
    assert_eq!(of("presentation", slides).unwrap().text, "[Slide 1 of 2]\nA\n[Slide 2 of 2]\nB\n");
}

#[test]
fn sheets_have_their_names_and_rows_their_numbers() {
    let sheet = "<worksheet><sheetData><row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>Rent</t></is></c>\
                 <c r=\"B2\"><v>850.5</v></c></row><row r=\"4\"><c r=\"A4\" s=\"1\"><v>45292</v></c></row></sheetData>\
                 </worksheet>";
    let styles = "<styleSheet><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>";
    let book = "<workbook xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets>\
                <sheet name=\"Budget\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>";
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
    let links = format!(
        "<Relationships><Relationship Id=\"rId1\" Type=\"{kind}\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
    );
    let main = relations(&[("rId1", "relationships/officeDocument", "xl/workbook.xml")]);
    let xlsx = zipped(&[
        ("_rels/.rels", &main),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", &links),
        ("xl/styles.xml", styles),
        ("xl/worksheets/sheet1.xml", sheet),
    ]);
    let found = read(xlsx).unwrap();
    assert_eq!(found.what, "a workbook of one sheet");
    assert_eq!(found.text, "[Sheet 1 of 1: Budget]\n2: Rent\t850.5\n4: 2024-01-01\n");
}

#[test]
fn names_and_first_bytes_tell_documents() {
    assert!(is_document_name("a/Report.PDF") && is_document_name("x.ods") && !is_document_name("pdf"));
    assert!(is_document(b"\n%PDF-1.4") && is_document(b"PK\x03\x04") && !is_document(b"plain text"));
}
