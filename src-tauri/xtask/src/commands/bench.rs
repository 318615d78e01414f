//! `cargo xtask bench NAME`: a figure, always beside a baseline of the same
//! run, because milliseconds alone only describe the machine.

use crate::{
    bench::{
        builds, context, edit, long_session, memory, pipelines, policy, providers, retrieval, search, secrets, serving,
        skills, start, store, turns, window,
    },
    failure::Failure,
    repository::{Measured, Repository},
};

const KNOWN: &str = "there are `builds`, `context`, `edit`, `http`, `memory`, `pipelines`, `policy`, `providers`, `retrieval`, `search`, `secrets`, `session`, `skills`, `start`, `store`, `turns` and `window`";

pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [name, option] if option == "--dist" && name != "window" => {
            run(&Repository { measured: Measured::Dist, ..repository.clone() }, std::slice::from_ref(name))
        }
        [name, option] if option == "--debug" && name != "window" => {
            run(&Repository { measured: Measured::Debug, ..repository.clone() }, std::slice::from_ref(name))
        }
        [name, rest @ ..] if name == "builds" => builds::measure(repository, rest),
        [name] if name == "context" => context::measure(repository),
        [name] if name == "edit" => edit::measure(repository),
        [name] if name == "http" => serving::measure(repository),
        [name] if name == "memory" => memory::measure(repository),
        [name] if name == "pipelines" => pipelines::measure(repository),
        [name] if name == "policy" => policy::measure(repository),
        [name] if name == "providers" => providers::measure(repository),
        [name] if name == "retrieval" => retrieval::measure(repository),
        [name] if name == "search" => search::measure(repository),
        [name] if name == "secrets" => secrets::measure(repository),
        [name] if name == "session" => long_session::measure(repository),
        [name] if name == "skills" => skills::measure(repository),
        [name] if name == "start" => start::measure(repository),
        [name] if name == "store" => store::measure(repository),
        [name] if name == "turns" => turns::measure(repository),
        [name, rest @ ..] if name == "window" => window::measure(repository, rest),
        [name] => Err(Failure::new(format!("there is no measurement `{name}`")).hint(KNOWN)),
        _ => Err(Failure::new("name one measurement").hint(KNOWN)),
    }
}
