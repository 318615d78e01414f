//! A folder that is kept untrusted: it can be talked about, and nothing happens in it.

use crate::harness::Stage;
use crate::scenes::{DONE, edit_and_say, sixty_lines};

#[test]
fn in_a_folder_kept_untrusted_a_write_is_denied_and_the_transcript_says_so() {
    let stage = Stage::new(edit_and_say());
    stage.write("src/app.txt", &sixty_lines());
    let window = stage.open();
    window.element("dialog", "Trust this folder?").inside("button", "Keep untrusted").click();
    window.gone("dialog", "Trust this folder?");
    window.says("! untrusted");
    window.says("The folder is not trusted");

    window.ask("Change two lines");
    window.says(DONE);
    let card = window.button_saying("edit_file");
    assert!(card.text().contains("✕ denied"), "{}", card.text());
    card.click();
    window.says("not trusted");
    window.pictures("untrusted");
    assert_eq!(stage.read("src/app.txt"), sixty_lines());
    assert!(!stage.home.project_dir().join(".arki").exists());
    assert!(stage.request(2).contains("not trusted"));
}
