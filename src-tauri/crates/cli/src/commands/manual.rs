//! `arki completions` and `arki man`: made from the command line's own grammar, so that they can't go stale.

use super::Arguments;
use crate::exit::{CommandExit, Exit};
use crate::output::Printer;
use arki_domain::Error;
use arki_engine::Engine;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;
use std::path::Path;

const NAME: &str = "arki";

pub(crate) fn completions(shell: Shell, output: &Printer) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), NAME, &mut script);
    output.text(&String::from_utf8_lossy(&script));
    Exit::Done
}

/// The page of `arki` itself on standard output, or a page for each command in a folder.
pub(crate) fn pages(engine: &Engine, out: Option<&Path>, output: &Printer) -> CommandExit {
    // A page about asking for help, for each command, says nothing that its own page doesn't.
    let mut arki = Arguments::command().disable_help_subcommand(true);
    arki.build();
    let Some(folder) = out else {
        output.text(&String::from_utf8_lossy(&page(arki)?));
        return Ok(Exit::Done);
    };
    write_pages(engine, &arki, folder)?;
    output.aside(format!("Wrote the manual pages to {}.", folder.display()));
    Ok(Exit::Done)
}

fn write_pages(engine: &Engine, command: &Command, folder: &Path) -> Result<(), Error> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set()).try_for_each(|sub| write_pages(engine, sub, folder))?;
    let name = command.get_display_name().unwrap_or(NAME);
    let mut file = engine.exports().output_file(&folder.join(format!("{name}.1")))?;
    file.write_all(&page(command.clone())?).map_err(Error::internal)?;
    Ok(file.finish()?)
}

fn page(command: Command) -> Result<Vec<u8>, Error> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(Error::internal)?;
    Ok(page)
}
