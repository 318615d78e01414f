//! `arki completions` and `arki man`: made from the command line's own grammar, so that they can't go stale.

use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::output::Output;
use arki_domain::{Code, Fault, io_words};
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::Path;

const NAME: &str = "arki";

pub(crate) fn completions(shell: Shell, output: &Output) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), NAME, &mut script);
    output.text(&String::from_utf8_lossy(&script));
    Exit::Done
}

/// The page of `arki` itself on standard output, or a page a command in a folder.
pub(crate) fn pages(folder: Option<&Path>, output: &Output) -> Result<Exit, Fault> {
    let failed = |error: std::io::Error| {
        let what = format!("The manual pages weren't written: {}.", io_words(error.kind()));
        Fault::new(Code::IO_FAILED, what, "Name a folder that you may write to.")
    };
    match folder {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder))
                .map_err(failed)?;
            output.aside(format!("Wrote the manual pages to {}.", folder.display()));
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command()).render(&mut page).map_err(failed)?;
            output.text(&String::from_utf8_lossy(&page));
        }
    }
    Ok(Exit::Done)
}
