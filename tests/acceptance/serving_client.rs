//! The TypeScript client of `arki serve` (docs/client.ts), compiled strictly and run by Node.
#![cfg(unix)]

use crate::harness::Stage;
use crate::server::Serving;
use crate::tree::writing;
use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The main job, and what fails.
const PROGRAM: &str = r#"
import { arki, ArkiError } from "./client.js";

const [url, token, project] = process.argv.slice(2) as [string, string, string];
const server = arki({ url, token, client: "test" });
const expect = (is: boolean, what: string) => {
  if (!is) throw new Error(what);
};

const request = { project, prompt: "write it" };
const run = await server.runs.start(request, "one");
expect((await server.runs.start(request, "one")).runId === run.runId, "started twice");
const seen: string[] = [];
let cursor = "";
for await (const told of server.runs.events(run.runId)) {
  if (told.cursor === null) continue;
  seen.push(told.event.type);
  cursor = told.cursor;
  if (told.event.type === "approval.requested") {
    const [waiting] = await server.approvals.list();
    expect(waiting?.preview?.diff?.includes("a.txt") ?? false, "no diff");
    await server.approvals.decide(waiting!.approvalId, { decision: "approve", note: "good" });
  }
}
expect(seen.at(-1) === "run.completed", `ended with ${seen.at(-1)}`);
expect((await server.runs.get(run.runId)).state === "done", "not done");
const log = await server.sessions.events(run.sessionId);
expect(log.events.length >= seen.length && !log.hasMore, "a short log");
expect((await server.sessions.export(run.sessionId, "markdown")).includes("write it"), "no export");
const listening = new AbortController();
const none = server.events({ session: run.sessionId, after: cursor, signal: listening.signal });
setTimeout(() => listening.abort(), 200);
for await (const told of none) expect(told.cursor === null, "told again");
const sessions = await server.command("list_sessions", {});
expect(sessions.some(({ sessionId }) => sessionId === run.sessionId), "not listed");
const steps: unknown[] = [];
const works = await server.commandInSteps("test_provider", { provider: "mock", model: null }, (step) => steps.push(step));
expect(typeof works === "boolean" && steps.length > 0, "no steps");
const refused = await server.runs.get("nowhere").catch((thrown: unknown) => thrown);
expect(refused instanceof ArkiError && refused.code === "RUN_NOT_FOUND" && refused.status === 404, String(refused));
const wrong = await arki({ url, token: "wrong" }).access().catch((thrown: unknown) => thrown);
expect(wrong instanceof ArkiError && wrong.status === 401, String(wrong));
console.log("done");
"#;

#[test]
fn the_main_job_is_done_by_the_typescript_client() {
    let compiler = Path::new(ROOT).join("node_modules/.bin/tsc");
    assert!(compiler.is_file(), "`npm ci` installs the compiler");
    let stage = Stage::new([writing("a.txt", "a\n").to_vec(), vec![]].concat());
    let serving = Serving::of(&stage);
    let folder = stage.home.data_dir().with_file_name("client");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(Path::new(ROOT).join("docs/client.ts"), folder.join("client.ts")).unwrap();
    std::fs::write(folder.join("program.ts"), PROGRAM).unwrap();
    std::fs::write(folder.join("package.json"), r#"{"type": "module"}"#).unwrap();
    let types = Path::new(ROOT).join("node_modules/@types");
    let compiled = Command::new(compiler)
        .args(["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022"])
        .args(["--module", "nodenext", "--lib", "es2022,dom,dom.iterable,dom.asynciterable", "--types", "node"])
        .arg("--typeRoots")
        .arg(types)
        .arg("program.ts")
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stdout));
    let done = Command::new("node")
        .arg("program.js")
        .arg(format!("http://127.0.0.1:{}", serving.port))
        .args([&serving.token, &stage.home.project_dir().display().to_string()])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "done\n", "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(stage.read("a.txt"), "a\n");
    serving.end();
}
