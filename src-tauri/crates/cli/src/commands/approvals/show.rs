//! `arki approvals show`.

use super::find;
use super::list::printed;
use crate::exit::Exit;
use crate::output::{Printer, dim, visible};
use crate::review::{self, ShownPart};
use arki_domain::Error;
use arki_engine::{ApprovalUse, Engine, rule_text};
use clap::Args;

/// Show the diff or command that needs approval
#[derive(Debug, Args)]
pub(crate) struct ShowApprovalArguments {
    /// The approval's id; default: the only pending one
    id: Option<String>,
    /// Show the diff of this file only
    #[arg(long, value_name = "PATH", conflicts_with_all = ["hunks", "all"])]
    file: Option<String>,
    /// Show only these hunks, such as 1,3
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", conflicts_with = "all")]
    hunks: Option<Vec<usize>>,
    /// Show the whole diff of a large change, not just its list of files
    #[arg(long)]
    all: bool,
    /// Write the project as it would be with all of a command's changes into a folder that is closed to writing, and
    /// print its path
    #[arg(long, conflicts_with_all = ["file", "hunks", "all"])]
    open: bool,
}

pub(super) async fn run(engine: &Engine, arguments: ShowApprovalArguments, output: &Printer) -> Result<Exit, Error> {
    let record = find(engine, arguments.id.as_deref(), ApprovalUse::Show, output)?;
    let listed = printed(engine, &record).ok_or_else(|| Error::internal("this version can't read the approval"))?;
    if arguments.open {
        let folder = engine.approvals().reviews().write_changed_tree(&record).await?;
        if output.json {
            output.object(&serde_json::json!({ "folder": folder }));
        } else {
            output.line(folder.display().to_string());
        }
        return Ok(Exit::Done);
    }
    if output.json {
        output.object(&listed);
        return Ok(Exit::Done);
    }
    let revealed = engine.approvals().reviews().revealed(&record);
    let requested = revealed.as_ref().unwrap_or(&listed.requested);
    review::head(requested).iter().for_each(|line| output.line(line));
    for placeholder in engine.approvals().reviews().unresolved_secrets(&record) {
        output.line(format!(
            "{} stands for a secret that was typed elsewhere and is not stored. Approve this in the window if you \
            typed it there; otherwise reject it and put the secret into a file yourself.",
            visible(&placeholder)
        ));
    }
    let rules = engine.approvals().rules().proposed_rules(&requested.approval_id).unwrap_or_default();
    if !rules.is_empty() {
        let what = if rules.len() == 1 { "this rule" } else { "these rules" };
        output.line(dim(&format!("`approve --always` (or `--session`, for this session only) would add {what}:")));
        rules.iter().for_each(|rule| output.line(dim(&visible(&rule_text(std::slice::from_ref(rule))))));
    }
    if requested.preview.is_some() {
        let shown = match (arguments.file, arguments.hunks, arguments.all) {
            (Some(path), ..) => ShownPart::File(path),
            (_, Some(hunks), _) => ShownPart::Hunks(hunks),
            (_, _, true) => ShownPart::All,
            (None, None, false) => ShownPart::Files,
        };
        output.line("");
        review::diff(engine, &record, requested, &shown, |line| output.line(line))?;
    }
    Ok(Exit::Done)
}
