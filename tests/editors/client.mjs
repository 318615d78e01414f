// A journey by the protocol's TypeScript SDK: an edit of two hunks, of which the second is taken, and the session again.
// Usage: client.mjs FOLDER COMMAND...
import * as acp from "@agentclientprotocol/sdk";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

const [folder, command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const heard = { said: "", kinds: new Set(), forms: 0 };
setTimeout(() => process.exit(3), 60_000).unref();

const editor = acp
  .client({ name: "journey" })
  .onNotification(acp.methods.client.session.update, ({ params }) => {
    heard.kinds.add(params.update.sessionUpdate);
    if (params.update.sessionUpdate === "agent_message_chunk") heard.said += params.update.content.text;
  })
  .onRequest(acp.methods.client.session.requestPermission, () => ({
    outcome: { outcome: "selected", optionId: "allow" },
  }))
  .onRequest(acp.methods.client.elicitation.create, () => {
    heard.forms += 1;
    return { action: "accept", content: { decision: "selected", hunks: ["2"] } };
  });

await editor.connectWith(stream, async (to) => {
  const ask = (method, params) => to.request(method, params);
  const { session } = acp.methods.agent;
  const said = await ask(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { elicitation: { form: {} } },
  });
  assert.equal(said.protocolVersion, 1);
  const { sessionId, modes } = await ask(session.new, { cwd: folder, mcpServers: [] });
  assert.deepEqual(modes.availableModes.map((mode) => mode.id), ["ask", "edits", "plan"]);
  const answer = await ask(session.prompt, { sessionId, prompt: [{ type: "text", text: "Change the numbers" }] });
  assert.equal(answer.stopReason, "end_turn");
  assert.equal(heard.said.trim(), "Done.");
  assert.equal(heard.forms, 1);
  for (const kind of ["tool_call", "tool_call_update", "usage_update", "session_info_update"]) assert(heard.kinds.has(kind), kind);
  await ask(session.setMode, { sessionId, modeId: "edits" });
  await ask(session.setConfigOption, { sessionId, configId: "effort", value: "low" });
  const { sessions } = await ask(session.list, { cwd: folder });
  assert.deepEqual(sessions.map((one) => one.sessionId), [sessionId]);
  await ask(session.load, { sessionId, cwd: folder, mcpServers: [] });
  assert.equal(heard.said.replaceAll(" ", ""), "Done.Done.");
  await ask(session.close, { sessionId });
});
agent.stdin.end();
console.log("journey done");
