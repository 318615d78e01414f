//! `arki run`: a pipeline, until it ends or waits.

use crate::arguments::{APPROVAL_MODES, name_and_value, one_of};
use crate::exit::{CommandExit, Exit, wrong_use};
use crate::follow;
use crate::output::Printer;
use crate::regular_file;
use crate::standard_input;
use arki_domain::{ApprovalMode, Code, Error};
use arki_engine::{Client, PipelineInput, StartPipeline};
use clap::Args;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// More is never read: no pipeline takes more.
const MAX_INPUT_BYTES: usize = 64 << 20;

/// Run a pipeline: print the last step's output on standard output, progress and the run's id on standard error
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The pipeline's name, or the path of a YAML file
    pipeline: String,
    /// The file with the pipeline's input, relative to the project; `-` reads standard input. Default: no input
    #[arg(long, value_name = "FILE or -")]
    input: Option<PathBuf>,
    /// Set a parameter; commands get it as an environment variable. Can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    param: Vec<(String, String)>,
    /// Approve calls of the pipeline's agents in advance, as in `exec --approve`
    #[arg(long, default_value = "ask", value_parser = one_of(APPROVAL_MODES))]
    approve: ApprovalMode,
}

pub(crate) async fn run(client: &Client, dir: &Path, arguments: RunArguments, output: &Printer) -> CommandExit {
    let engine = client.engine();
    let RunArguments { pipeline, input, param, approve } = arguments;
    let start = StartPipeline {
        folder: dir.to_owned(),
        name: pipeline,
        input: input.map_or_else(|| Ok(PipelineInput::default()), |path| read_input(dir, &path, output))?,
        params: params(param)?,
        approve,
        schedule: None,
    };
    let subscription = engine.subscribe();
    match client.start_pipeline(start).await {
        Ok(running) => {
            follow::tell_grants(output, &running.0);
            follow::to_next_stop(engine, output, subscription, running).await
        }
        // Something that nobody has agreed to is as good as denied.
        Err(fault) if fault.is(Code::UNTRUSTED) => {
            output.fault(&fault);
            Ok(Exit::Untrusted)
        }
        Err(fault) => Err(fault),
    }
}

fn params(given: Vec<(String, String)>) -> Result<BTreeMap<String, String>, Error> {
    let mut params = BTreeMap::new();
    for (name, value) in given {
        if params.insert(name.clone(), value).is_some() {
            return Err(wrong_use(format!("The parameter `{name}` is given twice."), "Give it once."));
        }
    }
    Ok(params)
}

fn read_input(dir: &Path, path: &Path, output: &Printer) -> Result<PipelineInput, Error> {
    if path == Path::new("-") {
        let bytes = standard_input::as_input(MAX_INPUT_BYTES, output)?;
        return Ok(PipelineInput { bytes, path: None });
    }
    // Bounded, so it may be a device; and whoever names a pipe waits for it.
    let path: PathBuf = dir.join(path);
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(MAX_INPUT_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| regular_file::unreadable(&path, &error, "Check the file's name."))?;
    Ok(PipelineInput { bytes, path: Some(path) })
}
