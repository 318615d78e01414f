//! Pictures of a message: those that are attached to it, and those that were sent, small in the transcript and large in
//! a dialog.

use crate::accessibility::no_barrier;
use crate::harness::{ENTER, ESCAPE, Element, Stage, Window, wait_until};
use crate::scenes::DONE;
use arki_testkit::{Script, Turn};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use std::io::Cursor;

/// Pastes files into the message box; each is a name and bytes in Base64.
const PASTE: &str = r"
    const clipboard = new DataTransfer();
    for (const [name, data] of arguments[0]) {
        const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
        clipboard.items.add(new File([bytes], name, { type: 'image/png' }));
    }
    const paste = { clipboardData: clipboard, bubbles: true, cancelable: true };
    document.querySelector('textarea').dispatchEvent(new ClipboardEvent('paste', paste));
";

/// A drawing of that size with edges and a smooth part, as PNG.
fn drawing(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let shade = |at: u32, of: u32| u8::try_from(255 * at / of).unwrap();
    let pixel = |x: u32, y: u32| match (x * 8 / width + y * 8 / height) % 2 {
        0 => [shade(x, width), shade(y, height), 160],
        _ => [240, 240, 235],
    };
    let pixels: Vec<u8> = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    bytes
}

/// Whether a picture has come and could be decoded: its width in pixels.
fn natural_width(picture: &Element<'_>) -> u64 {
    picture.ask("return arguments[0].querySelector('img')?.naturalWidth ?? 0").as_u64().unwrap()
}

#[test]
fn pictures_that_were_sent_are_small_in_the_transcript_and_open_large() {
    let stage = Stage::trusted(Script::new(vec![Turn::text(DONE)]));
    let saved = |name: &str, bytes: Vec<u8>| {
        let path = stage.home.project_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.into_os_string().into_string().unwrap()
    };
    let wide = saved("wide.png", drawing(1200, 500));
    let tall = saved("tall.png", drawing(300, 900));
    stage.arki(&["exec", "What do these show?", "--image", &wide, "--image", &tall]);
    let window = stage.open();
    window.element("navigation", "Sessions").inside("button", "What do these show?").click();
    window.says(DONE);
    let pictures = window.element("list", "Pictures of this message");
    for place in 1..=2 {
        let small = pictures.inside("button", &format!("Picture {place} of 2: show it large"));
        wait_until("a small picture", || (1..=256).contains(&natural_width(&small)));
    }
    window.pictures("sent-pictures");
    no_barrier(&window, "pictures that were sent");

    let first = pictures.inside("button", "Picture 1 of 2: show it large");
    first.click();
    let dialog = window.element("dialog", "Picture 1 of 2");
    wait_until("the whole picture", || natural_width(&dialog) == 1200);
    assert!(dialog.text().contains("PNG, 1200 × 500 pixels"), "{}", dialog.text());
    window.pictures("sent-picture-large");
    no_barrier(&window, "a picture, large");
    window.press(&[ESCAPE]);
    window.gone("dialog", "Picture 1 of 2");
    assert!(first.is_focused());
}

fn paste(window: &Window<'_>, files: &[(&str, &[u8])]) {
    let files: Vec<Value> = files.iter().map(|(name, bytes)| json!([name, BASE64_STANDARD.encode(bytes)])).collect();
    window.run_with(PASTE, &[json!(files)]);
}

/// The pictures in a request, by their size in pixels.
fn sizes_in(request: &str) -> Vec<(u32, u32)> {
    let pictures = request.split("data:image/png;base64,").skip(1).map(|rest| rest.split('"').next().unwrap());
    let decoded = pictures.map(|picture| BASE64_STANDARD.decode(picture).unwrap());
    let size = |bytes| png::Decoder::new(Cursor::new(bytes)).read_info().unwrap().info().size();
    decoded.map(size).collect()
}

#[test]
fn pictures_are_pasted_taken_away_and_sent_with_the_message() {
    let stage = Stage::trusted(Script::new(vec![Turn::text(DONE), Turn::text(DONE)]));
    let window = stage.open();
    let (small, large) = (drawing(300, 100), drawing(3136, 1200));
    window.element("textbox", "Message").write("What do these show?");
    paste(&window, &[("small.png", &small), ("screenshot-of-the-large-monitor.png", &large)]);
    paste(&window, &[("twice.png", &small), ("notes.png", b"no picture")]);
    let attached = window.element("list", "Attached pictures");
    wait_until("three pictures", || attached.ask("return arguments[0].querySelectorAll('img').length") == 3);
    window.says("notes.png: The file is not a picture that models can see.");
    let shown = attached.text();
    assert!(shown.contains("300 × 100") && shown.contains("1568 × 600"), "{shown}");
    let decoded = "return [...arguments[0].querySelectorAll('img')].every((one) => one.naturalWidth > 0)";
    wait_until("small copies", || attached.ask(decoded) == true);
    window.pictures("attached-pictures");
    no_barrier(&window, "attached pictures");

    window.click("Dismiss");
    let remove = attached.inside("button", "Remove twice.png");
    remove.ask("arguments[0].focus()");
    window.press(&[ENTER]);
    wait_until("two pictures", || attached.ask("return arguments[0].querySelectorAll('img').length") == 2);
    window.click("Send");
    window.says(DONE);
    assert_eq!(sizes_in(&stage.request(1)), [(300, 100), (1568, 600)]);
    window.gone("list", "Attached pictures");
    let sent = window.element("list", "Pictures of this message");
    assert_eq!(sent.ask("return arguments[0].querySelectorAll('button').length"), 2);

    window.gone("button", "Stop");
    window.click("Edit and resend");
    window.click("Rewind and edit");
    let again = window.element("list", "Attached pictures");
    wait_until("both pictures again", || again.ask(decoded) == true && again.text().contains("1568 × 600"));
    window.element("textbox", "Message").write(" And where?");
    window.click("Send");
    window.gone("list", "Attached pictures");
    let request = stage.request(2);
    assert_eq!(sizes_in(&request), [(300, 100), (1568, 600)]);
    assert!(request.contains("What do these show? And where?"), "{request}");
}
