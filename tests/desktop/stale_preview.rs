//! What is written is what was seen, or nothing.

use crate::harness::Stage;
use crate::scenes::{DONE, edit_and_say, sixty_lines};

#[test]
fn a_file_that_changed_since_the_preview_is_not_written_and_a_fresh_preview_is_offered() {
    let stage = Stage::trusted(edit_and_say());
    let window = stage.open();
    window.ask("Change two lines");
    window.element("region", "src/app.txt");
    let theirs = sixty_lines().replace("line 30\n", "somebody else's line\n");
    stage.write("src/app.txt", &theirs);
    window.click("Accept all");

    window.says("The file changed on disk after you saw the preview, so nothing was written");
    assert_eq!(stage.read("src/app.txt"), theirs);
    window.pictures("stale-preview");
    window.click("Accept all");
    window.says(DONE);
    let both = theirs.replace("line 5\n", "LINE FIVE\n").replace("line 50\n", "LINE FIFTY\n");
    assert_eq!(stage.read("src/app.txt"), both);
    stage.arki(&["verify"]);
}
