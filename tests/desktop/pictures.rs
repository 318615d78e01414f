//! Pictures of a message: those that were sent, small in the transcript and large in a dialog.

use crate::accessibility::no_barrier;
use crate::harness::{ESCAPE, Element, Stage, wait_until};
use crate::scenes::DONE;
use arki_testkit::{Script, Turn};

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
