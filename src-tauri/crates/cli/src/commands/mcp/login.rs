//! `arki mcp login`.

use crate::exit::Exit;
use crate::output::Printer;
use arki_api::NamedChange;
use arki_domain::Error;
use arki_engine::{Engine, one_line};
use std::path::Path;

pub(super) async fn run(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> Result<Exit, Error> {
    // Beside the answer, so that `--json` stays JSON.
    let show = |url: &str| {
        let words = format!("Open this page in a browser on this computer to sign in:\n{}", one_line(url));
        Printer::new(false).aside(words);
    };
    engine.mcp().mcp_sign_in(dir, name, show).await?;
    output.tell(&NamedChange::signed_in(name), || format!("Signed in to {name}."));
    Ok(Exit::Done)
}
