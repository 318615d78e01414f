//! Documents reach the model as text with the numbers of their pages, whoever names them; one that can't be read is left
//! out with words. What reads them can do nothing else.

use crate::harness::{Stage, payloads, program, text};
use arki_testkit::{MOCK_KEY, Script, Turn};
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

const MAIN_PART: &str = r#"<Relationships><Relationship Id="a" Type="http://x/officeDocument" Target="word/document.xml"/></Relationships>"#;

/// A PDF with a line of text on each page; readers find its parts without a table of them.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut pdf = format!(
        "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count {} /Kids [{}] >>\n\
         endobj\n3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n",
        pages.len(),
        kids.join(" ")
    );
    for (number, words) in pages.iter().enumerate() {
        let content = format!("BT /F 12 Tf 50 700 Td ({words}) Tj ET");
        pdf.push_str(&format!(
            "{} 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R /Resources << /Font << /F 3 0 R \
             >> >> >>\nendobj\n{} 0 obj\n<< /Length {} >>\nstream\n{content}\nendstream\nendobj\n",
            4 + 2 * number,
            5 + 2 * number,
            5 + 2 * number,
            content.len()
        ));
    }
    pdf.push_str("trailer\n<< /Root 1 0 R >>\n%%EOF\n");
    pdf.into_bytes()
}

fn docx_writer(body: &str) -> ZipWriter<Cursor<Vec<u8>>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    for (name, text) in [("_rels/.rels", MAIN_PART), ("word/document.xml", &document)] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip
}

fn docx(body: &str) -> Vec<u8> {
    docx_writer(body).finish().unwrap().into_inner()
}

/// 300 MiB that are some hundred kilobytes.
fn bomb() -> Vec<u8> {
    let mut one = ZipWriter::new(Cursor::new(Vec::new()));
    one.start_file("one", SimpleFileOptions::default()).unwrap();
    one.write_all(&vec![b' '; 1 << 20]).unwrap();
    let mut one = ZipArchive::new(one.finish().unwrap()).unwrap();
    let mut bomb = docx_writer("<w:p/>");
    for number in 0..300 {
        bomb.raw_copy_file_rename(one.by_index(0).unwrap(), format!("part{number}")).unwrap();
    }
    bomb.finish().unwrap().into_inner()
}

fn first_request(stage: &Stage) -> String {
    let requests = stage.model.requests();
    let first = requests.iter().find_map(|request| request.json["messages"].as_array().cloned());
    json!(first.unwrap()).to_string()
}

#[test]
fn a_mentioned_pdf_is_in_the_first_request_with_its_pages_and_without_keys() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    stage.write("report.pdf", pdf(&["Revenue grew", &format!("The key is {MOCK_KEY}")]));
    stage.exec(&["summarise @report.pdf and @report.pdf:3-4"]).exits(0);
    let first = first_request(&stage);
    assert!(first.contains("report.pdf is a PDF of 2 pages"), "{first}");
    assert!(first.contains(r"1\t[Page 1 of 2]\n2\tRevenue grew\n3\t[Page 2 of 2]\n4\tThe key is "), "{first}");
    assert!(!first.contains(MOCK_KEY), "{first}");
    let added = payloads(&stage.log(), "context.added");
    let origins: Vec<String> = added.iter().map(|added| text(&added["origin"])).collect();
    assert_eq!(origins, ["report.pdf", "report.pdf:3-4"]);
    assert!(!text(&added[1]["text"]).contains("Revenue"), "{}", added[1]);
}

#[test]
fn the_model_reads_a_text_document_by_its_lines() {
    let read = |offset: u64| Turn::calls().call("read_file", json!({"path": "letter.docx", "offset": offset}));
    let stage = Stage::new(vec![read(1), read(3), Turn::text("done")]);
    let paragraph = |words: &str| format!("<w:p><w:r><w:t>{words}</w:t></w:r></w:p>");
    let pages = paragraph("Dear all") + "<w:p><w:r><w:br w:type=\"page\"/></w:r></w:p>" + &paragraph("Yours");
    stage.write("letter.docx", docx(&pages));
    stage.exec(&["read the letter"]).exits(0);
    let results = payloads(&stage.log(), "tool.result");
    let told = text(&results[0]["result"]);
    assert!(told.starts_with("[letter.docx is a text document of 2 pages"), "{told}");
    assert!(told.contains("1\t[Page 1 of 2]\n2\tDear all\n3\t[Page 2 of 2]\n4\tYours\n"), "{told}");
    assert!(!text(&results[1]["result"]).contains("Dear all"), "{}", results[1]);
}

#[test]
fn what_cannot_be_read_is_left_out_with_words_and_the_run_goes_on() {
    let rules = json!({"policy": {"rules": [{"decision": "deny", "path": "private/**"}]}});
    let read = Turn::calls().call("read_file", json!({"path": "broken.pdf"}));
    let stage = Stage::configured(Script::new(vec![read, Turn::text("done")]), &rules);
    stage.write("bomb.docx", bomb());
    stage.write("broken.pdf", b"%PDF-1.7 cut off");
    stage.write("scan.pdf", pdf(&["", ""]));
    stage.write("private/a.pdf", pdf(&["hidden words"]));
    let locked: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    stage.write("locked.xlsx", [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &locked].concat());
    stage.write("notes.pdf", "Only called so.\n");
    stage.exec(&["see @bomb.docx @broken.pdf @scan.pdf @locked.xlsx @private/a.pdf @notes.pdf"]).exits(0);
    let first = first_request(&stage);
    for words in [
        "bomb.docx is not attached: bomb.docx can't be read: it unpacks to more than 256 MiB. Save the part",
        "broken.pdf is not attached: broken.pdf is damaged, or isn't what its name says. Open it in",
        "scan.pdf is not attached: scan.pdf is a PDF of 2 pages without any text: its pages may be pictures. Run text",
        "locked.xlsx is not attached: locked.xlsx is protected by a password. Save a copy without a password.",
        "private/a.pdf is not attached",
        r"1\tOnly called so.",
    ] {
        assert!(first.contains(words), "{words}: {first}");
    }
    assert!(!first.contains("hidden words"), "{first}");
    let result = payloads(&stage.log(), "tool.result").remove(0);
    assert!(result["isError"] == true && result.to_string().contains("DOCUMENT_BROKEN"), "{result}");
}

/// What the system says of a process, once it has given everything up.
#[cfg(target_os = "linux")]
fn sealed_status(pid: u32) -> String {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        if status.contains("Seccomp:\t2") || std::time::Instant::now() > deadline {
            return status;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_reads_a_document_is_sealed_before_the_first_byte() {
    let mut reader = std::process::Command::new(program());
    reader.arg("--arki-read-document").stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut reader = reader.spawn().unwrap();
    let status = sealed_status(reader.id());
    assert!(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"), "{status}");
    let open = std::fs::read_dir(format!("/proc/{}/fd", reader.id())).unwrap();
    let mut open: Vec<String> = open.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    open.sort();
    assert_eq!(open, ["0", "1", "2"]);
    reader.stdin.take().unwrap().write_all(&pdf(&["Hello"])).unwrap();
    let answered = reader.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&answered.stdout).unwrap();
    assert_eq!(answer["Ok"]["text"], "Hello\n", "{answer}");
}
