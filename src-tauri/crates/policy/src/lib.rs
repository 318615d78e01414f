//! Decides whether a call may be carried out: `decide(question, settings)` is a plain function over data, and its
//! verdict names the rule that it goes by and why.
//!
//! Nothing is read, run or written here. What a question needs from the world (which paths a call touches, whether what
//! a line reads without naming it was looked at) is found out by whoever asks, and is a part of the question; what to
//! look at is told by [`wide_reads`] and [`file_words`]. So a verdict depends on nothing but what it was given, and
//! everything here can be tested without a project.
//!
//! Most of it reads shell lines. What isn't understood is opaque, and never allowed silently. What is known of programs
//! stands in two tables.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod bash_grammar;
mod braces;
mod build;
mod checks;
mod command_line;
mod compound;
mod coverage;
mod danger;
mod decide;
mod effects;
mod file_words;
mod flags;
mod generated_folders;
mod git_line;
mod git_pipelines;
mod git_settings;
mod git_signing;
mod here_documents;
mod hosts;
mod invisible;
mod judged_line;
mod landing_rules;
mod line_match;
mod line_parts;
mod plain_shell;
mod powershell;
mod proposal;
mod question;
mod read_only;
mod risk;
mod rules;
mod settings;
mod shell_runs;
mod trace;
mod wide_read;
mod word_list;
mod wrappers;

#[cfg(test)]
mod tests;

use command_line::{CommandLine, Shell, SimpleCommand};

pub use checks::{REFUSED_GIT_RULE, TRIED_RULE};
pub use decide::{
    decide, is_agreed, is_read_only, is_understood, needs_unasked_git, reads_under_rules, runs_git, wide_reads,
    wide_reads_in_view, wide_reads_unconfined,
};
pub use effects::{ChangedPath, EffectsQuestion, EffectsVerdict, PathChange, PathTrait, PathVerdict, decide_effects};
pub use file_words::file_words;
pub use generated_folders::{GeneratedFolder, generated_folder, writes_generated_folders};
pub use git_line::{may_commit, refused_git, writes_repository};
pub use git_pipelines::only_git_reads;
pub use git_signing::{CommitSigning, commit_signing, without_signing};
pub use hosts::{HostVerdict, IsHarmless};
pub use line_match::line_matches;
pub use proposal::{proposed_effects_rules, proposed_rules, would_allow};
pub use question::{ChangedGit, Impact, Objection, PolicyQuestion, Subject, TouchedPath, Verdict};
pub use rules::{EffectsPermission, PolicyRule, RuleDefinition, RuleError};
pub use settings::PolicySettings;
pub use shell_runs::shell_runs;
pub use trace::trace;
pub use wide_read::WideRead;
